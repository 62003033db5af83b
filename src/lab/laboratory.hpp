// The laboratory: trains and tests methods on problems, as many runs at once as there are cores, into a
// store.
//
// A run that was interrupted goes on from its last checkpoint, or from the episodes that it was tested on, to
// the same bits; a finished one is not repeated.
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

/// One run to be made.
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
  double share = 0;       // of the work, as far as it can be foreseen
  double epoch_rate = 0;  // epochs of training per second, over all runs
  double seconds = 0;     // since the beginning
};

/// Thrown by make_runs when it was asked to stop. All that was done is in the store.
class Interrupted : public Error {
 public:
  using Error::Error;
};

struct LabOptions {
  int threads = 0;  // 0 for all cores; never changes a result
  double checkpoint_seconds = 2;
  RunContext context;
  /// Told of runs that their method cannot make (a limit, no memory) and why, never from two threads at once:
  /// true if the others are to go on. Without it the first such run ends all.
  std::function<bool(const Run&, const std::string&)> failed;
  std::function<void(const LabProgress&)> watch;  // called now and then, never from two threads at once
  Stop stop;  // asked often, from any thread: when to save and throw Interrupted
};

/// Makes all runs that the store does not have yet, the longest first. Throws Interrupted, and what a run
/// failed by unless `failed` takes it.
void make_runs(const std::vector<Run>& runs, RunStore& store, const LabOptions& options);

/// How often the runs have been interrupted before: what --resume is about.
std::size_t interrupted_runs(const std::vector<Run>& runs, const RunStore& store);

/// Is the run there and finished?
bool is_finished(const RunStore& store, const Run& run);

/// A finished run's test returns, undiscounted or discounted. Throws Error if it is not there.
std::vector<double> test_returns(const RunStore& store, const Run& run);
std::vector<double> discounted_test_returns(const RunStore& store, const Run& run);

/// Is the loss over the last tenth of a training not finite, or above `limit` on average?
bool has_diverged(std::span<const EpochRecord> epochs, double limit);

/// Processor time that the test took; nothing if the store does not know. Not the same the next time.
std::optional<double> seconds_per_decision(const RunStore& store, const Run& run);

}  // namespace assay
