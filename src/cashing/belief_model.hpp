// What a search among beliefs wants to know of a belief: its successors, and bounds on its value that are
// known without search.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/core/detail/bounds.hpp"
#include "assay/core/policy.hpp"
#include "assay/core/rng.hpp"

namespace assay {

/// The value of a belief state as a network has learned it, for an agent that has arrived at `state` with
/// `remaining` steps to go. If environments are drawn for it, then by the seed: one seed makes comparable
/// values.
using LearnedValue = std::function<double(const Belief& known, int state, int remaining, std::uint64_t seed)>;

/// Beliefs are numbers that stay valid until the next `begin`. A value is what is still to come for an agent
/// that has arrived. Its lower bound is the value of present information, what can be collected without
/// learning more; its upper bound is the full-information value E[v^e].
class BeliefModel {
 public:
  /// A belief state that an action, with the arrival after it, may lead to.
  struct Successor {
    double probability = 0;  // given the action
    int state = 0;
    std::uint64_t evidence = 0;  // as SimulatedStep::evidence
    std::uint32_t belief = 0;
    Bounds bounds;
    Outcome acted, arrived;
  };
  struct Choice {
    int action = 0;
    double reward = 0;  // expected, of the action itself, and what is known of the successors as a whole
    std::vector<Successor> successors;
  };

  virtual ~BeliefModel() = default;
  /// Another episode begins: what was kept of an agent's last step does not hold there.
  virtual void forget() {}
  /// The belief of an agent in this situation, which has arrived.
  [[nodiscard]] virtual std::uint32_t begin(const Situation& situation, Rng rng) = 0;
  /// Where `lower_holds` says no, both are estimates, and the lower one may be the larger.
  [[nodiscard]] virtual Bounds bounds(std::uint32_t belief, int state, int remaining) = 0;
  /// Of the belief that `begin` began with. These hold, up to their errors.
  [[nodiscard]] virtual EstimatedBounds root_bounds(int state, int remaining) = 0;
  /// Is the value of every belief at least its lower bound?
  [[nodiscard]] virtual bool lower_holds() const = 0;
  /// Were all successors listed so far? What is backed up from drawn ones is an estimate.
  [[nodiscard]] virtual bool all_listed() const = 0;
  /// One choice for every allowed action.
  virtual void look_ahead(std::uint32_t belief, int state, int remaining, std::vector<Choice>& out) = 0;
  [[nodiscard]] virtual const Belief& knowledge(std::uint32_t belief) const = 0;
  [[nodiscard]] virtual double discount() const = 0;
  /// Values that differ by no more than this are not told apart.
  [[nodiscard]] virtual double resolution() const = 0;
};

}  // namespace assay
