#include "assay/core/detail/outline.hpp"

#include <fmt/format.h>

#include <cmath>

#include "assay/core/error.hpp"

namespace assay {

int cut_steps(double discount, double tolerance) {
  constexpr int kMost = 1'000'000;
  if (!(discount >= 0 && discount < 1)) {
    throw UsageError(fmt::format(
        "an endless problem needs a discount from 0 to below 1, not {}: give it one, or a horizon",
        discount));
  }
  if (!(tolerance > 0 && tolerance < 1)) {
    throw UsageError(fmt::format("a tolerance of {}: it is above 0 and below 1", tolerance));
  }
  int steps = 1;
  for (double weight = discount; weight > tolerance; weight *= discount) {
    if (++steps > kMost) {
      throw UsageError(fmt::format(
          "with a discount of {} rewards have a weight above {} for more than {} steps: lower the discount, "
          "or raise the tolerance",
          discount, tolerance, kMost));
    }
  }
  return steps;
}

Cut cut_at(double discount, double tolerance, const Interval& rewards) {
  const double weight = std::pow(discount, cut_steps(discount, tolerance));
  const Interval endless{rewards.low / (1 - discount), rewards.high / (1 - discount)};
  return {tolerance, rewards, {weight * endless.low, weight * endless.high}, endless};
}

std::string cut_text(const Outline& outline) {
  if (!outline.cut) return "";
  return fmt::format(
      "endless: episodes are cut after {} steps, and the steps after that are worth {:.4g} to {:.4g}",
      outline.horizon, outline.cut->tail.low, outline.cut->tail.high);
}

namespace detail {
void throw_unknown_rewards() {
  throw UsageError(
      "an endless problem must say what a step pays at least and at most: give the model a member "
      "reward_range");
}
}  // namespace detail

}  // namespace assay
