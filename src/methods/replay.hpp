// Replay: a ring of the latest episodes, from which single decisions are drawn with equal probability.
//
// A decision is kept once, with what an agent knew when it took it. What it led to n steps later is the
// decision n places behind it, so that returns of any number of steps cost no memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assay/core/rng.hpp"

namespace assay {

class Replay {
 public:
  struct Decision {
    int state = 0;
    int remaining = 0;  // steps to go, this one included
    int action = 0;
    bool explored = false;  // the action was random
    /// Until the next decision: what the action paid, and the discounted pay of the arrival after it.
    float reward = 0;
  };
  /// An episode of decisions, with the numbers that describe what was known at each: [decision][number].
  struct Played {
    std::vector<Decision> decisions;
    std::vector<float> numbers;
  };

  /// Room for so many episodes, all of the same length.
  Replay(std::size_t episodes, std::size_t length, std::size_t numbers);

  /// Takes the place of the oldest episode once the ring is full.
  void add(const Played& episode);
  /// Of an empty ring: counts so many episodes that are not there, because later ones have replaced them.
  void skip(std::uint64_t episodes) { first_ = added_ = episodes; }

  /// How many episodes there are, and how many there have been.
  [[nodiscard]] std::size_t episodes() const;
  [[nodiscard]] std::uint64_t added() const { return added_; }
  [[nodiscard]] std::size_t length() const { return length_; }
  [[nodiscard]] std::size_t decisions() const { return episodes() * length_; }
  /// A decision of the episode that was added as the n-th.
  [[nodiscard]] std::size_t index(std::uint64_t episode, std::size_t step) const {
    return static_cast<std::size_t>(episode % episodes_) * length_ + step;
  }
  /// Bytes for each decision.
  [[nodiscard]] static double bytes_each(std::size_t numbers) {
    return static_cast<double>(sizeof(Decision) + numbers * sizeof(float));
  }

  /// Every decision has the same probability.
  [[nodiscard]] std::size_t draw(Rng& rng) const;
  [[nodiscard]] const Decision& decision(std::size_t index) const { return kept_[index]; }
  [[nodiscard]] std::span<const float> numbers(std::size_t index) const {
    return std::span(kept_numbers_).subspan(index * numbers_, numbers_);
  }

  /// What the first steps from a decision paid, and the decision after them, if the episode had one.
  struct Return {
    double reward = 0;  // discounted
    double weight = 1;  // the discount of what comes after them
    std::optional<std::size_t> next;
  };
  /// With `cut`, the sum ends before the next random action (Watkins 1989): what such an action leads to is
  /// not what the decision is worth, to an agent that does better.
  [[nodiscard]] Return steps_from(std::size_t index, int steps, double discount, bool cut) const;

 private:
  std::size_t episodes_, length_, numbers_;
  std::uint64_t first_ = 0;  // that was not skipped
  std::uint64_t added_ = 0;
  std::vector<Decision> kept_;
  std::vector<float> kept_numbers_;
};

}  // namespace assay
