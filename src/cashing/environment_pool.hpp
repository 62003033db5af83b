// Environments drawn from a belief, and the value v^e of knowing each of them.
//
// The pool lives as long as an agent does. When something is learned, only what it is about is drawn anew,
// and values start from what they were: a few sweeps over the states are enough.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/core/policy.hpp"

namespace assay {

struct PoolSettings {
  std::size_t environments = 64;
  double discount = 1;
  double precision = 1e-3;  // of the largest reward: where sweeps end
};

class EnvironmentPool {
 public:
  /// For episodes of so many steps. If they are so long that the discount ends them earlier, values are those
  /// of episodes without end.
  EnvironmentPool(const Belief& prior, const PoolSettings& settings, int horizon);

  /// Draws from the belief of an agent in this situation. Environments of the same episode are kept as far as
  /// they can be.
  void know(const Situation& situation, Rng rng);
  /// What is known next belongs to another episode.
  void forget() { goes_on_ = false; }

  [[nodiscard]] std::size_t size() const { return members_.size(); }
  [[nodiscard]] bool endless() const { return endless_; }
  [[nodiscard]] double discount() const { return settings_.discount; }
  [[nodiscard]] Environment& environment(std::size_t which) { return *members_[which].environment; }

  /// v^e, about to arrive at a state.
  [[nodiscard]] float full_value(std::size_t which, int state, int remaining) const {
    return members_[which].full_values[place(state, remaining)];
  }
  /// The cross-values v^p(x; e) of a plan, [environment]: what doing plan[level][state] collects in each. The
  /// level is the number of steps to go; there is only level 0 if there is no end.
  [[nodiscard]] std::vector<double> collected(const std::vector<int>& plan, int state, int remaining) const;

 private:
  struct Member {
    std::unique_ptr<Environment> environment;
    Mdp table;
    std::vector<float> full_values;  // [level][state]
  };

  [[nodiscard]] std::size_t place(int state, int remaining) const {
    return static_cast<std::size_t>(endless_ ? 0 : remaining) * states_ + static_cast<std::size_t>(state);
  }
  [[nodiscard]] float look_ahead(const Mdp& table, std::size_t row, const float* values) const;
  [[nodiscard]] float best(const Mdp& table, std::size_t state, const float* values) const;
  void solve(Member& member, int sweeps) const;

  PoolSettings settings_;
  std::size_t states_, actions_;
  bool endless_;
  int remaining_ = 0;
  bool goes_on_ = false;  // with an episode
  std::vector<Member> members_;
  double settled_ = 0;  // a change of a value that does not count
};

}  // namespace assay
