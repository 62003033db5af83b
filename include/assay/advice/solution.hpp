// What to do about a problem, what that is worth, and how sure that is.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/core/policy.hpp"
#include "assay/lab/policy_file.hpp"
#include "assay/lab/statistics.hpp"
#include "assay/problem/problem.hpp"
#include "assay/solver/bounds.hpp"

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
  std::optional<double> value_without;  // if that was solved exactly
};

struct ActionShare {
  static constexpr int kOver = -1;  // the episode has come to where nothing happens any more
  int action = 0;
  double share = 0;  // of the episodes
};

struct Solution {
  std::string family, method;
  bool exact = false;
  ValueBound lower, upper;
  InformationValues information;
  Bounds fixed_plan;          // the best plan that ignores what will be seen (solver/fixed_plan.hpp)
  std::uint64_t beliefs = 0;  // that were looked at
  double seconds = 0;
  int episodes = 0;                                     // that were simulated
  std::vector<std::vector<ActionShare>> first_actions;  // [step], the most frequent first
  std::vector<SourceUse> sources;
  std::shared_ptr<Policy> policy;
  PolicyFile file;  // the same, to be kept

  /// From the far end of one interval to that of the other: what is certified is its own interval.
  [[nodiscard]] double gap() const { return upper.interval.high - lower.interval.low; }
};

struct SolveProgress {
  std::string stage;
  double lower = 0, upper = 0;  // NaN while there are none
  std::uint64_t beliefs = 0;
};

struct SolveOptions {
  /// "auto": exact if the beliefs are few, else a search for bounds if there are finitely many environments,
  /// else learning. Or a method to be used.
  std::string method = "auto";
  double seconds = 20;                   // for the search, or for learning
  std::uint64_t max_states = 2'000'000;  // beliefs that are few; 10 million if `method` says exact
  std::uint64_t seed = 1;
  int episodes = 2000;  // to simulate
  int threads = 0;
  std::function<void(const SolveProgress&)> watch = {};
  std::function<bool()> stop = {};  // asked now and then: shall it do with what there is?
};

Solution solve(const Problem& problem, const SolveOptions& options);

}  // namespace assay
