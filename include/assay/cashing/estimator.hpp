// How to average over the environments of a belief: a typed choice.
//
// v^c(x,b) is the mean of the cross-value v^{e'}(x;e) over independent e, e' from b (the paper's "value of
// current information"). These are the ways to get it, or a tighter value in its place.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace assay {

/// The paper's estimator: N plans e'_n, each valued in the same M worlds e_m. M = 1 is what it suggests; then
/// the spread of the worlds is unknown, and the standard error with it.
struct Crossed {
  std::size_t plans = 80;
  std::size_t worlds = 1;
};

/// N pairs, each plan in a world of its own. As cheap as Crossed with M = 1 and far less noisy.
struct Paired {
  std::size_t pairs = 80;
};

/// Exact over e, drawn over e': N plans, each valued in the posterior-mean environment. Values are linear in
/// the rewards, so this is the expectation over e when the transitions are known.
struct Linear {
  std::size_t plans = 80;
};

/// Sums over all pairs of a finite belief, in double precision: exact.
struct Summed {};

/// v^m: the value of the plan that is optimal for the mean environment, the best that does not count on
/// learning. At least v^c, and convex in the belief, so that what is cashed is never negative in expectation.
/// The draws serve the full-information value only.
struct MeanPlan {
  std::size_t draws = 80;
};

/// The best of N drawn plans. With known transitions each is valued exactly in the mean environment. Else it
/// is chosen in the first half of M worlds and valued in the second, so that its value is not flattered.
struct BestPlan {
  std::size_t plans = 80;
  std::size_t worlds = 80;
};

using Estimator = std::variant<Crossed, Paired, Linear, Summed, MeanPlan, BestPlan>;

/// "crossed", "paired", "linear", "summed", "mean", "best".
std::string estimator_name(const Estimator& estimator);
std::vector<std::string> estimator_names();
/// With this many draws. Throws UsageError for an unknown name.
Estimator estimator_named(std::string_view name, std::size_t draws);

}  // namespace assay
