// Situation: all that an agent may see. State, clock, belief.
//
// The true environment is not reachable from here. An agent that wants to think ahead copies the situation
// and draws an environment from its belief.
#pragma once

#include <memory>
#include <optional>

#include "assay/core/belief.hpp"

namespace assay {

/// The step that brought an agent to where it is, and what it was paid for it.
struct LastStep {
  int state = 0;  // where it was
  int action = 0;
  double reward = 0;   // of the action
  double arrival = 0;  // of arriving at the present state
};

class Situation {
 public:
  /// About to arrive at `state`, or arrived there, at `step`. Throws UsageError if the problem has no such
  /// state or step.
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
  /// Steps to go, the coming one included.
  [[nodiscard]] int remaining() const { return outline().horizon - step_; }
  [[nodiscard]] bool done() const { return step_ >= outline().horizon; }
  [[nodiscard]] bool allowed(int action) const { return belief_->allowed(state_, action); }
  /// Nothing at the first decision of an episode.
  [[nodiscard]] const std::optional<LastStep>& last() const { return last_; }

  /// The outcome of arriving.
  void arrive(const Outcome& outcome);
  /// The outcome of an action, which leads to the next state and step.
  void act(int action, const Outcome& outcome);

 private:
  std::unique_ptr<Belief> belief_;
  int state_;
  int step_;
  std::optional<LastStep> last_;
};

}  // namespace assay
