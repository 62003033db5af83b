// The reference solver: the optimal plan of a known environment, and the value of a plan in another
// environment.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/core/detail/stop.hpp"

namespace assay {

/// The actions and values with `h` steps to go, for every h up to the horizon.
struct Plan {
  std::vector<std::vector<int>> action;    // [h][state]; h = 0 is empty
  std::vector<std::vector<double>> value;  // [h][state]; h = 0 is all zero
  std::vector<std::vector<double>> delay;  // the same, for plans that earn early (below); otherwise empty
};

/// The tie rule of every solver: of the actions that differ from the best only by rounding, take the one
/// that earns earlier; of those that earn equally early, the one with the lowest number. Rounding is taken
/// as 1e-10 of `scale`, the size of the terms, so that the rule does not depend on the last bits.
///
/// How late an action earns is its delay D = E[ sum_t t gamma^t r_t ], which is gamma times the derivative
/// of its value with respect to the discount. Of two actions with the same value, the one with the smaller
/// delay is worth more under every slightly smaller discount. The delay obeys D = gamma E[ V' + D' ], where
/// V' and D' are the value and the delay of what follows. Without delays, the lowest number decides at once.
int first_best(std::span<const double> values, std::span<const double> delays, double scale);

namespace detail {
// Far above the rounding of a value, and far below any difference that matters.
inline constexpr double kTieSlack = 1e-10;

/// The same among `count` actions, whose values and delays are value(i) and delay(i).
template <class Value, class Delay>
std::size_t first_best_of(std::size_t count, const Value& value, const Delay& delay, double scale) {
  double best = value(0);
  for (std::size_t i = 1; i < count; ++i) best = std::max<double>(best, value(i));
  const double enough = best - kTieSlack * std::max(scale, std::abs(best));
  std::size_t found = count;
  double earliest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!(value(i) >= enough)) continue;
    const double late = delay(i);
    // A delay is a sum of values, so that its rounding has the same size.
    if (found < count && earliest - late <= kTieSlack * std::max(scale, std::abs(late))) continue;
    found = i;
    earliest = late;
  }
  return found;
}
}  // namespace detail

/// How a plan chooses among actions with the same value. The paper's cross-values depend on it: they belong
/// to plans that take the lowest number. Plans that an agent follows earn early.
enum class Ties { kLowest, kEarliest };

/// The largest reward or value of which the value of an action is the sum.
double value_scale(const Mdp& mdp, const std::vector<double>& next_value);

/// Backward induction (appendix A of the paper, first and third line).
Plan optimal_plan(const Mdp& mdp, int horizon, Ties ties = Ties::kLowest);

/// By state: what comes after the last step of a plan that earns early.
struct After {
  std::vector<double> value, delay;
};
/// The plan that earns early, if rewards come after its last step.
Plan optimal_plan(const Mdp& mdp, int horizon, After after);

/// The value of following `plan` in `mdp` with h = 0 .. `horizon` steps to go, as [h][state]. With the plan
/// of another environment this is the cross-value v^{e'}(x;e) (appendix A, second line).
std::vector<std::vector<double>> plan_value(const Mdp& mdp, const Plan& plan, int horizon);

/// The value of the optimal plan of one environment with all steps to go, by state: there and in other
/// environments.
struct PlanWorth {
  std::vector<double> own;                 // v^e(x;e)
  std::vector<std::vector<double>> other;  // [world][state]: the cross-values v^{e'}(x;e)
};

/// The same numbers as those of optimal_plan and plan_value, but the plan is not stored, so that the memory
/// does not grow with the horizon.
PlanWorth plan_worth(const Mdp& planned, std::span<const Mdp> worlds, int horizon, const Stop& stop = {});

/// R(x,a) + gamma E[next_value]: the right-hand side of every equation in this file.
double action_value(const Mdp& mdp, int state, int action, const std::vector<double>& next_value);

}  // namespace assay
