// Episode: a situation with its true environment, and the loop that plays it.
//
// Only the laboratory holds an episode with the truth (Problem::episode). Learners practise in episodes whose
// environment is drawn from the prior (Problem::practice). A policy is given the situation alone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/core/detail/stop.hpp"
#include "assay/core/policy.hpp"

namespace assay {

class Episode {
 public:
  /// Starts an episode. The outcomes are drawn from `rng`.
  Episode(Situation situation, std::unique_ptr<Environment> truth, Rng rng)
      : situation_(std::move(situation)), truth_(std::move(truth)), rng_(rng) {}

  [[nodiscard]] const Situation& situation() const { return situation_; }
  [[nodiscard]] Environment& truth() { return *truth_; }
  [[nodiscard]] bool done() const { return situation_.done(); }
  Outcome arrive();
  /// Throws UsageError if the action is not allowed or the episode is over.
  Outcome act(int action);

 private:
  Outcome happen(int action);

  Situation situation_;
  std::unique_ptr<Environment> truth_;
  Rng rng_;
};

namespace detail {
/// How the stream of an episode is split. Steps have streams of their own, so that the outcome at step t
/// does not depend on how many random numbers earlier steps used.
enum EpisodeStream : std::uint64_t { kEnvironmentStream, kStartStream, kFirstStepStream };
}  // namespace detail

/// One step of an episode, as it happened.
struct StepRecord {
  int step = 0;
  int state = 0;
  Outcome arrival;
  int action = 0;
  Outcome outcome;
};

struct EpisodeReturn {
  double discounted = 0;
  double undiscounted = 0;
  int decisions = 0;  // how many decisions there were
  /// The undiscounted return of each of the repeated episodes; empty if there is only one.
  std::vector<double> repeated = {};
};

/// A function that sees the situation after a step, or in the middle of one.
using EpisodeWatch = std::function<void(const Situation&, const StepRecord&)>;

struct EpisodeWatches {
  EpisodeWatch acted = {};    // called after every step
  EpisodeWatch arrived = {};  // called when the situation is the one in which the action will be chosen
  Stop stop = {};             // looked at in every step, which then throws Stopped
};

/// Plays an episode to its end. The policy draws from `rng`.
EpisodeReturn run_episode(Episode& episode, Policy& policy, Rng rng, const EpisodeWatches& watches = {});

}  // namespace assay
