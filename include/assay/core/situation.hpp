// Situation: all that an agent may see, which is the state, the clock and the belief.
//
// The true environment is not reachable from here. An agent that wants to think ahead copies the situation
// and draws an environment from its belief.
#pragma once

#include <memory>
#include <optional>

#include "assay/core/belief.hpp"

namespace assay {

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

}  // namespace assay
