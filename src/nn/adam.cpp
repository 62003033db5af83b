#include "nn/adam.hpp"

#include <cmath>
#include <utility>

namespace assay {

void Adam::step(std::span<float> parameters, std::span<const float> gradient, double rate) {
  constexpr float kMeanDecay = 0.9F;
  constexpr float kSquareDecay = 0.999F;
  constexpr float kEpsilon = 1e-8F;
  mean_weight_ *= static_cast<double>(kMeanDecay);
  square_weight_ *= static_cast<double>(kSquareDecay);
  const auto step = static_cast<float>(rate / (1 - mean_weight_));
  const auto square_scale = static_cast<float>(1 / (1 - square_weight_));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    mean_[i] = kMeanDecay * mean_[i] + (1 - kMeanDecay) * gradient[i];
    square_[i] = kSquareDecay * square_[i] + (1 - kSquareDecay) * (gradient[i] * gradient[i]);
    parameters[i] -= step * mean_[i] / (std::sqrt(square_[i] * square_scale) + kEpsilon);
  }
}

void Adam::restore(std::vector<float> mean, std::vector<float> square, double mean_weight,
                   double square_weight) {
  mean_ = std::move(mean);
  square_ = std::move(square);
  mean_weight_ = mean_weight;
  square_weight_ = square_weight;
}

}  // namespace assay
