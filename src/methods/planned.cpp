#include "methods/planned.hpp"

#include <algorithm>
#include <utility>

namespace assay {
namespace {

// Up to this many values a plan by the clock costs no more than the sweeps of one without an end.
constexpr std::int64_t kMostClockedValues = 5'000;
// Further ahead nobody plans without an end: 1000 steps.
constexpr double kLongestDiscount = 0.999;
constexpr double kPlanTolerance = 1e-6;  // of the largest value there can be

}  // namespace

void ClockedPlan::solve(TabularMdp environment, int remaining) {
  environment.discount = discount_;
  clocked_ = std::int64_t{environment.states} * remaining <= kMostClockedValues;
  if (clocked_) {
    plan_ = optimal_plan(environment, remaining, Ties::kEarliest);
    return;
  }
  environment.discount = std::min({discount_, kLongestDiscount, 1 - 1.0 / remaining});
  const double largest = value_scale(environment, std::vector<double>{}) / (1 - environment.discount);
  const double tolerance = largest > 0 ? kPlanTolerance * largest : 1;
  endless_ = stationary_plan(environment, tolerance, std::move(endless_.value));
}

int ClockedPlan::action(int state, int remaining) const {
  const auto at = static_cast<std::size_t>(state);
  return clocked_ ? plan_.action[static_cast<std::size_t>(remaining)][at] : endless_.action[at];
}

std::string expectation_objection(const Problem& problem) {
  try {
    (void)problem.knowledge(default_kernel())->expected();
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

}  // namespace assay
