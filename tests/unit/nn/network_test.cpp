// Networks: gradients against differences, outputs against a plain rewriting, Adam against its definition.
#include "nn/network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "assay/core/rng.hpp"
#include "nn/adam.hpp"

namespace assay {
namespace {

PatchNetwork::Patch patch_on_grid(int place, int rows, int columns) {
  PatchNetwork::Patch patch;
  for (int tap = 0; tap < 9; ++tap) {
    const int row = place / columns + tap / 3 - 1;
    const int column = place % columns + tap % 3 - 1;
    const bool inside = row >= 0 && row < rows && column >= 0 && column < columns;
    patch[static_cast<std::size_t>(tap)] = inside ? row * columns + column : -1;
  }
  return patch;
}

PatchNetwork grid_network(std::size_t channels, std::size_t hidden, float scale) {
  PatchNetwork::Shape shape{channels, hidden, scale, {}};
  for (int p = 0; p < 12; ++p) shape.patches.push_back(patch_on_grid(p, 3, 4));
  return PatchNetwork(shape);
}

Network::Seen random_inputs(std::size_t count, std::uint64_t seed) {
  Network::Seen seen;
  Rng rng(seed);
  for (std::size_t i = 0; i < count; ++i) seen.inputs.push_back(static_cast<float>(2 * uniform(rng) - 1));
  return seen;
}

/// Central differences in double would need a network in double; with floats the step must be large enough
/// for rounding (1e-7 of the score) and small enough for curvature. Piecewise linear in each parameter, a
/// ReLU network has no curvature but at its kinks, which `kinks` leaves room for.
void expect_gradient_is_slope(const Network& network, Network::Seen seen, int place, int kinks) {
  std::vector<float> parameters(network.parameters());
  network.initialise(Rng(3), parameters);
  for (float& p : parameters) p += 0.01F;  // also those that begin at zero
  network.see(parameters, seen);
  std::vector<float> gradient(parameters.size());
  network.add_gradient(parameters, seen, place, 2.0F, gradient);
  int wrong = 0;
  int moved = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    constexpr float kStep = 1.0F / 128;
    std::vector<float> up = parameters;
    std::vector<float> down = parameters;
    up[i] += kStep;
    down[i] -= kStep;
    network.see(up, seen);
    const double above = static_cast<double>(network.score(up, seen, place));
    network.see(down, seen);
    const double below = static_cast<double>(network.score(down, seen, place));
    const double slope = 2 * (above - below) / (2 * static_cast<double>(kStep));
    wrong += std::abs(slope - static_cast<double>(gradient[i])) > 2e-3 * (1 + std::abs(slope)) ? 1 : 0;
    moved += gradient[i] != 0 ? 1 : 0;
  }
  EXPECT_LE(wrong, kinks) << "of " << parameters.size();
  EXPECT_GT(moved, static_cast<int>(network.parameters() / 8)) << "hardly anything has a gradient";
}

TEST(Network, GradientOfPatchesIsTheSlope) {
  for (const int place : {0, 5, 11}) {  // a corner, the inside, another corner
    SCOPED_TRACE(place);
    expect_gradient_is_slope(grid_network(3, 7, 0.5F), random_inputs(36, 1), place, 6);
  }
}

TEST(Network, GradientOfTheDenseNetworkIsTheSlope) {
  expect_gradient_is_slope(DenseNetwork({10, 19, 4}), random_inputs(10, 2), 3, 6);
}

TEST(Network, GradientOfTheActionNetworkIsTheSlope) {
  expect_gradient_is_slope(ActionNetwork({.shared = 6, .own = 3, .hidden = 9, .places = 4}),
                           random_inputs(6 + 3 * 4, 2), 3, 6);
}

TEST(Network, AnActionNetworkKeepsWhatItsGradientNeeds) {
  const ActionNetwork network({.shared = 5, .own = 2, .hidden = 7, .places = 3});
  std::vector<float> w(network.parameters());
  network.initialise(Rng(5), w);
  Network::Seen seen = random_inputs(network.inputs(), 8);
  network.see(w, seen);
  for (int place = 0; place < 3; ++place) {
    Network::Seen kept;
    network.keep(seen, place, kept);
    EXPECT_LT(kept.inputs.size(), seen.inputs.size());
    EXPECT_EQ(network.score(w, kept, place), network.score(w, seen, place));
    std::vector<float> all(w.size()), few(w.size());
    network.add_gradient(w, seen, place, 1.5F, all);
    network.add_gradient(w, kept, place, 1.5F, few);
    EXPECT_EQ(all, few);
  }
}

TEST(Network, ScoreIsWhatTheAppendixDescribes) {
  const PatchNetwork network = grid_network(2, 20, 0.01F);
  std::vector<float> w(network.parameters());
  network.initialise(Rng(9), w);
  for (std::size_t i = 0; i < 12; ++i) w[w.size() - 12 + i] = static_cast<float>(i);  // the table
  const Network::Seen seen = random_inputs(24, 7);
  for (int place = 0; place < 12; ++place) {
    // Convolution, ReLU, 1x1 convolution, times 0.01, plus the table; in double.
    double sum = static_cast<double>(w[9 * 2 * 20 + 20 + 20]);
    for (std::size_t h = 0; h < 20; ++h) {
      double unit = static_cast<double>(w[9 * 2 * 20 + h]);
      const PatchNetwork::Patch patch = patch_on_grid(place, 3, 4);
      for (std::size_t tap = 0; tap < 9; ++tap) {
        for (std::size_t c = 0; c < 2 && patch[tap] >= 0; ++c) {
          unit += static_cast<double>(w[(tap * 2 + c) * 20 + h]) *
                  static_cast<double>(seen.inputs[c * 12 + static_cast<std::size_t>(patch[tap])]);
        }
      }
      sum += std::max(0.0, unit) * static_cast<double>(w[9 * 2 * 20 + 20 + h]);
    }
    EXPECT_NEAR(static_cast<double>(network.score(w, seen, place)), 0.01 * sum + place, 1e-5);
  }
}

TEST(Network, PlacesBeyondTheEdgeDoNotCount) {
  const PatchNetwork network = grid_network(1, 5, 1);
  std::vector<float> w(network.parameters());
  network.initialise(Rng(1), w);
  Network::Seen seen = random_inputs(12, 3);
  const float corner = network.score(w, seen, 0);
  for (const std::size_t far : {std::size_t{2}, std::size_t{6}, std::size_t{8}, std::size_t{11}}) {
    seen.inputs[far] += 100;
  }
  EXPECT_EQ(network.score(w, seen, 0), corner);
  seen.inputs[5] += 1;
  EXPECT_NE(network.score(w, seen, 0), corner);
}

TEST(Network, BeginsWithinOneOverTheRootOfItsInputs) {
  const DenseNetwork network({50, 30, 6});
  std::vector<float> w(network.parameters());
  network.initialise(Rng(4), w);
  const auto inside = [](std::span<const float> all, double width) {
    const auto [low, high] = std::ranges::minmax(all);
    return static_cast<double>(low) >= -width && static_cast<double>(high) <= width &&
           static_cast<double>(high) > 0.8 * width && static_cast<double>(low) < -0.8 * width;
  };
  EXPECT_TRUE(inside(std::span(w).first(50 * 30), 1 / std::sqrt(50.0)));
  EXPECT_TRUE(inside(std::span(w).subspan(50 * 30 + 30, 6 * 30), 1 / std::sqrt(30.0)));
}

TEST(Adam, FollowsItsDefinition) {
  Rng rng(5);
  Adam adam(3);
  std::vector<float> parameters = {1, -2, 3};
  std::vector<double> due = {1, -2, 3};
  std::vector<double> m(3);
  std::vector<double> v(3);
  for (int t = 1; t <= 50; ++t) {
    std::vector<float> gradient;
    for (int i = 0; i < 3; ++i) gradient.push_back(static_cast<float>(standard_normal(rng)));
    adam.step(parameters, gradient, 0.05);
    for (std::size_t i = 0; i < 3; ++i) {
      const auto g = static_cast<double>(gradient[i]);
      m[i] = 0.9 * m[i] + 0.1 * g;
      v[i] = 0.999 * v[i] + 0.001 * g * g;
      due[i] -= 0.05 * (m[i] / (1 - std::pow(0.9, t))) / (std::sqrt(v[i] / (1 - std::pow(0.999, t))) + 1e-8);
      EXPECT_NEAR(static_cast<double>(parameters[i]), due[i], 2e-5 * t);
    }
  }
}

TEST(Adam, FindsTheMinimumOfABowl) {
  Adam adam(2);
  std::vector<float> at = {4, -3};
  for (int t = 0; t < 2000; ++t) {
    const std::vector<float> gradient = {2 * (at[0] - 1), 20 * (at[1] - 2)};
    adam.step(at, gradient, 0.05 / (1 + 0.01 * t));
  }
  EXPECT_NEAR(at[0], 1, 1e-3);
  EXPECT_NEAR(at[1], 2, 1e-3);
}

}  // namespace
}  // namespace assay
