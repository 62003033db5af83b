// What to do about a problem, what that is worth, and how certain the answer is.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/core/detail/bounds.hpp"
#include "assay/core/detail/stop.hpp"
#include "assay/core/policy.hpp"
#include "assay/lab/detail/policy_file.hpp"
#include "assay/problem/method.hpp"
#include "assay/problem/problem.hpp"

namespace assay {

/// A bound on the Bayes-optimal value. A certified bound holds; a simulated one holds as far as its interval
/// says.
struct ValueBound {
  double value = 0;
  Interval interval;  // 95 %; both ends equal the value if it is certified
  bool certified = false;
};

struct SourceUse {
  std::string source;
  double episodes = 0;                  // the share of episodes in which the source is used
  double uses = 0;                      // uses in an episode, on average
  std::optional<double> value_without;  // if that problem was solved exactly in time
};

struct ActionShare {
  static constexpr int kOver = -1;  // no action: nothing can happen any more
  int action = 0;
  double share = 0;  // of the episodes
};

struct Solution {
  static constexpr double kUnknown = std::numeric_limits<double>::infinity();

  std::string family, method;
  /// The problem was solved exactly, or the bounds agree in all `decimals`.
  bool exact = false;
  int decimals = 6;  // how many decimals can be certain, given the size of the values
  ValueBound lower{-kUnknown, {-kUnknown, -kUnknown}, false};
  ValueBound upper{kUnknown, {kUnknown, kUnknown}, false};
  /// There was no time to find a policy. The lower bound is that of the plan that ignores what will be seen.
  bool plan_only = false;
  std::optional<InformationValues> information;  // none if there was no time
  /// The value of the best plan that ignores what will be seen (src/solver/fixed_plan.hpp). None if there
  /// was no time for it, or if there are infinitely many environments that move differently.
  std::optional<Bounds> fixed_plan;
  std::uint64_t beliefs = 0;  // how many beliefs were looked at
  /// Why the work ended before it was finished; kNone if it was finished.
  StopReason stopped = StopReason::kNone;
  double seconds = 0;
  int episodes = 0;                                     // how many episodes were simulated
  std::vector<std::vector<ActionShare>> first_actions;  // [step], the most frequent first
  std::vector<SourceUse> sources;
  std::shared_ptr<Policy> policy;  // none if there was no time to find one
  PolicyFile file;                 // the same policy, to be kept

  [[nodiscard]] bool bounded() const { return lower.value > -kUnknown; }

  /// The interval from the lowest end of the lower bound to the highest end of the upper bound. A certified
  /// bound has no width.
  [[nodiscard]] double gap() const { return upper.interval.high - lower.interval.low; }
};

struct SolveOptions {
  std::string method = "auto";  // any registered method
  double seconds = 20;          // time for the whole solution
  std::uint64_t seed = 1;
  int episodes = 2000;  // how many episodes are simulated
  int threads = 0;
  std::function<void(const SolveProgress&)> watch = {};
  Stop stop = {};  // a request to make do with what was found, and a memory limit
};

Solution solve(const Problem& problem, const SolveOptions& options);

}  // namespace assay
