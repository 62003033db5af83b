#include "cashing/playouts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "assay/solver/detail/information.hpp"

namespace assay {
namespace {

/// Played before it is asked again which actions are still open.
constexpr std::size_t kRound = 32;
/// Environments by which the place is found that is best to look at first.
constexpr std::size_t kLooks = 32;
/// Finding them may take so many steps of value iteration, in states times actions: else they are not sought.
constexpr double kMostWork = 3e8;
constexpr std::size_t kFewestLooks = 4;
/// Being a step nearer to a goal is worth this: any number below 1 makes the shortest ways the best.
constexpr float kNearer = 0.9F;

constexpr int kUnreached = std::numeric_limits<int>::max();

}  // namespace

Playouts::Playouts(const Belief& prior, const PlayoutSettings& settings)
    : settings_(settings),
      present_(prior, settings.discount),
      lanes_(present_),
      environments_(present_),
      ways_(static_cast<std::size_t>(prior.states()), {-1, -1}),
      learns_(static_cast<std::size_t>(prior.states() * (prior.actions() + 1))),
      actions_(prior.actions()) {
  std::vector<double> best(ways_.size());
  for (int x = 0; x < prior.states(); ++x) {
    learns_[place(x, kArrive)] = prior.learns(x, kArrive);
    const std::span<const int> allowed = present_.allowed(x);
    for (std::size_t i = 0; i < allowed.size(); ++i) {
      learns_[place(x, allowed[i])] = prior.learns(x, allowed[i]);
      for (const Mdp::Arc& arc : present_.arcs(x, i)) {
        const auto next = static_cast<std::size_t>(arc.next);
        if (arc.probability <= best[next]) continue;
        best[next] = arc.probability;
        ways_[next] = {x, allowed[i]};
      }
    }
  }
}

Rng Playouts::luck(std::size_t environment, int state, int action, std::size_t visit) const {
  return lucks_[environment].split(place(state, action) << 24U | visit);
}

void Playouts::draw_environments(const Belief& known, const Rng& rng, std::size_t first, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (i == drawn_.size()) drawn_.push_back(known.environment());
    const Rng own = rng.split(first + i);
    if (i == lucks_.size()) lucks_.push_back(own.split(1));
    lucks_[i] = own.split(1);
    drawn_[i]->draw_from(known);
    drawn_[i]->draw(own.split(0));
    environments_.set(i, *drawn_[i]);
  }
}

/// What an agent learns by arriving at a state by an action: `at` becomes where that was.
void Playouts::arrive(std::size_t environment, int action, std::vector<std::uint16_t>& visits,
                      Belief& knowledge, int& at) {
  Environment& truth = *drawn_[environment];
  const int from = at;
  const auto visit = [&](int state) { return visits[static_cast<std::size_t>(state)]; };
  Rng own = luck(environment, from, action, visit(from));
  const Outcome acted = truth.outcome(from, action, own);
  if (learns_[place(from, action)]) knowledge.observe(from, action, acted);
  at = acted.next;
  ++visits[static_cast<std::size_t>(at)];
  if (!learns_[place(at, kArrive)]) return;
  own = luck(environment, at, kArrive, visit(at));
  knowledge.observe(at, kArrive, truth.outcome(at, kArrive, own));
}

std::vector<int> Playouts::distances_from(int state) const {
  std::vector<int> distance(ways_.size(), kUnreached);
  std::vector<int> front = {state};
  distance[static_cast<std::size_t>(state)] = 0;
  for (std::size_t done = 0; done < front.size(); ++done) {
    const int x = front[done];
    for (std::size_t i = 0; i < present_.allowed(x).size(); ++i) {
      for (const Mdp::Arc& arc : present_.arcs(x, i)) {
        int& there = distance[static_cast<std::size_t>(arc.next)];
        if (arc.probability <= 0 || there != kUnreached) continue;
        there = distance[static_cast<std::size_t>(x)] + 1;
        front.push_back(arc.next);
      }
    }
  }
  return distance;
}

const std::vector<float>& Playouts::nearness(int goal) {
  const auto [at, fresh] = nearness_.try_emplace(goal, ways_.size(), 0.0F);
  std::vector<float>& near = at->second;
  if (!fresh) return near;
  near[static_cast<std::size_t>(goal)] = 1;
  for (std::size_t sweep = 0; sweep < near.size(); ++sweep) {
    bool changed = false;
    for (int x = 0; x < static_cast<int>(near.size()); ++x) {
      float& here = near[static_cast<std::size_t>(x)];
      for (std::size_t i = 0; x != goal && i < present_.allowed(x).size(); ++i) {
        const float through = kNearer * nearness_after(near, x, i);
        if (through <= here + 1e-7F) continue;
        here = through;
        changed = true;
      }
    }
    if (!changed) break;
  }
  return near;
}

float Playouts::nearness_after(const std::vector<float>& near, int state, std::size_t i) const {
  float sum = 0;
  for (const Mdp::Arc& arc : present_.arcs(state, i)) {
    sum += static_cast<float>(arc.probability) * near[static_cast<std::size_t>(arc.next)];
  }
  return sum;
}

float Playouts::worth(const KnownMoves& moves, int state, std::size_t i, std::size_t lane) const {
  return moves.reward(state, i, lane) +
         static_cast<float>(settings_.discount) * moves.value_after(state, i, lane);
}

std::size_t Playouts::greedy(const KnownMoves& moves, int state, std::size_t lane) const {
  std::size_t best = 0;
  float most = -std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < moves.allowed(state).size(); ++i) {
    const float value = worth(moves, state, i, lane);
    if (value <= most) continue;
    most = value;
    best = i;
  }
  return best;
}

/// Of the actions that lead nearest to the goal, the one that the plan likes best.
std::size_t Playouts::towards(int goal, const KnownMoves& moves, int state, std::size_t lane) {
  const std::vector<float>& near = nearness(goal);
  std::size_t best = 0;
  float nearest = -1;
  for (std::size_t i = 0; i < moves.allowed(state).size(); ++i) {
    const float reached = nearness_after(near, state, i);
    const bool as_near = std::abs(reached - nearest) <= 1e-6F;
    if (as_near ? worth(moves, state, i, lane) <= worth(moves, state, best, lane) : reached < nearest) {
      continue;
    }
    best = i;
    nearest = std::max(nearest, reached);
  }
  return best;
}

/// What being able to change the plan at each place adds, if one gets there with so many steps to go.
std::vector<double> Playouts::gains(const Belief& known, const std::vector<int>& places, int left,
                                    std::size_t looks) {
  lanes_.resize(places.size() * looks);
  std::vector<int> arrived(lanes_.lanes());
  for (std::size_t lane = 0; lane < lanes_.lanes(); ++lane) {
    const StateAction& way = ways_[static_cast<std::size_t>(places[lane / looks])];
    const std::unique_ptr<Belief> then = known.clone();
    std::vector<std::uint16_t> visits(ways_.size());
    arrived[lane] = way.state;
    arrive(lane % looks, way.action, visits, *then, arrived[lane]);
    lanes_.set(lane, *then);
  }
  lanes_.solve(left);
  std::vector<double> all;
  for (std::size_t p = 0; p < places.size(); ++p) {
    const std::vector<double> unchanged = present_.collections(places[p], left);
    double sum = 0;
    for (std::size_t lane = p * looks; lane < (p + 1) * looks; ++lane) {
      // Who wanted to get there and got elsewhere has learned something else.
      if (arrived[lane] == places[p]) sum += lanes_.value(places[p], lane) - lanes_.paid(unchanged, lane);
    }
    all.push_back(sum / static_cast<double>(looks));
  }
  return all;
}

/// Where it is best to go and look, and to plan for what is known after that; -1 if nothing seen would be
/// worth the way. Two steps away or more: what is nearer is an action's own end.
int Playouts::place_to_look(const Belief& known, int state, int remaining) {
  const std::vector<int> distance = distances_from(state);
  std::map<int, std::vector<int>> by_distance;
  std::size_t count = 0;
  for (std::size_t z = 0; z < distance.size(); ++z) {
    if (distance[z] < 2 || distance[z] >= remaining) continue;
    const int at = static_cast<int>(z);
    if (!learns_[place(at, kArrive)] && !learns_[place(ways_[z].state, ways_[z].action)]) continue;
    by_distance[distance[z]].push_back(at);
    ++count;
  }
  const double each = static_cast<double>(count) * static_cast<double>(ways_.size()) * actions_ * remaining;
  const auto drawn = static_cast<double>(std::min(kLooks, std::min(kRound, settings_.environments)));
  const auto looks = static_cast<std::size_t>(std::min(drawn, kMostWork / std::max(1.0, each)));
  if (count == 0 || looks < kFewestLooks) return -1;
  present_.solve(remaining - 1);
  double most = worth(present_, state, greedy(present_, state, 0), 0);
  int chosen = -1;
  for (const auto& [d, places] : by_distance) {
    const std::vector<double> all = gains(known, places, remaining - d, looks);
    for (std::size_t p = 0; p < places.size(); ++p) {
      if (all[p] <= 0) continue;
      double value = 0;
      double weight = 1;
      int at = state;
      for (int step = 0; step < d; ++step, weight *= settings_.discount) {
        const std::size_t i = towards(places[p], present_, at, 0);
        value += weight * present_.reward(at, i, 0);
        at = std::ranges::max_element(present_.arcs(at, i), {}, &Mdp::Arc::probability)->next;
      }
      value += weight * (present_.paid(present_.collections(places[p], remaining - d), 0) + all[p]);
      if (value <= most) continue;
      most = value;
      chosen = places[p];
    }
  }
  return chosen;
}

std::vector<Playouts::Rule> Playouts::rules(const Belief& known, int state, int remaining) {
  std::vector<int> first_to = {-1};
  const int look = place_to_look(known, state, remaining);
  if (look >= 0) first_to.push_back(look);
  std::vector<Rule> all;
  for (std::size_t i = 0; i < present_.allowed(state).size(); ++i) {
    std::vector<double> here(ways_.size());
    for (const Mdp::Arc& arc : present_.arcs(state, i)) {
      here[static_cast<std::size_t>(arc.next)] += arc.probability;
    }
    Rule rule;
    rule.choice = i;
    rule.unchanged = present_.collections(here, remaining - 1);
    rule.known = present_.reward(state, i, 0) - known.expected_arrival(state) +
                 settings_.discount * present_.paid(rule.unchanged, 0);
    for (const int place : first_to) {
      rule.first_to = place;
      all.push_back(rule);
    }
  }
  return all;
}

void Playouts::play(const Belief& known, int state, int remaining, std::vector<Rule*>& rules,
                    std::size_t count) {
  struct Player {
    std::unique_ptr<Belief> knowledge;
    std::vector<std::uint16_t> visits;
    int at = 0;
    bool looked = false;
    double collected = 0;
  };
  std::vector<Player> players(rules.size() * count);
  lanes_.resize(players.size());
  double weight = 1;
  for (int left = remaining; left > 0; --left, weight *= settings_.discount) {
    if (left < remaining) lanes_.solve(left - 1);
    for (std::size_t lane = 0; lane < players.size(); ++lane) {
      Player& player = players[lane];
      const Rule& rule = *rules[lane / count];
      const std::size_t environment = lane % count;
      std::size_t i = rule.choice;
      if (left == remaining) {
        player.knowledge = known.clone();
        player.visits.resize(ways_.size());
        player.at = state;
        player.looked = rule.first_to < 0;
      } else {
        i = player.looked ? greedy(lanes_, player.at, lane) : towards(rule.first_to, lanes_, player.at, lane);
        player.collected += weight * environments_.reward(player.at, i, environment);
      }
      if (left == 1) continue;
      arrive(environment, lanes_.allowed(player.at)[i], player.visits, *player.knowledge, player.at);
      player.looked = player.looked || player.at == rule.first_to;
      lanes_.set(lane, *player.knowledge);
    }
  }
  for (std::size_t lane = 0; lane < players.size(); ++lane) {
    Rule& rule = *rules[lane / count];
    const double unchanged = environments_.paid(rule.unchanged, lane % count);
    rule.returns.push_back(rule.known + players[lane].collected - settings_.discount * unchanged);
  }
}

namespace {

/// By how much one list is more than the other on average, where both have something.
Estimate lead(const std::vector<double>& one, const std::vector<double>& other) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i) {
    differences.push_back(one[i] - other[i]);
  }
  return detail::mean_of(differences);
}

}  // namespace

/// The best of those that were played the most.
const Playouts::Rule& Playouts::best_of(const std::vector<Rule>& rules) {
  const auto worth = [](const Rule& rule) {
    return std::pair(rule.returns.size(), detail::mean_of(rule.returns).value);
  };
  return *std::ranges::max_element(rules, {}, worth);
}

std::vector<PlayedOut> Playouts::run(const Belief& known, int state, int remaining, const Rng& rng,
                                     const std::function<bool()>& stop) {
  present_.resize(1);
  present_.set(0, known);
  environments_.resize(kRound);
  std::vector<Rule> all;
  for (std::size_t first = 0; first < settings_.environments; first += kRound) {
    const std::size_t count = std::min(kRound, settings_.environments - first);
    draw_environments(known, rng, first, count);
    if (first == 0) all = rules(known, state, remaining);
    std::vector<Rule*> open;
    std::set<std::size_t> choices;
    for (Rule& rule : all) {
      if (!rule.open) continue;
      open.push_back(&rule);
      choices.insert(rule.choice);
    }
    if (first > 0 && (choices.size() == 1 || (stop && stop()))) break;
    play(known, state, remaining, open, count);
    const Rule& best = best_of(all);
    for (Rule* rule : open) {
      const Estimate behind = lead(best.returns, rule->returns);
      rule->open = rule == &best || behind.value <= settings_.hopeless * behind.standard_error;
    }
  }
  const Rule& best = best_of(all);
  const Estimate value = detail::mean_of(best.returns);
  std::vector<PlayedOut> out;
  for (const Rule& rule : all) {
    const Estimate behind = lead(best.returns, rule.returns);
    PlayedOut one{present_.allowed(state)[rule.choice], value.value - behind.value,
                  std::hypot(value.standard_error, behind.standard_error), rule.returns.size(),
                  rule.first_to};
    if (out.empty() || out.back().action != one.action) {
      out.push_back(one);
      continue;
    }
    one.playouts += out.back().playouts;
    if (one.value > out.back().value) {
      out.back() = one;
    } else {
      out.back().playouts = one.playouts;
    }
  }
  return out;
}

}  // namespace assay
