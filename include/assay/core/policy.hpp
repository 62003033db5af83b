// A policy chooses actions from what an agent sees; an episode runs it.
#pragma once

#include <memory>
#include <vector>

#include "assay/core/detail/search_view.hpp"
#include "assay/core/rng.hpp"
#include "assay/core/situation.hpp"

namespace assay {

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
