// Exploration of learners: epsilon-greedy, in which an exploratory action may be repeated for a while.
//
// Single random actions cancel each other: on a grid they are a random walk, which needs the square of a
// distance to get there. An action that is repeated while it is allowed is a run in one direction (sticky
// exploration; Dabney, Ostrovski and Barreto 2021 study it).
#pragma once

#include <cstddef>
#include <optional>

#include "assay/core/rng.hpp"

namespace assay {

class Exploration {
 public:
  /// `epsilon` is the share of exploratory actions in the long run. After each of them the same action is
  /// taken again with probability 1 - 1/sticky, as long as it is allowed, so that runs have the mean length
  /// `sticky`. With sticky = 1 this is the usual epsilon-greedy, with the same random numbers.
  Exploration(double epsilon, double sticky)
      : repeat_(1 - 1 / sticky),
        // Between runs there are (1 - p)/p greedy actions on average, and the share of the runs must be
        // epsilon: p = epsilon / (epsilon + sticky (1 - epsilon)).
        begin_(sticky == 1 || epsilon == 0 ? epsilon : epsilon / (epsilon + sticky * (1 - epsilon))) {}

  /// A new episode: the run of the last one is over.
  void begin() { running_ = false; }

  /// The exploratory choice among `count` possible ones, or nothing if the agent is to be greedy. `action_of`
  /// gives the action of a choice: choices at one state have numbers of their own, but a run goes on with
  /// the action.
  template <class ActionOf>
  [[nodiscard]] std::optional<std::size_t> choose(Rng& rng, std::size_t count, const ActionOf& action_of) {
    if (running_ && repeat_ > 0 && uniform(rng) < repeat_) {
      for (std::size_t i = 0; i < count; ++i) {
        if (action_of(i) == run_) return i;
      }
    }
    running_ = false;
    if (!(uniform(rng) < begin_)) return std::nullopt;
    const auto chosen = static_cast<std::size_t>(uniform_index(rng, count));
    run_ = action_of(chosen);
    running_ = true;
    return chosen;
  }

 private:
  double repeat_;
  double begin_;
  bool running_ = false;
  int run_ = 0;  // the action that is being repeated
};

}  // namespace assay
