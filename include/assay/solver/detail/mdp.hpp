// The reference solver: the optimal plan of a known environment, and the value of a plan in another one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "assay/core/mdp.hpp"
#include "assay/core/stop.hpp"

namespace assay {

/// What to do and what it is worth with `h` steps to go, for every h up to the horizon.
struct Plan {
  std::vector<std::vector<int>> action;    // [h][state]; h = 0 is empty
  std::vector<std::vector<double>> value;  // [h][state]; h = 0 is all zero
  std::vector<std::vector<double>> delay;  // the same, for plans that earn early (below); otherwise empty
};

/// The tie rule of every solver here: of the actions that only rounding tells apart from the best, the one
/// that earns earlier; of those that earn alike, the one with the lowest number. Rounding is 1e-10 of
/// `scale`, the size of what was added up, so that the rule does not depend on the last bit.
///
/// How late an action earns is its delay D = E[ sum_t t gamma^t r_t ], gamma times the derivative of its
/// value by the discount: of two actions of one value the one with the smaller delay is worth more under
/// every discount that is a little smaller. It obeys D = gamma E[ V' + D' ], V' and D' being the value and
/// the delay of what follows. Without delays, the lowest number decides at once.
int first_best(std::span<const double> values, std::span<const double> delays, double scale);

namespace detail {
// Far above what rounding does to a value, far below any difference that matters.
inline constexpr double kTieSlack = 1e-10;

/// The same among `count` of them, which value(i) and delay(i) tell about.
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
    // A delay adds up values, so that it is rounded like them.
    if (found < count && earliest - late <= kTieSlack * std::max(scale, std::abs(late))) continue;
    found = i;
    earliest = late;
  }
  return found;
}
}  // namespace detail

/// How a plan chooses among actions of one value. The paper's cross-values depend on it: they are those of
/// plans by the lowest number. Plans that an agent follows earn early.
enum class Ties { kLowest, kEarliest };

/// The largest reward or value that an action's value is made of.
double value_scale(const Mdp& mdp, const std::vector<double>& next_value);

/// Backward induction (appendix A of the paper, first and third line).
Plan optimal_plan(const Mdp& mdp, int horizon, Ties ties = Ties::kLowest);

/// What comes after the last step of a plan that earns early, by state.
struct After {
  std::vector<double> value, delay;
};
/// The plan that earns early if there is something after its last step.
Plan optimal_plan(const Mdp& mdp, int horizon, After after);

/// The value of following `plan` in `mdp` with h = 0 .. `horizon` steps to go, as [h][state]: with the plan
/// of another environment, the cross-value v^{e'}(x;e) (appendix A, second line).
std::vector<std::vector<double>> plan_value(const Mdp& mdp, const Plan& plan, int horizon);

/// What the optimal plan of one environment is worth with all steps to go, by state: there, and in others.
struct PlanWorth {
  std::vector<double> own;                 // v^e(x;e)
  std::vector<std::vector<double>> other;  // [world][state]: the cross-values v^{e'}(x;e)
};

/// The same numbers as optimal_plan and plan_value give, without keeping the plan: memory does not grow with
/// the horizon.
PlanWorth plan_worth(const Mdp& planned, std::span<const Mdp> worlds, int horizon, const Stop& stop = {});

/// R(x,a) + gamma E[next_value]: the right-hand side of every equation here.
double action_value(const Mdp& mdp, int state, int action, const std::vector<double>& next_value);

}  // namespace assay
