// The plain network: outputs against a plain rewriting in double, gradients against differences.
#include "nn/perceptron.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "assay/core/rng.hpp"

namespace assay {
namespace {

using Widths = std::vector<std::size_t>;

/// All outputs by the definition: [from][to] weights of each layer, then its biases.
std::vector<double> rewritten(const Widths& widths, const std::vector<double>& parameters,
                              std::vector<double> units) {
  std::size_t at = 0;
  for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
    std::vector<double> next(widths[l + 1]);
    for (std::size_t o = 0; o < next.size(); ++o) {
      next[o] = parameters[at + widths[l] * widths[l + 1] + o];
      for (std::size_t i = 0; i < widths[l]; ++i) {
        next[o] += units[i] * parameters[at + i * widths[l + 1] + o];
      }
      if (l + 2 < widths.size()) next[o] = std::max(next[o], 0.0);
    }
    at += (widths[l] + 1) * widths[l + 1];
    units = next;
  }
  return units;
}

struct Example {
  Perceptron network;
  std::vector<float> parameters;
  std::vector<float> inputs;
};

Example example(const Widths& widths, std::uint64_t seed) {
  Example made{Perceptron(widths), {}, {}};
  made.parameters.resize(made.network.parameters());
  made.network.initialise(Rng(seed), made.parameters);
  Rng rng(seed + 1);
  // Biases begin at zero; a test of them needs others.
  for (float& p : made.parameters) p += static_cast<float>(0.2 * uniform(rng) - 0.1);
  for (std::size_t i = 0; i < widths.front(); ++i) {
    made.inputs.push_back(i % 3 == 2 ? 0.0F : static_cast<float>(2 * uniform(rng) - 1));
  }
  return made;
}

const Widths kShapes[] = {{5, 3}, {7, 6, 4}, {19, 33, 17, 2}, {4, 3, 3, 3, 1}};

TEST(Perceptron, ComputesItsDefinition) {
  for (const Widths& widths : kShapes) {
    const Example e = example(widths, 3);
    Perceptron::Activity activity = e.network.activity();
    std::ranges::copy(e.inputs, e.network.inputs(activity).begin());
    e.network.evaluate(e.parameters, activity);
    const std::vector<double> due =
        rewritten(widths, {e.parameters.begin(), e.parameters.end()}, {e.inputs.begin(), e.inputs.end()});
    ASSERT_EQ(e.network.outputs(activity).size(), due.size());
    for (std::size_t o = 0; o < due.size(); ++o) {
      EXPECT_NEAR(static_cast<double>(e.network.outputs(activity)[o]), due[o], 1e-5) << o;
    }
  }
}

/// The differences are those of the rewriting in double: between the kinks of its ReLUs a network is linear
/// in each single parameter, so that a step that meets no kink has no error but rounding.
TEST(Perceptron, TheGradientIsTheSlope) {
  for (const Widths& widths : kShapes) {
    const Example e = example(widths, 5);
    Perceptron::Activity activity = e.network.activity();
    std::ranges::copy(e.inputs, e.network.inputs(activity).begin());
    e.network.evaluate(e.parameters, activity);
    const std::vector<double> inputs(e.inputs.begin(), e.inputs.end());
    std::vector<double> parameters(e.parameters.begin(), e.parameters.end());
    for (std::size_t output = 0; output < widths.back(); ++output) {
      std::vector<float> gradient(e.parameters.size(), 0.5F);
      e.network.add_gradient(e.parameters, activity, output, -2, gradient);
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        constexpr double kStep = 1e-6;
        const double before = parameters[i];
        parameters[i] = before + kStep;
        const double above = rewritten(widths, parameters, inputs)[output];
        parameters[i] = before - kStep;
        const double below = rewritten(widths, parameters, inputs)[output];
        parameters[i] = before;
        EXPECT_NEAR(static_cast<double>(gradient[i]), 0.5 - 2 * (above - below) / (2 * kStep), 2e-5)
            << "parameter " << i << ", output " << output;
      }
    }
  }
}

TEST(Perceptron, BeginsWithSignalsOfAboutOneSizeInEveryLayer) {
  // Of He's initialisation: the mean square of the units' inputs stays that of the first layer's, on average;
  // with 400 units a layer it differs by about sqrt(5/400) = 11 % in each of four.
  const Widths widths = {400, 400, 400, 400, 400, 1};
  const Perceptron network(widths);
  std::vector<float> parameters(network.parameters());
  network.initialise(Rng(1), parameters);
  Perceptron::Activity activity = network.activity();
  Rng rng(2);
  for (float& input : network.inputs(activity)) input = static_cast<float>(standard_normal(rng));
  network.evaluate(parameters, activity);
  double square = 0;
  for (std::size_t i = 4 * 400; i < 5 * 400; ++i) {
    square += static_cast<double>(activity.units[i]) * static_cast<double>(activity.units[i]) / 400;
  }
  // A ReLU passes half of the square, for which the width makes up.
  EXPECT_GT(square, 0.4);
  EXPECT_LT(square, 2.5);
  EXPECT_LT(std::abs(network.outputs(activity)[0]), 1);
}

}  // namespace
}  // namespace assay
