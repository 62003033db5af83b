// What a search among beliefs wants to know of a belief: what can happen next, and what it is worth without
// search.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/core/rng.hpp"
#include "assay/core/world.hpp"

namespace assay {

/// Of what is still to come for an agent that has arrived: collected with what is known, and told everything.
struct ValueBounds {
  double lower = 0, upper = 0;
};

/// A way in which an action can end: arrived at a state, having learned something.
struct Possible {
  double probability = 0;  // of the action's ends
  double arrival = 0;      // reward
  int state = 0;
  std::uint64_t evidence = 0;  // as SimulatedStep::evidence
  std::uint32_t belief = 0;
  ValueBounds bounds;
};

struct Prospect {
  int action = 0;
  double reward = 0;  // expected, of the action itself
  std::vector<Possible> ends;
  double rest = 0;  // the probability of all ends that are not listed
  ValueBounds rest_bounds;
};

/// Beliefs are numbers that stay valid until the next `begin`.
class BeliefModel {
 public:
  virtual ~BeliefModel() = default;
  /// What an agent in this world believes, having arrived.
  [[nodiscard]] virtual std::uint32_t begin(const World& world, Rng rng) = 0;
  [[nodiscard]] virtual ValueBounds bounds(std::uint32_t belief, int state, int remaining) = 0;
  /// One prospect for every allowed action.
  virtual void look_ahead(std::uint32_t belief, int state, int remaining, std::vector<Prospect>& out) = 0;
  [[nodiscard]] virtual double discount() const = 0;
};

}  // namespace assay
