// A situation as inputs of a network: the state, the clock, and what is believed there.
//
// It works for every problem. What would be too large is summarised: of more than kMostStates states, each is
// added to one of so many inputs, and the features of the belief have a limit too (belief_inputs.hpp).
// Problems within these limits lose nothing.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "assay/problem/problem.hpp"
#include "methods/belief_inputs.hpp"

namespace assay {

class SituationInputs {
 public:
  static constexpr std::size_t kMostStates = 256;
  static constexpr int kRadius = 1;  // of the window of cells around the agent, where there is a grid

  explicit SituationInputs(const Problem& problem);

  /// How many inputs there are.
  [[nodiscard]] std::size_t count() const { return clock_at_ + kClocks + known_count(); }
  /// How many of them depend on the belief. These are kept with every decision; the others follow from the
  /// state and the clock.
  [[nodiscard]] std::size_t known_count() const { return window_count() + rewards_ + belief_.count(); }

  /// One thread's working memory.
  struct Scratch {
    std::vector<double> features;
  };
  /// What the belief says, for an agent at `state`: [known_count()]. On a grid the cells around the agent
  /// come first; then the expected reward of each action, and the belief's features. All numbers are shown
  /// as sign(n) log(1 + |n|), since counts and rewards can be of any size.
  void know(const Belief& belief, int state, Scratch& scratch, std::span<float> known) const;
  /// All inputs, from what `know` has written.
  void show(int state, int remaining, std::span<const float> known, std::span<float> inputs) const;

 private:
  static constexpr std::size_t kSide = 2 * kRadius + 1;
  static constexpr std::size_t kWindow = kSide * kSide;
  static constexpr std::size_t kClocks = 3;

  [[nodiscard]] std::size_t window_count() const { return windows_.empty() ? 0 : kWindow * channels_; }

  int horizon_;
  int each_;  // steps of an episode, of several in one environment
  std::size_t states_;
  std::size_t hashed_states_;
  std::size_t rewards_;  // inputs with the expected reward of an action
  BeliefInputs belief_;
  std::size_t cell_features_ = 0;
  std::size_t channels_ = 0;  // of the window: is there a cell, what it is expected to pay, its features
  std::size_t clock_at_;
  std::vector<int>
      windows_;  // [state][window]: the state at a cell near a state, or -1; empty without a grid
  std::vector<float> places_;  // [state][2]: row and column, from 0 to 1; empty without a grid
};

}  // namespace assay
