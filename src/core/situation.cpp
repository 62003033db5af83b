#include <fmt/format.h>

#include <utility>

#include "assay/core/error.hpp"
#include "assay/core/policy.hpp"

namespace assay {

Situation::Situation(std::unique_ptr<Belief> belief, int state, int step)
    : belief_(std::move(belief)), state_(state), step_(step) {
  if (state < 0 || state >= states() || step < 0 || step >= outline().horizon) {
    throw UsageError(fmt::format("an episode has no state {} at step {}: there are {} states and {} steps",
                                 state, step, states(), outline().horizon));
  }
}

Situation::Situation(const Situation& other)
    : belief_(other.belief_->clone()), state_(other.state_), step_(other.step_), last_(other.last_) {}

Situation& Situation::operator=(const Situation& other) {
  if (this != &other) *this = Situation(other);
  return *this;
}

void Situation::arrive(const Outcome& outcome) {
  belief_->observe(state_, kArrive, outcome);
  if (last_) last_->arrival = outcome.reward;
}

void Situation::act(int action, const Outcome& outcome) {
  belief_->observe(state_, action, outcome);
  last_ = {state_, action, outcome.reward, 0};
  state_ = outcome.next;
  ++step_;
}

}  // namespace assay
