#include "report/state_graph.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <queue>
#include <set>
#include <vector>

#include "assay/solver/detail/finite_model.hpp"

namespace assay {
namespace {

constexpr int kFewStates = 40;           // problems with at most this many are drawn completely
constexpr std::size_t kMostNodes = 200;  // more could not be distinguished
constexpr std::size_t kMostArrows = 4;   // of a node; more would hide what they connect

using Move = std::pair<int, int>;

/// A move from one state of an episode to the next.
std::set<Move> walked_moves(const Player& player) {
  std::set<Move> moves;
  for (const PlayedEpisode& episode : player.episodes) {
    for (const Trace& trace : episode.traces) {
      for (std::size_t i = 1; i < trace.steps.size(); ++i)
        moves.emplace(trace.steps[i - 1].state, trace.steps[i].state);
    }
  }
  return moves;
}

/// What actions can lead to: in some of finitely many environments, or in all environments if moves are
/// known. Empty if any move may lead anywhere.
std::set<Move> possible_moves(const Problem& problem) {
  std::set<Move> moves;
  if (const std::shared_ptr<const FiniteModel> model = problem.finite_model()) {
    for (int x = 0; x < model->states(); ++x) {
      for (int a = 0; a < model->actions(); ++a) {
        for (const FiniteModel::Result& result : model->results(x, a)) moves.emplace(x, result.next);
      }
    }
    return moves;
  }
  const std::unique_ptr<Belief> prior = problem.prior();
  if (!prior->known_transitions()) return moves;
  const Mdp mdp = prior->mean();
  for (int x = 0; x < mdp.states; ++x) {
    const auto row = static_cast<std::size_t>(x) * static_cast<std::size_t>(mdp.actions);
    const std::uint32_t end = mdp.first_arc[row + static_cast<std::size_t>(mdp.actions)];
    for (std::uint32_t i = mdp.first_arc[row]; i < end; ++i) moves.emplace(x, mdp.arcs[i].next);
  }
  return moves;
}

std::set<int> drawn_states(const Problem& problem, const Player& player) {
  std::set<int> states;
  if (problem.states() <= kFewStates) {
    for (int x = 0; x < problem.states(); ++x) states.insert(x);
    return states;
  }
  for (const PlayedEpisode& episode : player.episodes) {
    for (const Trace& trace : episode.traces) {
      for (const TraceStep& step : trace.steps) {
        if (states.size() < kMostNodes) states.insert(step.state);
      }
    }
  }
  return states;
}

/// The number of moves from a start. States that no move leads to come after all others.
std::map<int, int> columns_of(const Problem& problem, const std::set<int>& states,
                              const std::set<Move>& moves) {
  std::map<int, int> column;
  std::queue<int> open;
  const auto reach = [&](int x, int at) {
    if (states.contains(x) && column.try_emplace(x, at).second) open.push(x);
  };
  for (const Start& start : problem.starts()) reach(start.state, 0);
  while (!open.empty()) {
    const int x = open.front();
    open.pop();
    for (auto move = moves.lower_bound({x, -1}); move != moves.end() && move->first == x; ++move)
      reach(move->second, column.at(x) + 1);
  }
  int last = -1;
  for (const auto& [x, at] : column) last = std::max(last, at);
  for (const int x : states) column.try_emplace(x, last + 1);
  return column;
}

}  // namespace

void place_in_graph(const Problem& problem, Player& player) {
  const std::set<int> states = drawn_states(problem, player);
  std::set<Move> moves = walked_moves(player);
  if (problem.states() <= kFewStates) {
    std::set<Move> possible = possible_moves(problem);
    if (possible.size() <= kMostArrows * states.size()) moves.merge(possible);
  }
  std::erase_if(moves, [&](const Move& m) {
    return m.first == m.second || !states.contains(m.first) || !states.contains(m.second);
  });
  std::vector<std::vector<int>> columns;
  for (const auto& [x, at] : columns_of(problem, states, moves)) {
    if (columns.size() <= static_cast<std::size_t>(at)) columns.resize(static_cast<std::size_t>(at) + 1);
    columns[static_cast<std::size_t>(at)].push_back(x);
  }
  std::size_t most = 1;
  for (const std::vector<int>& column : columns) most = std::max(most, column.size());
  player.cells.assign(static_cast<std::size_t>(problem.states()), {-1, -1});
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (std::size_t i = 0; i < columns[c].size(); ++i) {
      const std::size_t row = most - columns[c].size() + 2 * i;
      player.cells[static_cast<std::size_t>(columns[c][i])] = {static_cast<int>(row), static_cast<int>(c)};
    }
  }
  player.rows = static_cast<int>(2 * most);
  player.columns = static_cast<int>(columns.size());
  player.graph = true;
  player.moves.assign(moves.begin(), moves.end());
}

}  // namespace assay
