// The laboratory trains and tests methods on problems, as many runs at once as there are cores, and stores
// the results.
//
// An interrupted run continues from its last checkpoint, or from the test episodes played so far, and gives
// the same bits. A finished run is not repeated.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/problem/registry.hpp"
#include "lab/run_store.hpp"

namespace assay {

/// A run that is to be made.
struct Run {
  std::shared_ptr<const Problem> problem;
  std::shared_ptr<const Method> method;
  std::uint64_t seed = 0;
  int episodes = 2000;  // of the test
  std::uint64_t test_seed = 0;

  [[nodiscard]] RunSettings settings() const {
    return {problem->name(), method->name(), seed, episodes, test_seed};
  }
};

/// Throws UsageError if the method cannot be used on the problem.
Run make_run(std::shared_ptr<const Problem> problem, const std::string& method, std::uint64_t seed,
             int episodes, std::uint64_t test_seed);

struct LabProgress {
  std::size_t runs = 0;
  std::size_t finished = 0;
  double share = 0;       // the finished part of the work, as far as it can be estimated
  double epoch_rate = 0;  // epochs of training per second, over all runs
  double seconds = 0;     // since the beginning
};

/// make_runs throws it when it was asked to stop. Everything that was done is in the store.
class Interrupted : public Error {
 public:
  using Error::Error;
};

struct LabOptions {
  int threads = 0;  // 0 for all cores; it never changes a result
  double checkpoint_seconds = 2;
  RunContext context;
  /// Called with runs that their method cannot make (because of a limit or of memory) and the reason, never
  /// from two threads at once. It returns true if the other runs are to continue. Without it, the first such
  /// run ends all.
  std::function<bool(const Run&, const std::string&)> failed;
  std::function<void(const LabProgress&)> watch;  // called now and then, never from two threads at once
  Stop stop;  // looked at often, on any thread: when to save and throw Interrupted
};

/// Makes all runs that the store does not have yet, the longest first. Throws Interrupted, and the error of
/// a failed run unless `failed` accepts it.
void make_runs(const std::vector<Run>& runs, RunStore& store, const LabOptions& options);

/// The number of these runs that are unfinished in the store, to which --resume applies.
std::size_t interrupted_runs(const std::vector<Run>& runs, const RunStore& store);

/// Is the run there and finished?
bool is_finished(const RunStore& store, const Run& run);

/// The test returns of a finished run, undiscounted or discounted. Throws Error if there is no such run.
std::vector<double> test_returns(const RunStore& store, const Run& run);
std::vector<double> discounted_test_returns(const RunStore& store, const Run& run);

/// Is the mean loss over the last tenth of a training above `limit`, or not finite?
bool has_diverged(std::span<const EpochRecord> epochs, double limit);

/// The processor time that the test took; none if the store does not have it. It differs from one time to
/// the next.
std::optional<double> seconds_per_decision(const RunStore& store, const Run& run);

}  // namespace assay
