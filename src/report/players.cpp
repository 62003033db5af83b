#include "report/players.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "assay/core/detail/workers.hpp"
#include "assay/lab/evaluation.hpp"
#include "report/state_graph.hpp"

namespace assay {
namespace {

/// The finished training whose return is the median; the lower one of two, and the first shown one of
/// equals.
std::optional<RunStore::Id> middle_run(const RunStore& store, const ShownMethod& method) {
  std::vector<std::pair<double, RunStore::Id>> earned;
  for (const RunStore::Id id : method.runs) {
    if (!store.finished(id)) continue;
    double sum = 0;
    for (const EpisodeRecord& e : store.episodes(id)) sum += e.undiscounted;
    earned.emplace_back(sum, id);
  }
  if (earned.empty()) return std::nullopt;
  std::ranges::stable_sort(earned, {}, &std::pair<double, RunStore::Id>::first);
  return earned[(earned.size() - 1) / 2].second;
}

/// None if there is nothing to see, or if this version cannot play it.
std::optional<Stage> set_stage(const RunStore& store, const ShownProblem& shown) {
  Stage stage{shown.title, shown.family, shown.test_seed, nullptr, {}, {}};
  try {
    stage.problem = make_problem(shown.family);
  } catch (const UsageError&) {
    return std::nullopt;
  }
  for (const ShownMethod& method : shown.methods) {
    const std::optional<RunStore::Id> id = middle_run(store, method);
    if (!id) continue;
    stage.performers.push_back({method.label, method.method, store.settings(*id).seed,
                                store.policy_state(*id).value_or(""), store.episodes(*id)});
  }
  if (stage.performers.empty()) return std::nullopt;
  return stage;
}

/// The first episode, and the next one in another environment if there are only finitely many environments
/// and it comes soon.
std::vector<int> first_episodes(const Stage& stage) {
  std::vector<int> chosen = {0};
  if (stage.problem->prior()->weights().empty()) return chosen;
  const std::vector<double> first = hidden_rewards(*stage.problem, test_episode_rng(stage.test_seed, 0));
  for (int episode = 1; episode < std::min(stage.tested(), 50); ++episode) {
    const Rng rng = test_episode_rng(stage.test_seed, episode);
    if (hidden_rewards(*stage.problem, rng) == first) continue;
    chosen.push_back(episode);
    break;
  }
  return chosen;
}

/// The largest problem gets most episodes; then one of each family is shown, then as many as there is room
/// for.
std::vector<Stage> plan_stages(std::vector<Stage> all, const ReportOptions& options) {
  std::ranges::stable_sort(
      all, [](const Stage& a, const Stage& b) { return a.problem->states() > b.problem->states(); });
  std::set<std::string> families;
  const auto rest = std::stable_partition(
      all.begin(), all.end(), [&](const Stage& s) { return families.insert(short_name(s.family)).second; });
  const auto firsts = static_cast<std::size_t>(rest - all.begin());
  std::size_t used = 0;
  const auto take = [&](Stage& stage, const std::vector<int>& episodes) {
    const std::size_t cost = episodes.size() * stage.bytes_per_episode();
    // The first one is shown however large it is.
    if (used > 0 && used + cost > options.trace_bytes) return;
    used += cost;
    stage.episodes.insert(stage.episodes.end(), episodes.begin(), episodes.end());
  };
  for (std::size_t i = 0; i < firsts; ++i) take(all[i], first_episodes(all[i]));
  for (int e = 1; !all.empty() && e < std::min(options.episodes, all[0].tested()); ++e) {
    if (std::ranges::find(all[0].episodes, e) == all[0].episodes.end()) take(all[0], {e});
  }
  for (std::size_t i = firsts; i < all.size(); ++i) take(all[i], first_episodes(all[i]));
  std::erase_if(all, [](const Stage& s) { return s.episodes.empty(); });
  return all;
}

Player empty_player(const Stage& stage) {
  const Problem& problem = *stage.problem;
  Player player;
  player.title = stage.title;
  player.family = stage.family;
  player.discount = problem.discount();
  player.horizon = problem.horizon();
  for (int x = 0; x < problem.states(); ++x) {
    player.landmarks += problem.landmark(x);
    player.states.push_back(problem.state_name(x));
  }
  for (int a = 0; a < problem.actions(); ++a) player.actions.push_back(problem.action_name(a));
  return player;
}

/// Where there is no landmark, there is no cell of the map, because the episode is over.
void place_on_map(const Problem& problem, Player& player) {
  for (int x = 0; x < problem.states(); ++x) {
    const bool over = problem.landmark(x) == ' ';
    const Cell cell = over ? Cell{-1, -1} : problem.cell(x);
    player.cells.push_back(cell);
    player.rows = std::max(player.rows, cell.row + 1);
    player.columns = std::max(player.columns, cell.column + 1);
  }
}

/// None if this version cannot read the policy.
std::unique_ptr<Policy> policy_of(const Stage& stage, const Performer& performer) {
  try {
    return make_method(performer.method)->policy(*stage.problem, performer.state, 1);
  } catch (const UsageError&) {
    return nullptr;
  } catch (const CorruptError&) {
    return nullptr;
  }
}

Trace perform(const Stage& stage, const Performer& performer, const Policy& policy, int episode) {
  Trace trace = trace_episode(*stage.problem, policy, test_episode_rng(stage.test_seed, episode));
  trace.label = performer.label;
  trace.method = performer.method;
  trace.seed = performer.seed;
  const double stored = performer.episodes.at(static_cast<std::size_t>(episode)).undiscounted;
  // A store of another version may have used other random numbers: then this is not the episode of its
  // results.
  if (std::abs(stored - trace.undiscounted) > 1e-9 * (1 + std::abs(stored))) {
    trace.label += fmt::format(" (played anew; the store says {})", stored);
  }
  return trace;
}

Player perform_all(const Stage& stage, Workers& workers) {
  std::vector<std::unique_ptr<Policy>> policies(stage.performers.size());
  workers.for_each(policies.size(),
                   [&](std::size_t i) { policies[i] = policy_of(stage, stage.performers[i]); });
  Player player = empty_player(stage);
  for (const int number : stage.episodes) {
    PlayedEpisode& episode = player.episodes.emplace_back();
    episode.episode = number;
    episode.test_seed = stage.test_seed;
    episode.truth = hidden_rewards(*stage.problem, test_episode_rng(stage.test_seed, number));
    std::vector<Trace> traces(policies.size());
    workers.for_each(policies.size(), [&](std::size_t i) {
      if (policies[i]) traces[i] = perform(stage, stage.performers[i], *policies[i], number);
    });
    for (Trace& trace : traces) {
      if (!trace.steps.empty()) episode.traces.push_back(std::move(trace));
    }
  }
  if (stage.problem->drawable()) {
    place_on_map(*stage.problem, player);
  } else {
    place_in_graph(*stage.problem, player);
  }
  return player;
}

}  // namespace

std::size_t Stage::bytes_per_episode() const {
  constexpr std::size_t kBytesPerNumber = 5;
  constexpr std::size_t kMaps = 6;
  constexpr std::size_t kBytesPerStep = 200;
  return performers.size() * static_cast<std::size_t>(problem->horizon()) *
         (static_cast<std::size_t>(problem->states()) * kMaps * kBytesPerNumber + kBytesPerStep);
}

std::vector<Stage> set_stages(const RunStore& store, const std::vector<ShownProblem>& problems,
                              const ReportOptions& options) {
  std::vector<Stage> stages;
  for (const ShownProblem& shown : problems) {
    if (std::optional<Stage> stage = set_stage(store, shown)) stages.push_back(std::move(*stage));
  }
  return plan_stages(std::move(stages), options);
}

std::vector<Player> play(const std::vector<Stage>& stages, int threads) {
  Workers workers(threads);
  std::vector<Player> players;
  for (const Stage& stage : stages) {
    Player player = perform_all(stage, workers);
    if (!player.episodes.front().traces.empty()) players.push_back(std::move(player));
  }
  return players;
}

}  // namespace assay
