// Many environments that move alike and pay differently, solved side by side.
//
// The same backward induction as solver/mdp.hpp, with one lane for every environment: what a search needs is
// the value of a few dozen beliefs at a time, each the mean of what it expects.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "assay/core/belief.hpp"
#include "solver/cross_solver.hpp"

namespace assay {

class KnownMoves {
 public:
  /// Throws UsageError unless all environments move alike.
  KnownMoves(const Belief& prior, double discount);

  /// Rewards of so many environments are about to be given.
  void resize(std::size_t lanes);
  [[nodiscard]] std::size_t lanes() const { return lanes_; }
  /// What a belief expects.
  void set(std::size_t lane, const Belief& knowledge);
  void set(std::size_t lane, Environment& environment);
  /// What a lane pays for arriving at a state and doing its i-th allowed action there.
  [[nodiscard]] float reward(int state, std::size_t i, std::size_t lane) const {
    return rewards_[choices_[static_cast<std::size_t>(state)][i].reward * lanes_ + lane];
  }

  /// About to arrive, with so many steps to go. Nothing with none.
  void solve(int remaining);
  [[nodiscard]] float value(int state, std::size_t lane) const { return solver_.plan_value(lane, state); }
  /// What a lane's i-th allowed action at a state, where one has arrived, leads to: the mean of `value`.
  [[nodiscard]] float value_after(int state, std::size_t i, std::size_t lane) const;
  /// The same for all numbers of steps up to `remaining`: [level][state][lane].
  void solve_all(int remaining, std::vector<float>& values) const;

  /// How often the plan that is best for the first environment collects each reward, discounted: about to
  /// arrive at `state`, with so many steps to go.
  [[nodiscard]] std::vector<double> collections(int state, int remaining) const;
  /// The same for who is about to arrive at each state with this probability.
  [[nodiscard]] std::vector<double> collections(std::vector<double> here, int remaining) const;
  /// What so many collections are expected to pay.
  [[nodiscard]] double paid(const std::vector<double>& collections, const Belief& knowledge) const;
  [[nodiscard]] double paid(const std::vector<double>& collections, std::size_t lane) const;

  [[nodiscard]] std::span<const int> allowed(int state) const {
    return allowed_[static_cast<std::size_t>(state)];
  }
  /// Where the i-th allowed action leads.
  [[nodiscard]] std::span<const Mdp::Arc> arcs(int state, std::size_t i) const {
    const Choice& choice = choices_[static_cast<std::size_t>(state)][i];
    return std::span(moves_.arcs).subspan(choice.first_arc, choice.end_arc - choice.first_arc);
  }

 private:
  void step(const float* next, float* now) const;

  struct Choice {
    std::size_t reward;  // its slot
    std::uint32_t first_arc, end_arc;
  };

  std::size_t states_;
  float discount_;
  Mdp moves_;
  std::vector<std::vector<int>> allowed_;
  std::vector<std::vector<Choice>> choices_;  // [state]
  std::vector<StateAction> slots_;            // distinct rewards
  std::size_t lanes_ = 0;
  std::vector<float> rewards_;  // [slot][lane]
  // The same for the kernels.
  std::shared_ptr<const Dynamics> dynamics_;
  std::vector<std::size_t> slot_of_reward_;  // [reward of the dynamics]
  std::optional<EnvironmentBatch> batch_;
  CrossSolver solver_;
};

}  // namespace assay
