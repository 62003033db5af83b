#include "solver/stationary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "assay/core/error.hpp"

namespace assay {
namespace {

/// Sweeps `value[x] = backup(x, value)`, from the given values, until the contraction bound is below the
/// tolerance. Returns the bound.
template <class Backup>
double iterate(const Mdp& mdp, double tolerance, std::vector<double>& value, const Backup& backup) {
  if (!(mdp.discount >= 0 && mdp.discount < 1)) {
    throw UsageError(
        fmt::format("a plan without an end needs a discount from 0 to below 1, not {}", mdp.discount));
  }
  if (!(tolerance > 0)) throw UsageError(fmt::format("the tolerance must be positive, not {}", tolerance));
  value.resize(static_cast<std::size_t>(mdp.states), 0.0);
  std::vector<double> before;
  for (;;) {
    before = value;
    double change = 0;
    double largest = 0;
    for (std::size_t x = 0; x < value.size(); ++x) {
      value[x] = backup(static_cast<int>(x), before);
      change = std::max(change, std::abs(value[x] - before[x]));
      largest = std::max(largest, std::abs(value[x]));
    }
    const double bound = change * mdp.discount / (1 - mdp.discount);
    // Below a few units in the last place, sweeps no longer reduce the change: what is left is rounding.
    const double rounding = 4e-16 * largest / (1 - mdp.discount);
    if (bound <= std::max(tolerance, rounding)) return std::max(bound, rounding);
  }
}

}  // namespace

StationaryPlan stationary_plan(const Mdp& mdp, double tolerance, std::vector<double> from) {
  StationaryPlan plan;
  plan.value = std::move(from);
  std::vector<double> values(static_cast<std::size_t>(mdp.actions));
  const auto value_actions = [&](int x, const std::vector<double>& next_value) {
    for (int a = 0; a < mdp.actions; ++a) {
      values[static_cast<std::size_t>(a)] = action_value(mdp, x, a, next_value);
    }
  };
  plan.error = iterate(mdp, tolerance, plan.value, [&](int x, const std::vector<double>& next_value) {
    value_actions(x, next_value);
    return *std::ranges::max_element(values);
  });
  const double scale = value_scale(mdp, plan.value);
  for (int x = 0; x < mdp.states; ++x) {
    value_actions(x, plan.value);
    plan.action.push_back(first_best(values, {}, scale));
  }
  return plan;
}

StationaryPlan stationary_cross_value(const Mdp& mdp, const std::vector<int>& action, double tolerance) {
  StationaryPlan plan;
  plan.action = action;
  plan.error = iterate(mdp, tolerance, plan.value, [&](int x, const std::vector<double>& next_value) {
    return action_value(mdp, x, action[static_cast<std::size_t>(x)], next_value);
  });
  return plan;
}

PlanWorth stationary_worth(const Mdp& planned, std::span<const Mdp> worlds, const Stop& stop) {
  constexpr double kTolerance = 1e-300;  // rounding ends the sweeps
  StationaryPlan best = stationary_plan(planned, kTolerance);
  PlanWorth worth{std::move(best.value), {}};
  for (const Mdp& world : worlds) {
    stop.check();
    worth.other.push_back(stationary_cross_value(world, best.action, kTolerance).value);
  }
  return worth;
}

}  // namespace assay
