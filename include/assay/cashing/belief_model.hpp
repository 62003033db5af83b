// What a search among beliefs wants to know of a belief: what can happen next, and what it is worth without
// search.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "assay/core/rng.hpp"
#include "assay/core/world.hpp"
#include "assay/solver/knowledge.hpp"

namespace assay {

/// Of what is still to come for an agent that has arrived: collected with what is known, and told everything.
struct ValueBounds {
  double lower = 0, upper = 0;
};

/// Bounds of the root, and how unsure they are where environments were drawn.
struct RootBounds {
  double lower = 0, upper = 0;
  double lower_error = 0, upper_error = 0;  // standard errors
};

/// What a belief is worth as somebody learned it: to an agent that has arrived at `state`, with `remaining`
/// steps to go. If environments are drawn for it, then by the seed: one seed makes comparable values.
using LearnedValue =
    std::function<double(const Knowledge& known, int state, int remaining, std::uint64_t seed)>;

/// A way in which an action can end: arrived at a state, having learned something.
struct Possible {
  double probability = 0;  // of the action's ends
  int state = 0;
  std::uint64_t evidence = 0;  // as SimulatedStep::evidence
  std::uint32_t belief = 0;
  ValueBounds bounds;
  Outcome acted, arrived;
};

struct Prospect {
  int action = 0;
  double reward = 0;  // expected, of the action itself, and what `ends` do not say that is known anyway
  std::vector<Possible> ends;
};

/// Beliefs are numbers that stay valid until the next `begin`.
class BeliefModel {
 public:
  virtual ~BeliefModel() = default;
  /// What was kept of an agent's last step belongs to another episode.
  virtual void forget() {}
  /// What an agent in this world believes, having arrived.
  [[nodiscard]] virtual std::uint32_t begin(const World& world, Rng rng) = 0;
  [[nodiscard]] virtual ValueBounds bounds(std::uint32_t belief, int state, int remaining) = 0;
  /// Of what `begin` began with. These hold, up to their errors.
  [[nodiscard]] virtual RootBounds root_bounds(int state, int remaining) = 0;
  /// Is every belief worth at least its lower bound, or are both its values estimates, in any order?
  [[nodiscard]] virtual bool lower_holds() const = 0;
  /// Were all ends listed so far? What is backed up from drawn ones is an estimate.
  [[nodiscard]] virtual bool all_listed() const = 0;
  /// One prospect for every allowed action.
  virtual void look_ahead(std::uint32_t belief, int state, int remaining, std::vector<Prospect>& out) = 0;
  [[nodiscard]] virtual const Knowledge& knowledge(std::uint32_t belief) const = 0;
  [[nodiscard]] virtual double discount() const = 0;
  /// Values that differ by no more than this are not told apart.
  [[nodiscard]] virtual double resolution() const = 0;
};

}  // namespace assay
