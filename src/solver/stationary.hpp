// Optimal plans without an end: the infinite-horizon form of mdp.hpp, for discounts below 1.
//
// Value iteration contracts by the discount gamma: if a sweep changes no value by more than d, then no value
// is further than d gamma / (1 - gamma) from its limit. This bound decides when to stop, not a number of
// sweeps.
#pragma once

#include <span>
#include <vector>

#include "assay/solver/detail/mdp.hpp"

namespace assay {

/// The actions of a plan without an end, and its values to within `error`.
struct StationaryPlan {
  std::vector<int> action;    // [state]; the lowest number among actions of one value
  std::vector<double> value;  // [state]
  double error = 0;
};

/// The optimal plan. Throws UsageError unless the discount is below 1 and the tolerance positive. `from` are
/// the values to start from, [state], such as those of a similar environment; empty for zeros.
StationaryPlan stationary_plan(const Mdp& mdp, double tolerance, std::vector<double> from = {});

/// The value in `mdp` of doing `action[state]` without an end. With the plan of another environment it is
/// the cross-value.
StationaryPlan stationary_cross_value(const Mdp& mdp, const std::vector<int>& action, double tolerance);

/// The value of the optimal plan of one environment, there and in other environments: plan_worth without an
/// end, as exact as rounding allows.
PlanWorth stationary_worth(const Mdp& planned, std::span<const Mdp> worlds, const Stop& stop = {});

}  // namespace assay
