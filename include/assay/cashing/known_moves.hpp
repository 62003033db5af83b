// Many environments that move alike and pay differently, solved side by side.
//
// The same backward induction as solver/mdp.hpp, with one lane for every environment: what a search needs is
// the value of a few dozen beliefs at a time, each the mean of what it expects.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "assay/solver/knowledge.hpp"
#include "assay/solver/simulator.hpp"

namespace assay {

class KnownMoves {
 public:
  /// Throws UsageError unless all environments move alike.
  KnownMoves(const Knowledge& prior, double discount);

  /// Rewards of so many environments are about to be given.
  void resize(std::size_t lanes);
  [[nodiscard]] std::size_t lanes() const { return lanes_; }
  /// What a belief expects.
  void set(std::size_t lane, const Knowledge& knowledge);
  void set(std::size_t lane, Simulator& environment);

  /// About to arrive, with so many steps to go: [state][lane]. Level 0 is nothing.
  void solve(int remaining);
  /// The same for all numbers of steps up to `remaining`: [level][state][lane].
  void solve_all(int remaining, std::vector<float>& values) const;
  [[nodiscard]] float value(int state, std::size_t lane) const {
    return values_[static_cast<std::size_t>(state) * lanes_ + lane];
  }

  /// How often the plan that is best for the first environment collects each reward, discounted: about to
  /// arrive at `state`, with so many steps to go.
  [[nodiscard]] std::vector<double> collections(int state, int remaining) const;
  /// What so many collections are expected to pay.
  [[nodiscard]] double paid(const std::vector<double>& collections, const Knowledge& knowledge) const;

  [[nodiscard]] std::span<const int> allowed(int state) const {
    return allowed_[static_cast<std::size_t>(state)];
  }

 private:
  void step(const float* next, float* now) const;

  struct Choice {
    std::size_t reward;  // its slot
    std::uint32_t first_arc, end_arc;
  };
  struct Slot {
    int state, action;
  };

  std::size_t states_;
  float discount_;
  std::vector<std::vector<int>> allowed_;
  std::vector<std::vector<Choice>> choices_;  // [state]
  std::vector<TabularMdp::Arc> arcs_;
  std::vector<Slot> slots_;  // distinct rewards
  std::size_t lanes_ = 0;
  std::vector<float> rewards_;  // [slot][lane]
  std::vector<float> values_, scratch_;
};

}  // namespace assay
