// A policy chooses actions from what an agent sees; the episode loop runs it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "assay/core/rng.hpp"
#include "assay/core/search_view.hpp"
#include "assay/core/stop.hpp"
#include "assay/core/world.hpp"

namespace assay {

/// What a policy takes collecting at each state next to be worth, with what is known and the time that is
/// left. Each [state], or empty if the policy has no such number.
struct Appraisal {
  std::vector<double> current;  // v^c: with present knowledge
  bool mean_plan = false;       // `current` is v^m, of the mean environment's own plan, in place of v^c
  std::vector<double> bound;    // B: what more knowledge could add at most
  std::vector<double> future;   // v^f: what more knowledge will add
  std::vector<double> total;
};

class Policy {
 public:
  virtual ~Policy() = default;
  /// An episode begins in this world, or an agent is put into the middle of one. Whoever asks for actions
  /// says so first: what a policy remembers of another episode must not change what it does in this one.
  virtual void begin(const World& /*world*/) {}
  /// An allowed action for the world's state, belief and clock. Called once a step, after arriving and before
  /// the action's outcome.
  [[nodiscard]] virtual int act(const World& world, Rng& rng) = 0;
  /// What its choices rest on, for people. `rng` stands for the one of `act`.
  [[nodiscard]] virtual Appraisal appraise(const World& /*world*/, Rng& /*rng*/) { return {}; }
  /// What the last `act` searched through: so many levels of its tree, and at most so many ends of each
  /// action. Empty if the policy does not search.
  [[nodiscard]] virtual SearchView searched(int /*levels*/, std::size_t /*ends*/) const { return {}; }
  /// Another of the same, for another thread.
  [[nodiscard]] virtual std::unique_ptr<Policy> clone() const = 0;
};

/// A policy that is no agent's: the laboratory shows it the world, hidden environment and all, when an
/// episode begins. A line that nobody can beat.
class Oracle : public Policy {
 public:
  virtual void reveal(World& world) = 0;
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
  int decisions = 0;  // how many there were
  /// Undiscounted, of each of the repeated episodes; empty if there is one only.
  std::vector<double> repeated = {};
};

using EpisodeWatch = std::function<void(const World&, const StepRecord&)>;

/// Plays one episode. The world and the policy draw from different splits of `rng`. If given, `acted` is
/// called after every step and `arrived` in its middle, when the world shows what the action will be chosen
/// with. `stop` is asked at every step, which then throws Stopped.
EpisodeReturn run_episode(World& world, Policy& policy, Rng rng, const EpisodeWatch& acted = {},
                          const EpisodeWatch& arrived = {}, const Stop& stop = {});

}  // namespace assay
