#include "nn/network.hpp"

#include <algorithm>
#include <cmath>

#include "assay/core/rng.hpp"
#include "nn/vector_math.hpp"

namespace assay {

using detail::add_scaled;
using detail::dot;

namespace {

void fill_uniformly(Rng& rng, std::span<float> numbers, std::size_t inputs) {
  const double width = 1 / std::sqrt(static_cast<double>(inputs));
  for (float& n : numbers) n = static_cast<float>(width * (2 * uniform(rng) - 1));
}

}  // namespace

void PatchNetwork::initialise(Rng rng, std::span<float> parameters) const {
  std::fill(parameters.begin(), parameters.end(), 0.0F);
  const bool grid = std::ranges::any_of(shape_.patches, [](const Patch& p) { return p[0] >= 0; });
  fill_uniformly(rng, parameters.first(output_at()), shape_.channels * (grid ? kPatch : 1));
  fill_uniformly(rng, parameters.subspan(output_at(), shape_.hidden + 1), shape_.hidden);
}

void PatchNetwork::hidden_of(std::span<const float> parameters, const Seen& seen, int place,
                             float* hidden) const {
  const std::size_t places = shape_.patches.size();
  std::copy_n(parameters.data() + bias_at(), shape_.hidden, hidden);
  const Patch& patch = shape_.patches[static_cast<std::size_t>(place)];
  for (std::size_t tap = 0; tap < kPatch; ++tap) {
    if (patch[tap] < 0) continue;
    for (std::size_t c = 0; c < shape_.channels; ++c) {
      const float input = seen.inputs[c * places + static_cast<std::size_t>(patch[tap])];
      add_scaled(hidden, parameters.data() + (tap * shape_.channels + c) * shape_.hidden, input,
                 shape_.hidden);
    }
  }
  for (std::size_t i = 0; i < shape_.hidden; ++i) hidden[i] = std::max(hidden[i], 0.0F);
}

float PatchNetwork::score(std::span<const float> parameters, const Seen& seen, int place) const {
  std::vector<float> hidden(shape_.hidden);
  hidden_of(parameters, seen, place, hidden.data());
  const float sum = dot(hidden.data(), parameters.data() + output_at(), shape_.hidden);
  return shape_.output_scale * (sum + parameters[output_bias_at()]) +
         parameters[table_at() + static_cast<std::size_t>(place)];
}

void PatchNetwork::add_gradient(std::span<const float> parameters, const Seen& seen, int place, float slope,
                                std::span<float> gradient) const {
  std::vector<float> hidden(shape_.hidden);
  hidden_of(parameters, seen, place, hidden.data());
  const std::size_t places = shape_.patches.size();
  const float scaled = slope * shape_.output_scale;
  add_scaled(gradient.data() + output_at(), hidden.data(), scaled, shape_.hidden);
  gradient[output_bias_at()] += scaled;
  gradient[table_at() + static_cast<std::size_t>(place)] += slope;

  std::vector<float>& back = hidden;  // from here on it holds the slope of each hidden unit
  for (std::size_t i = 0; i < shape_.hidden; ++i) {
    back[i] = hidden[i] > 0 ? scaled * parameters[output_at() + i] : 0.0F;
  }
  add_scaled(gradient.data() + bias_at(), back.data(), 1, shape_.hidden);
  const Patch& patch = shape_.patches[static_cast<std::size_t>(place)];
  for (std::size_t tap = 0; tap < kPatch; ++tap) {
    if (patch[tap] < 0) continue;
    for (std::size_t c = 0; c < shape_.channels; ++c) {
      const float input = seen.inputs[c * places + static_cast<std::size_t>(patch[tap])];
      add_scaled(gradient.data() + (tap * shape_.channels + c) * shape_.hidden, back.data(), input,
                 shape_.hidden);
    }
  }
}

void DenseNetwork::initialise(Rng rng, std::span<float> parameters) const {
  fill_uniformly(rng, parameters.first(output_at()), shape_.inputs);
  fill_uniformly(rng, parameters.subspan(output_at()), shape_.hidden);
}

void DenseNetwork::see(std::span<const float> parameters, Seen& seen) const {
  seen.hidden.assign(parameters.begin() + static_cast<std::ptrdiff_t>(bias_at()),
                     parameters.begin() + static_cast<std::ptrdiff_t>(output_at()));
  for (std::size_t i = 0; i < shape_.inputs; ++i) {
    add_scaled(seen.hidden.data(), parameters.data() + i * shape_.hidden, seen.inputs[i], shape_.hidden);
  }
  for (float& h : seen.hidden) h = std::max(h, 0.0F);
}

float DenseNetwork::score(std::span<const float> parameters, const Seen& seen, int place) const {
  const auto p = static_cast<std::size_t>(place);
  return dot(seen.hidden.data(), parameters.data() + output_at() + p * shape_.hidden, shape_.hidden) +
         parameters[output_bias_at() + p];
}

void DenseNetwork::add_gradient(std::span<const float> parameters, const Seen& seen, int place, float slope,
                                std::span<float> gradient) const {
  const auto p = static_cast<std::size_t>(place);
  const float* output = parameters.data() + output_at() + p * shape_.hidden;
  add_scaled(gradient.data() + output_at() + p * shape_.hidden, seen.hidden.data(), slope, shape_.hidden);
  gradient[output_bias_at() + p] += slope;
  std::vector<float> back(shape_.hidden);
  for (std::size_t i = 0; i < shape_.hidden; ++i) back[i] = seen.hidden[i] > 0 ? slope * output[i] : 0.0F;
  add_scaled(gradient.data() + bias_at(), back.data(), 1, shape_.hidden);
  for (std::size_t i = 0; i < shape_.inputs; ++i) {
    add_scaled(gradient.data() + i * shape_.hidden, back.data(), seen.inputs[i], shape_.hidden);
  }
}

void ActionNetwork::initialise(Rng rng, std::span<float> parameters) const {
  std::fill(parameters.begin(), parameters.end(), 0.0F);
  fill_uniformly(rng, parameters.first(own_at()), shape_.shared + shape_.own);
  fill_uniformly(rng, parameters.subspan(own_at(), row_at() - own_at()), shape_.shared + shape_.own);
  fill_uniformly(rng, parameters.subspan(output_at(), table_at() - output_at()), shape_.hidden);
}

void ActionNetwork::see(std::span<const float> parameters, Seen& seen) const {
  seen.only = -1;
  seen.hidden.assign(parameters.begin() + static_cast<std::ptrdiff_t>(bias_at()),
                     parameters.begin() + static_cast<std::ptrdiff_t>(own_at()));
  for (std::size_t i = 0; i < shape_.shared; ++i) {
    if (seen.inputs[i] == 0) continue;
    add_scaled(seen.hidden.data(), parameters.data() + i * shape_.hidden, seen.inputs[i], shape_.hidden);
  }
}

const float* ActionNetwork::own_inputs(const Seen& seen, int place) const {
  const auto row = static_cast<std::size_t>(seen.only < 0 ? place : 0);
  return seen.inputs.data() + shape_.shared + row * shape_.own;
}

void ActionNetwork::hidden_of(std::span<const float> parameters, const Seen& seen, int place,
                              float* hidden) const {
  const float* row = parameters.data() + row_at() + static_cast<std::size_t>(place) * shape_.hidden;
  for (std::size_t h = 0; h < shape_.hidden; ++h) hidden[h] = seen.hidden[h] + row[h];
  const float* own = own_inputs(seen, place);
  for (std::size_t i = 0; i < shape_.own; ++i) {
    add_scaled(hidden, parameters.data() + own_at() + i * shape_.hidden, own[i], shape_.hidden);
  }
  for (std::size_t h = 0; h < shape_.hidden; ++h) hidden[h] = std::max(hidden[h], 0.0F);
}

float ActionNetwork::score(std::span<const float> parameters, const Seen& seen, int place) const {
  const auto p = static_cast<std::size_t>(place);
  std::vector<float> hidden(shape_.hidden);
  hidden_of(parameters, seen, place, hidden.data());
  return dot(hidden.data(), parameters.data() + output_at() + p * shape_.hidden, shape_.hidden) +
         parameters[table_at() + p];
}

void ActionNetwork::add_gradient(std::span<const float> parameters, const Seen& seen, int place, float slope,
                                 std::span<float> gradient) const {
  const auto p = static_cast<std::size_t>(place);
  std::vector<float> hidden(shape_.hidden);
  hidden_of(parameters, seen, place, hidden.data());
  add_scaled(gradient.data() + output_at() + p * shape_.hidden, hidden.data(), slope, shape_.hidden);
  gradient[table_at() + p] += slope;

  std::vector<float>& back = hidden;  // from here on it holds the slope of each hidden unit
  const float* output = parameters.data() + output_at() + p * shape_.hidden;
  for (std::size_t h = 0; h < shape_.hidden; ++h) back[h] = hidden[h] > 0 ? slope * output[h] : 0.0F;
  add_scaled(gradient.data() + bias_at(), back.data(), 1, shape_.hidden);
  add_scaled(gradient.data() + row_at() + p * shape_.hidden, back.data(), 1, shape_.hidden);
  for (std::size_t i = 0; i < shape_.shared; ++i) {
    if (seen.inputs[i] == 0) continue;
    add_scaled(gradient.data() + i * shape_.hidden, back.data(), seen.inputs[i], shape_.hidden);
  }
  const float* own = own_inputs(seen, place);
  for (std::size_t i = 0; i < shape_.own; ++i) {
    add_scaled(gradient.data() + own_at() + i * shape_.hidden, back.data(), own[i], shape_.hidden);
  }
}

void ActionNetwork::keep(const Seen& seen, int place, Seen& into) const {
  into.only = place;
  into.hidden = seen.hidden;
  into.inputs.assign(seen.inputs.begin(), seen.inputs.begin() + static_cast<std::ptrdiff_t>(shape_.shared));
  const float* own = own_inputs(seen, place);
  into.inputs.insert(into.inputs.end(), own, own + shape_.own);
}

}  // namespace assay
