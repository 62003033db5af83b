// A policy chooses actions from what an agent sees; the episode loop runs it.
#pragma once

#include <functional>
#include <vector>

#include "assay/core/rng.hpp"
#include "assay/core/world.hpp"

namespace assay {

class Policy {
 public:
  virtual ~Policy() = default;
  /// An allowed action for the world's state, belief and clock. Called after arriving, before the action's
  /// outcome.
  [[nodiscard]] virtual int act(const World& world, Rng& rng) = 0;
};

/// One step of an episode, as it happened. `arrival_belief` is the belief that the action was chosen with.
struct StepRecord {
  int step = 0;
  int state = 0;
  Outcome arrival;
  int action = 0;
  Outcome outcome;
  std::string arrival_belief, outcome_belief;
};

struct EpisodeReturn {
  double discounted = 0;
  double undiscounted = 0;
};

/// Plays one episode. The world and the policy draw from different splits of `rng`. `watch`, if given, is
/// called after every step.
EpisodeReturn run_episode(World& world, Policy& policy, Rng rng,
                          const std::function<void(const World&, const StepRecord&)>& watch = {});

}  // namespace assay
