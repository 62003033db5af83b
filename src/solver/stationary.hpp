// Plans without an end: the infinite-horizon form of mdp.hpp, for discounts below 1.
//
// Value iteration contracts by the discount gamma: if a sweep changes no value by more than d, then no value
// is further than d gamma / (1 - gamma) from its limit. That bound, not a count of sweeps, decides when to
// stop.
#pragma once

#include <vector>

#include "assay/solver/detail/mdp.hpp"

namespace assay {

/// What to do for ever, and what it is worth to within `error`.
struct StationaryPlan {
  std::vector<int> action;    // [state], of actions of one value the lowest number
  std::vector<double> value;  // [state]
  double error = 0;
};

/// The optimal plan. Throws UsageError unless the discount is below 1 and the tolerance positive. `from` are
/// the values to start from, [state], for instance those of a similar environment; empty for zeros.
StationaryPlan stationary_plan(const Mdp& mdp, double tolerance, std::vector<double> from = {});

/// The value in `mdp` of doing `action[state]` for ever: with the plan of another environment, the
/// cross-value.
StationaryPlan stationary_cross_value(const Mdp& mdp, const std::vector<int>& action, double tolerance);

}  // namespace assay
