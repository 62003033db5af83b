#include "methods/belief_inputs.hpp"

#include <algorithm>

#include "assay/core/belief.hpp"
#include "assay/core/detail/portable_math.hpp"

namespace assay {
namespace {

/// The logarithm of the odds, from -2 to 2.
float odds_of(double probability) {
  constexpr double kMost = 8;  // of the logarithm: nearly certain
  const double odds = portable::log(probability) - portable::log(1 - probability);
  return static_cast<float>(std::clamp(odds, -kMost, kMost) / 4);
}

}  // namespace

float BeliefInputs::on_log_scale(double number) {
  return static_cast<float>(number < 0 ? -portable::log(1 - number) : portable::log(1 + number));
}

std::uint64_t BeliefInputs::hash_of(std::size_t number) {
  return detail::spread(static_cast<std::uint64_t>(number) + 1);
}

BeliefInputs::BeliefInputs(const Belief& prior) : features_(prior.feature_count()), odds_(prior.finite()) {
  const std::size_t shown = odds_ ? 2 * features_ : features_;
  hashed_ = shown > kMostInputs;
  inputs_ = std::min(shown, kMostInputs);
}

void BeliefInputs::show(std::span<const double> features, std::span<float> inputs) const {
  if (hashed_) std::ranges::fill(inputs, 0.0F);
  const auto put = [&](std::size_t f, float shown) {
    if (!hashed_) {
      inputs[f] = shown;
    } else {
      const std::uint64_t hash = hash_of(f);
      inputs[hash % kMostInputs] += (hash >> 63U) != 0 ? shown : -shown;
    }
  };
  for (std::size_t f = 0; f < features_; ++f) {
    put(f, on_log_scale(features[f]));
    if (odds_) put(features_ + f, odds_of(features[f]));
  }
}

}  // namespace assay
