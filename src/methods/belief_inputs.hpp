// A belief's features as inputs of a network.
//
// Features are counts, rewards or probabilities of any size. They are shown as sign(n) log(1 + |n|); the
// probabilities of finitely many environments also as the logarithms of their odds, to which an observation
// adds about the same wherever they are. Of more than kMostInputs numbers, each is added to one of so many
// inputs with a sign that is drawn once (feature hashing; Weinberger et al. 2009). Below that limit nothing
// is lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "assay/core/belief.hpp"

namespace assay {

class BeliefInputs {
 public:
  static constexpr std::size_t kMostInputs = 512;

  explicit BeliefInputs(const Belief& prior);

  [[nodiscard]] std::size_t features() const { return features_; }
  [[nodiscard]] std::size_t count() const { return inputs_; }
  /// Writes [count()] inputs.
  void show(std::span<const double> features, std::span<float> inputs) const;

  [[nodiscard]] static float on_log_scale(double number);
  /// Which of several inputs an item of this number is added to, and in its first bit the sign.
  [[nodiscard]] static std::uint64_t hash_of(std::size_t number);

 private:
  std::size_t features_;
  bool odds_;  // the features are probabilities, and are shown twice
  bool hashed_;
  std::size_t inputs_;
};

}  // namespace assay
