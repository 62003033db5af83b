#include "assay/solver/mdp.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "assay/core/world.hpp"

namespace assay {
namespace {

// Of a probability: far above what adding its parts up does to it, far below any difference that matters.
constexpr double kSameProbability = 1e-12;

/// E[value of the next state].
double expected_next(const TabularMdp& mdp, std::size_t pair, const std::vector<double>& next_value) {
  double sum = 0;
  for (std::uint32_t i = mdp.first_arc[pair]; i < mdp.first_arc[pair + 1]; ++i) {
    sum += mdp.arcs[i].probability * next_value[static_cast<std::size_t>(mdp.arcs[i].next)];
  }
  return sum;
}

}  // namespace

void TabularMdp::end_row() {
  const std::span<Arc> row = std::span(arcs).subspan(first_arc.back());
  bool once = true;
  for (std::size_t i = 0; i < row.size(); ++i) {
    once = once && row[i].probability != 0 && (i == 0 || row[i - 1].next < row[i].next);
  }
  if (!once) {
    std::ranges::stable_sort(row, {}, &Arc::next);
    std::size_t kept = first_arc.back();
    for (const Arc arc : row) {
      if (arc.probability == 0) continue;
      if (kept > first_arc.back() && arcs[kept - 1].next == arc.next) {
        arcs[kept - 1].probability += arc.probability;
      } else {
        arcs[kept++] = arc;
      }
    }
    arcs.resize(kept);
  }
  first_arc.push_back(static_cast<std::uint32_t>(arcs.size()));
}

bool same_transitions(const TabularMdp& one, const TabularMdp& other) {
  const auto same_arc = [](const TabularMdp::Arc& l, const TabularMdp::Arc& r) {
    return l.next == r.next && std::abs(l.probability - r.probability) <= kSameProbability * l.probability;
  };
  return one.first_arc == other.first_arc && std::ranges::equal(one.arcs, other.arcs, same_arc);
}

TabularMdp true_environment(World& world) {
  TabularMdp mdp{.states = world.states(),
                 .actions = world.actions(),
                 .discount = world.discount(),
                 .reward = {},
                 .first_arc = {0},
                 .arcs = {}};
  for (int x = 0; x < mdp.states; ++x) {
    for (int a = 0; a < mdp.actions; ++a) {
      mdp.reward.push_back(world.true_reward(x, a));
      for (const auto& [p, next] : world.true_arcs(x, a)) mdp.arcs.push_back({next, p});
      mdp.end_row();
    }
  }
  return mdp;
}

double action_value(const TabularMdp& mdp, int state, int action, const std::vector<double>& next_value) {
  const auto pair = static_cast<std::size_t>(state) * static_cast<std::size_t>(mdp.actions) +
                    static_cast<std::size_t>(action);
  return mdp.reward[pair] + mdp.discount * expected_next(mdp, pair, next_value);
}

int first_best(std::span<const double> values, std::span<const double> delays, double scale) {
  return static_cast<int>(detail::first_best_of(
      values.size(), [&](std::size_t a) { return values[a]; },
      [&](std::size_t a) { return delays.empty() ? 0.0 : delays[a]; }, scale));
}

double value_scale(const TabularMdp& mdp, const std::vector<double>& next_value) {
  double scale = 0;
  for (const double r : mdp.reward) scale = std::isfinite(r) ? std::max(scale, std::abs(r)) : scale;
  for (const double v : next_value) scale = std::max(scale, std::abs(v));
  return scale;
}

namespace {

/// What is best with one step more to go than `after` has, by state. Without delays in `after`, the lowest of
/// equals, and there are none of it.
struct BestLayer {
  std::vector<int> action;
  After worth;
};

BestLayer best_layer(const TabularMdp& mdp, const std::vector<double>& value,
                     const std::vector<double>& delay) {
  const auto states = static_cast<std::size_t>(mdp.states);
  const bool early = !delay.empty();
  const double scale = value_scale(mdp, value);
  std::vector<double> action_values(static_cast<std::size_t>(mdp.actions));
  std::vector<double> delays(early ? static_cast<std::size_t>(mdp.actions) : 0);
  std::vector<double> later(delay.size());  // value and delay of what follows
  for (std::size_t x = 0; x < later.size(); ++x) later[x] = value[x] + delay[x];
  BestLayer layer{std::vector<int>(states), {std::vector<double>(states), std::vector<double>(delay.size())}};
  std::size_t pair = 0;
  for (int x = 0; x < mdp.states; ++x) {
    const auto at = static_cast<std::size_t>(x);
    for (std::size_t a = 0; a < action_values.size(); ++a, ++pair) {
      action_values[a] = action_value(mdp, x, static_cast<int>(a), value);
      if (early) delays[a] = mdp.discount * expected_next(mdp, pair, later);
    }
    layer.action[at] = first_best(action_values, delays, scale);
    layer.worth.value[at] = *std::ranges::max_element(action_values);
    if (early) layer.worth.delay[at] = delays[static_cast<std::size_t>(layer.action[at])];
  }
  return layer;
}

std::vector<double> followed_layer(const TabularMdp& mdp, const std::vector<int>& action,
                                   const std::vector<double>& next_value) {
  std::vector<double> value(static_cast<std::size_t>(mdp.states));
  for (int x = 0; x < mdp.states; ++x) {
    const auto at = static_cast<std::size_t>(x);
    value[at] = action_value(mdp, x, action[at], next_value);
  }
  return value;
}

Plan plan_with(const TabularMdp& mdp, int horizon, After after) {
  const bool early = !after.delay.empty();
  Plan plan{.action = {{}}, .value = {std::move(after.value)}, .delay = {}};
  if (early) plan.delay.push_back(std::move(after.delay));
  const std::vector<double> none;
  for (int h = 1; h <= horizon; ++h) {
    BestLayer layer = best_layer(mdp, plan.value.back(), early ? plan.delay.back() : none);
    plan.action.push_back(std::move(layer.action));
    plan.value.push_back(std::move(layer.worth.value));
    if (early) plan.delay.push_back(std::move(layer.worth.delay));
  }
  return plan;
}

}  // namespace

Plan optimal_plan(const TabularMdp& mdp, int horizon, Ties ties) {
  const std::vector<double> nothing(static_cast<std::size_t>(mdp.states), 0.0);
  return plan_with(mdp, horizon, {nothing, ties == Ties::kEarliest ? nothing : std::vector<double>{}});
}

Plan optimal_plan(const TabularMdp& mdp, int horizon, After after) {
  return plan_with(mdp, horizon, std::move(after));
}

std::vector<std::vector<double>> plan_value(const TabularMdp& mdp, const Plan& plan, int horizon) {
  const auto states = static_cast<std::size_t>(mdp.states);
  std::vector<std::vector<double>> value = {std::vector<double>(states, 0.0)};
  for (int h = 1; h <= horizon; ++h) {
    value.push_back(followed_layer(mdp, plan.action[static_cast<std::size_t>(h)], value.back()));
  }
  return value;
}

PlanWorth plan_worth(const TabularMdp& planned, std::span<const TabularMdp> worlds, int horizon,
                     const Stop& stop) {
  const std::vector<double> nothing(static_cast<std::size_t>(planned.states), 0.0);
  PlanWorth worth{nothing, std::vector<std::vector<double>>(worlds.size(), nothing)};
  StopPoll poll(stop);
  for (int h = 1; h <= horizon; ++h) {
    BestLayer layer = best_layer(planned, worth.own, {});
    worth.own = std::move(layer.worth.value);
    poll.count(planned.arcs.size());
    for (std::size_t w = 0; w < worlds.size(); ++w) {
      worth.other[w] = followed_layer(worlds[w], layer.action, worth.other[w]);
      poll.count(planned.reward.size());
    }
  }
  return worth;
}

}  // namespace assay
