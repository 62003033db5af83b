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

/// What a policy takes collecting at each state next to be worth, with present knowledge and the time that is
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
  /// An episode begins in this situation, or an agent is put into the middle of one. Whoever asks for actions
  /// says so first: what a policy remembers of another episode must not change what it does in this one.
  virtual void begin(const Situation& /*situation*/) {}
  /// An allowed action. Called once a step, after arriving and before the action's outcome.
  [[nodiscard]] virtual int act(const Situation& situation, Rng& rng) = 0;
  /// What its choices rest on, for people. `rng` stands for the one of `act`.
  [[nodiscard]] virtual Appraisal appraise(const Situation& /*situation*/, Rng& /*rng*/) { return {}; }
  /// What the last `act` searched through: so many levels of its tree, and at most so many successors of each
  /// action. Empty if the policy does not search.
  [[nodiscard]] virtual SearchView searched(int /*levels*/, std::size_t /*successors*/) const { return {}; }
  /// Another of the same, for another thread.
  [[nodiscard]] virtual std::unique_ptr<Policy> clone() const = 0;
  /// The hook by which the laboratory finds the policies that are ceilings rather than agents.
  [[nodiscard]] virtual Oracle* oracle() { return nullptr; }
};

/// A ceiling that no agent can exceed: when an episode begins, the laboratory shows it the true environment.
class Oracle : public Policy {
 public:
  virtual void reveal(const Situation& situation, Environment& truth) = 0;
  [[nodiscard]] Oracle* oracle() final { return this; }
};

}  // namespace assay
