#include "assay/solver/mdp.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "assay/core/world.hpp"

namespace assay {
namespace {

// Far above what rounding does to a value, far below any difference that matters.
constexpr double kTieSlack = 1e-10;

}  // namespace

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
      mdp.first_arc.push_back(static_cast<std::uint32_t>(mdp.arcs.size()));
    }
  }
  return mdp;
}

double action_value(const TabularMdp& mdp, int state, int action, const std::vector<double>& next_value) {
  const auto pair = static_cast<std::size_t>(state) * static_cast<std::size_t>(mdp.actions) +
                    static_cast<std::size_t>(action);
  double future = 0;
  for (std::uint32_t i = mdp.first_arc[pair]; i < mdp.first_arc[pair + 1]; ++i) {
    future += mdp.arcs[i].probability * next_value[static_cast<std::size_t>(mdp.arcs[i].next)];
  }
  return mdp.reward[pair] + mdp.discount * future;
}

int lowest_best(std::span<const double> action_values, double scale) {
  const double best = *std::ranges::max_element(action_values);
  const double enough = best - kTieSlack * std::max(scale, std::abs(best));
  return static_cast<int>(std::ranges::find_if(action_values, [&](double v) { return v >= enough; }) -
                          action_values.begin());
}

double value_scale(const TabularMdp& mdp, const std::vector<double>& next_value) {
  double scale = 0;
  for (const double r : mdp.reward) scale = std::isfinite(r) ? std::max(scale, std::abs(r)) : scale;
  for (const double v : next_value) scale = std::max(scale, std::abs(v));
  return scale;
}

Plan optimal_plan(const TabularMdp& mdp, int horizon) {
  return optimal_plan(mdp, horizon, std::vector<double>(static_cast<std::size_t>(mdp.states), 0.0));
}

Plan optimal_plan(const TabularMdp& mdp, int horizon, std::vector<double> after) {
  const auto states = static_cast<std::size_t>(mdp.states);
  Plan plan{.action = {{}}, .value = {std::move(after)}};
  for (int h = 1; h <= horizon; ++h) {
    const std::vector<double>& next_value = plan.value.back();
    const double scale = value_scale(mdp, next_value);
    std::vector<int> best(states);
    std::vector<double> value(states);
    std::vector<double> action_values(static_cast<std::size_t>(mdp.actions));
    for (int x = 0; x < mdp.states; ++x) {
      const auto at = static_cast<std::size_t>(x);
      for (int a = 0; a < mdp.actions; ++a) {
        action_values[static_cast<std::size_t>(a)] = action_value(mdp, x, a, next_value);
      }
      best[at] = lowest_best(action_values, scale);
      value[at] = *std::ranges::max_element(action_values);
    }
    plan.action.push_back(std::move(best));
    plan.value.push_back(std::move(value));
  }
  return plan;
}

std::vector<std::vector<double>> plan_value(const TabularMdp& mdp, const Plan& plan, int horizon) {
  const auto states = static_cast<std::size_t>(mdp.states);
  std::vector<std::vector<double>> value = {std::vector<double>(states, 0.0)};
  for (int h = 1; h <= horizon; ++h) {
    std::vector<double> now(states);
    for (int x = 0; x < mdp.states; ++x) {
      const auto at = static_cast<std::size_t>(x);
      now[at] = action_value(mdp, x, plan.action[static_cast<std::size_t>(h)][at], value.back());
    }
    value.push_back(std::move(now));
  }
  return value;
}

}  // namespace assay
