#include "nn/perceptron.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "assay/core/rng.hpp"
#include "nn/vector_math.hpp"

namespace assay {
using detail::add_scaled;
using detail::dot;

Perceptron::Perceptron(std::vector<std::size_t> widths) : widths_(std::move(widths)) {
  for (std::size_t i = 0; i + 1 < widths_.size(); ++i) {
    layers_.push_back({widths_[i], widths_[i + 1], units_, parameters_});
    units_ += widths_[i];
    parameters_ += (widths_[i] + 1) * widths_[i + 1];
  }
  units_ += widths_.back();
}

Perceptron::Activity Perceptron::activity() const {
  return {std::vector<float>(units_), std::vector<float>(units_)};
}

void Perceptron::initialise(Rng rng, std::span<float> parameters) const {
  std::ranges::fill(parameters, 0.0F);
  for (const Layer& layer : layers_) {
    const bool last = &layer == &layers_.back();
    const double width = (last ? 0.1 : 1) * std::sqrt(6 / static_cast<double>(layer.from));
    for (float& weight : parameters.subspan(layer.weights, layer.from * layer.to)) {
      weight = static_cast<float>(width * (2 * uniform(rng) - 1));
    }
  }
}

void Perceptron::evaluate(std::span<const float> parameters, Activity& activity) const {
  for (const Layer& layer : layers_) {
    const float* in = activity.units.data() + layer.at;
    float* out = activity.units.data() + layer.at + layer.from;
    std::copy_n(parameters.data() + layer.biases(), layer.to, out);
    const float* row = parameters.data() + layer.weights;
    for (std::size_t i = 0; i < layer.from; ++i, row += layer.to) {
      if (in[i] != 0) add_scaled(out, row, in[i], layer.to);
    }
    if (&layer == &layers_.back()) break;
    for (std::size_t o = 0; o < layer.to; ++o) out[o] = std::max(out[o], 0.0F);
  }
}

void Perceptron::add_gradient(std::span<const float> parameters, Activity& activity, std::size_t output,
                              float slope, std::span<float> gradient) const {
  std::fill(activity.slopes.end() - static_cast<std::ptrdiff_t>(outputs()), activity.slopes.end(), 0.0F);
  activity.slopes[units_ - outputs() + output] = slope;
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Layer& layer = layers_[l];
    const float* in = activity.units.data() + layer.at;
    float* back = activity.slopes.data() + layer.at;
    const float* out = back + layer.from;
    add_scaled(gradient.data() + layer.biases(), out, 1, layer.to);
    for (std::size_t i = 0; i < layer.from; ++i) {
      back[i] = 0;
      if (in[i] == 0) continue;  // nothing passes a ReLU that is shut, and a zero has no share in the slope
      const std::size_t row = layer.weights + i * layer.to;
      add_scaled(gradient.data() + row, out, in[i], layer.to);
      if (l > 0) back[i] = dot(parameters.data() + row, out, layer.to);
    }
  }
}

}  // namespace assay
