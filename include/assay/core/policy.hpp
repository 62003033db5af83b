// A policy chooses actions from what an agent sees, which is a Situation; an episode runs it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/core/detail/search_view.hpp"
#include "assay/core/rng.hpp"

namespace assay {

// Situation: all that an agent may see, which is the state, the clock and the belief.
//
// The true environment is not reachable from here. An agent that wants to think ahead copies the situation
// and draws an environment from its belief.

/// The step that brought an agent to its present state, and what that step paid.
struct LastStep {
  int state = 0;  // where the agent was
  int action = 0;
  double reward = 0;   // of the action
  double arrival = 0;  // of the arrival at the present state
};

class Situation {
 public:
  /// The agent is about to arrive at `state`, or has arrived there, at `step`. Throws UsageError if the
  /// problem has no such state or step.
  Situation(std::unique_ptr<Belief> belief, int state, int step);
  Situation(const Situation& other);
  Situation& operator=(const Situation& other);
  Situation(Situation&&) noexcept = default;
  Situation& operator=(Situation&&) noexcept = default;
  ~Situation() = default;

  [[nodiscard]] const Outline& outline() const { return belief_->outline(); }
  [[nodiscard]] int states() const { return outline().states; }
  [[nodiscard]] int actions() const { return outline().actions; }
  [[nodiscard]] int state() const { return state_; }
  [[nodiscard]] int step() const { return step_; }
  [[nodiscard]] const Belief& belief() const { return *belief_; }
  /// The number of steps to go, the present one included.
  [[nodiscard]] int remaining() const { return outline().horizon - step_; }
  [[nodiscard]] bool done() const { return step_ >= outline().horizon; }
  [[nodiscard]] bool allowed(int action) const { return belief_->allowed(state_, action); }
  /// The last step; none at the first decision of an episode.
  [[nodiscard]] const std::optional<LastStep>& last() const { return last_; }

  /// The agent arrives, with this outcome.
  void arrive(const Outcome& outcome);
  /// The agent acts, with this outcome, which leads to the next state and step.
  void act(int action, const Outcome& outcome);

 private:
  std::unique_ptr<Belief> belief_;
  int state_;
  int step_;
  std::optional<LastStep> last_;
};

class Environment;
class Oracle;

/// What a policy estimates for collecting at each state next, with the time that is left. Each vector is
/// [state], or empty if the policy has no such estimate.
struct Appraisal {
  std::vector<double> current;  // v^c: the value of present knowledge
  bool mean_plan = false;       // `current` is v^m, the value of the mean environment's plan, and not v^c
  std::vector<double> bound;    // B: what more knowledge could add at most
  std::vector<double> future;   // v^f: what more knowledge will add
  std::vector<double> total;
};

class Policy {
 public:
  virtual ~Policy() = default;
  /// An episode begins in this situation, or the agent is placed in the middle of one. The caller must call
  /// `begin` before it asks for actions. What a policy remembers of an earlier episode must not change what
  /// it does in this one.
  virtual void begin(const Situation& /*situation*/) {}
  /// Chooses an allowed action. It is called once in every step, after the arrival and before the action's
  /// outcome.
  [[nodiscard]] virtual int act(const Situation& situation, Rng& rng) = 0;
  /// The estimates that the choices rest on, for people. `rng` stands for the one of `act`.
  [[nodiscard]] virtual Appraisal appraise(const Situation& /*situation*/, Rng& /*rng*/) { return {}; }
  /// The tree that the last `act` searched: the given number of levels, and at most the given number of
  /// successors of each action. Empty if the policy does not search.
  [[nodiscard]] virtual SearchView searched(int /*levels*/, std::size_t /*successors*/) const { return {}; }
  /// An equal policy, for another thread.
  [[nodiscard]] virtual std::unique_ptr<Policy> clone() const = 0;
  /// Not null for policies that are ceilings rather than agents. The laboratory finds them by it.
  [[nodiscard]] virtual Oracle* oracle() { return nullptr; }
};

/// A ceiling that no agent can exceed: when an episode begins, the laboratory shows it the true environment.
class Oracle : public Policy {
 public:
  virtual void reveal(const Situation& situation, Environment& truth) = 0;
  [[nodiscard]] Oracle* oracle() final { return this; }
};

}  // namespace assay
