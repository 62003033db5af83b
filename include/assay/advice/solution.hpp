// What to do about a problem, what that is worth, and how sure that is.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/core/bounds.hpp"
#include "assay/core/policy.hpp"
#include "assay/core/stop.hpp"
#include "assay/lab/detail/policy_file.hpp"
#include "assay/problem/method.hpp"
#include "assay/problem/problem.hpp"

namespace assay {

/// A bound on the Bayes-optimal value. Certified, it holds; simulated, it holds as far as its interval says.
struct ValueBound {
  double value = 0;
  Interval interval;  // 95 %; both ends are the value if certified
  bool certified = false;
};

struct SourceUse {
  std::string source;
  double episodes = 0;                  // the share of episodes in which it is used
  double uses = 0;                      // in an episode, on average
  std::optional<double> value_without;  // if that was solved exactly in time
};

struct ActionShare {
  static constexpr int kOver = -1;  // the episode has come to where nothing happens any more
  int action = 0;
  double share = 0;  // of the episodes
};

struct Solution {
  static constexpr double kUnknown = std::numeric_limits<double>::infinity();

  std::string family, method;
  /// By the exact solver, or the bounds agree in all `decimals`.
  bool exact = false;
  int decimals = 6;  // of the values that may be certain, given their size
  ValueBound lower{-kUnknown, {-kUnknown, -kUnknown}, false};
  ValueBound upper{kUnknown, {kUnknown, kUnknown}, false};
  /// Was there no time to find a policy? The lower bound is that of the plan that ignores what will be seen.
  bool plan_only = false;
  std::optional<InformationValues> information;  // none if there was no time
  /// The best plan that ignores what will be seen (solver/fixed_plan.hpp); none if there was no time for it,
  /// or the environments are infinitely many and move differently.
  std::optional<Bounds> fixed_plan;
  std::uint64_t beliefs = 0;  // that were looked at
  /// Why it ended before it was finished; kNone if it was.
  StopReason stopped = StopReason::kNone;
  double seconds = 0;
  int episodes = 0;                                     // that were simulated
  std::vector<std::vector<ActionShare>> first_actions;  // [step], the most frequent first
  std::vector<SourceUse> sources;
  std::shared_ptr<Policy> policy;  // none if there was no time to find one
  PolicyFile file;                 // the same, to be kept

  [[nodiscard]] bool bounded() const { return lower.value > -kUnknown; }

  /// From the far end of one interval to that of the other: what is certified is its own interval.
  [[nodiscard]] double gap() const { return upper.interval.high - lower.interval.low; }
};

struct SolveOptions {
  std::string method = "auto";  // any registered one
  double seconds = 20;          // for everything
  std::uint64_t seed = 1;
  int episodes = 2000;  // to simulate
  int threads = 0;
  std::function<void(const SolveProgress&)> watch = {};
  Stop stop = {};  // a request to do with what there is, and a memory limit
};

Solution solve(const Problem& problem, const SolveOptions& options);

}  // namespace assay
