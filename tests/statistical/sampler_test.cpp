// The continuous samplers against their laws.
//
// Tolerance: Kolmogorov-Smirnov at level 1e-6 / 500 for every comparison (support/ks.hpp): with kSamplerDraws
// = 100 000 draws a distance of 0.0102 is the most that is accepted. Rarer faults, in atoms, have tests of
// their own with more draws (sampler_atoms_test.cpp).
#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "assay/core/rng.hpp"
#include "support/ks.hpp"
#include "support/reference_laws.hpp"

namespace assay {
namespace {

using laws::ks_distance;
using laws::ks_threshold;
using laws::log_gamma_cdf;
using laws::logit_beta_cdf;
using laws::Rounding;

constexpr std::size_t kSamplerDraws = 100000;
const std::vector<double> kShapes = {0.01, 0.03, 0.1, 0.3, 0.5, 1, 1.5, 3, 10, 100, 1e3, 1e4};
const std::vector<std::pair<double, double>> kPairs = {
    {0.01, 0.01}, {0.01, 1}, {0.01, 1e4}, {1e4, 0.01}, {0.03, 0.3}, {0.1, 1},  {1, 0.1}, {0.5, 0.5},
    {1, 1},       {1.1, 6},  {2, 3},      {10, 0.5},   {3, 100},    {1e3, 10}, {1, 1e4}, {1e4, 1e4}};

template <class Real>
std::vector<Real> draw(std::uint64_t seed, const std::function<Real(Rng&)>& sampler) {
  Rng rng(seed);
  std::vector<Real> draws(kSamplerDraws);
  for (Real& value : draws) value = sampler(rng);
  return draws;
}

template <class Real>
void expect_all_finite(const std::vector<Real>& draws, double low, double high) {
  for (const Real v : draws) ASSERT_TRUE(std::isfinite(v) && v >= low && v <= high) << v;
}

std::string of(double shape) { return "Gamma(" + std::to_string(shape) + ")"; }
std::string of(double a, double b) { return "Beta(" + std::to_string(a) + ", " + std::to_string(b) + ")"; }

template <class Real>
double gamma_distance(const std::vector<Real>& draws, double shape) {
  return ks_distance(
      draws, [&](Real v) { return log_gamma_cdf(shape, Rounding<Real>::log_lower(v)); },
      [&](Real v) { return log_gamma_cdf(shape, Rounding<Real>::log_upper(v)); });
}

template <class Real>
double beta_distance(const std::vector<Real>& draws, double a, double b) {
  return ks_distance(
      draws, [&](Real v) { return logit_beta_cdf(a, b, Rounding<Real>::logit_lower(v)); },
      [&](Real v) { return logit_beta_cdf(a, b, Rounding<Real>::logit_upper(v)); });
}

TEST(ReferenceLaws, MeetTheirTailsSmoothly) {
  // Boost is accurate at these shapes up to the point where the series takes over, and the series from there
  // on.
  const double t = laws::kDeepTail;
  for (const double shape : kShapes) {
    if (shape > 10) continue;  // below 1e-170: Boost reports an overflow on the way to it
    const double boosts = boost::math::gamma_p(shape, std::exp(t));
    EXPECT_NEAR(boosts, laws::log_gamma_tail(shape, t), 1e-10 * boosts) << of(shape);
  }
  for (const auto& [a, b] : kPairs) {
    const double boosts = boost::math::ibeta(a, b, std::exp(t) / (1 + std::exp(t)));
    EXPECT_NEAR(boosts, laws::logit_beta_tail(a, b, t), 1e-9 * boosts) << of(a, b);
  }
}

TEST(ReferenceLaws, AreSymmetricAndIncreasing) {
  for (const auto& [a, b] : kPairs) {
    double last = 0;
    for (double t = -800; t <= 800; t += 0.25) {
      const double p = logit_beta_cdf(a, b, t);
      // Far below what KS can tell apart. Boost's own shortcut for Beta(0.5, 0.5) is off by 1e-11.
      EXPECT_GE(p, last - 1e-10) << of(a, b) << " at " << t;
      EXPECT_NEAR(p, 1 - logit_beta_cdf(b, a, -t), 1e-10) << of(a, b) << " at " << t;
      last = p;
    }
  }
}

TEST(Gamma, HasItsLawAsALogarithm) {
  std::uint64_t seed = 100;
  for (const double shape : kShapes) {
    const auto draws = draw<double>(++seed, [&](Rng& rng) { return log_gamma_variate(rng, shape); });
    expect_all_finite(draws, -1e5, 1e5);
    EXPECT_LT(ks_distance(draws, [&](double t) { return log_gamma_cdf(shape, t); }),
              ks_threshold(kSamplerDraws))
        << of(shape);
  }
}

template <class Real>
class RoundedSamplers : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RoundedSamplers, Reals);

TYPED_TEST(RoundedSamplers, DrawGammaVariatesAsTheRoundingOfTheirLaw) {
  std::uint64_t seed = 200;
  for (const double shape : kShapes) {
    const auto draws = draw<TypeParam>(++seed, [&](Rng& rng) { return gamma<TypeParam>(rng, shape); });
    expect_all_finite(draws, 0, 1e6);
    EXPECT_LT(gamma_distance(draws, shape), ks_threshold(kSamplerDraws)) << of(shape);
  }
}

TEST(Beta, HasItsLawAsLogOdds) {
  std::uint64_t seed = 300;
  for (const auto& [a, b] : kPairs) {
    const auto draws =
        draw<double>(++seed, [a = a, b = b](Rng& rng) { return logit_beta_variate(rng, a, b); });
    expect_all_finite(draws, -1e5, 1e5);
    EXPECT_LT(ks_distance(draws, [a = a, b = b](double t) { return logit_beta_cdf(a, b, t); }),
              ks_threshold(kSamplerDraws))
        << of(a, b);
  }
}

TYPED_TEST(RoundedSamplers, DrawBetaVariatesAsTheRoundingOfTheirLaw) {
  std::uint64_t seed = 400;
  for (const auto& [a, b] : kPairs) {
    const auto draws =
        draw<TypeParam>(++seed, [a = a, b = b](Rng& rng) { return beta<TypeParam>(rng, a, b); });
    expect_all_finite(draws, 0, 1);
    EXPECT_LT(beta_distance(draws, a, b), ks_threshold(kSamplerDraws)) << of(a, b);
  }
}

TYPED_TEST(RoundedSamplers, DrawDirichletVariatesWithBetaMarginals) {
  // X_i ~ Beta(a_i, sum of the others); the marginal of each component is tested on its own.
  const std::vector<std::vector<double>> all_shapes = {
      {0.01, 0.01, 0.01},        {0.03, 0.3, 3, 30}, {0.1, 1, 5}, {1, 1},
      {0.5, 0.5, 0.5, 0.5, 0.5}, {100, 1e4, 1e3},    {0.01, 1e4}};
  std::uint64_t seed = 500;
  for (const auto& shapes : all_shapes) {
    Rng rng(++seed);
    std::vector<std::vector<TypeParam>> components(shapes.size(), std::vector<TypeParam>(kSamplerDraws));
    std::vector<TypeParam> out(shapes.size());
    for (std::size_t n = 0; n < kSamplerDraws; ++n) {
      dirichlet(rng, shapes, std::span<TypeParam>(out));
      double sum = 0;
      for (std::size_t i = 0; i < shapes.size(); ++i) {
        components[i][n] = out[i];
        sum += static_cast<double>(out[i]);
      }
      ASSERT_NEAR(sum, 1, static_cast<double>(shapes.size()) * std::numeric_limits<TypeParam>::epsilon());
    }
    double total = 0;
    for (const double shape : shapes) total += shape;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      expect_all_finite(components[i], 0, 1);
      EXPECT_LT(beta_distance(components[i], shapes[i], total - shapes[i]), ks_threshold(kSamplerDraws))
          << "component " << i << " of the Dirichlet with seed " << seed;
    }
  }
}

TEST(Dirichlet, DrawsTheSameInFloatAsInDouble) {
  const std::vector<double> shapes = {0.01, 0.5, 2};
  Rng narrow(600);
  Rng wide(600);
  std::vector<float> floats(3);
  std::vector<double> doubles(3);
  for (int i = 0; i < 1000; ++i) {
    dirichlet(narrow, shapes, std::span<float>(floats));
    dirichlet(wide, shapes, std::span<double>(doubles));
    for (std::size_t c = 0; c < 3; ++c) ASSERT_EQ(floats[c], static_cast<float>(doubles[c]));
  }
}

TEST(Dirichlet, SplitsIndependentlyOfItsLargestPart) {
  // Neutrality: X_1 / (X_1 + X_2) ~ Beta(a_1, a_2), whatever the rest. Marginals alone would not see a
  // dependence.
  const std::vector<double> shapes = {0.5, 1.5, 4};
  const auto shares = draw<double>(700, [&](Rng& rng) {
    std::vector<double> out(3);
    dirichlet(rng, shapes, std::span<double>(out));
    return std::log(out[0]) - std::log(out[1]);
  });
  EXPECT_LT(ks_distance(shares, [](double t) { return logit_beta_cdf(0.5, 1.5, t); }),
            ks_threshold(kSamplerDraws));
}

TYPED_TEST(RoundedSamplers, DrawNormalVariates) {
  std::uint64_t seed = 800;
  for (const auto& [mean, deviation] : {std::pair{0.0, 1.0}, {5.0, 0.1}, {-1e3, 1e3}, {0.0, 1e-6}}) {
    const auto draws =
        draw<TypeParam>(++seed, [m = mean, d = deviation](Rng& rng) { return normal<TypeParam>(rng, m, d); });
    expect_all_finite(draws, -1e5, 1e5);
    const boost::math::normal law(mean, deviation);
    const auto middle = [](TypeParam v, TypeParam w) {
      return 0.5 * static_cast<double>(v) + 0.5 * static_cast<double>(w);
    };
    const double distance = ks_distance(
        draws,
        [&](TypeParam v) { return cdf(law, middle(v, std::nextafter(v, -Rounding<TypeParam>::kInfinity))); },
        [&](TypeParam v) { return cdf(law, middle(v, std::nextafter(v, Rounding<TypeParam>::kInfinity))); });
    EXPECT_LT(distance, ks_threshold(kSamplerDraws)) << mean << " " << deviation;
  }
}

TEST(Normal, HasItsLawInTheTailsToo) {
  // KS is blind in the tails: count what lies beyond 3 and 4 deviations.
  Rng rng(900);
  const int draws = 2'000'000;
  for (const double beyond : {3.0, 4.0}) {
    int below = 0;
    int above = 0;
    for (int i = 0; i < draws; ++i) {
      const double z = standard_normal(rng);
      below += z < -beyond ? 1 : 0;
      above += z > beyond ? 1 : 0;
    }
    const double expected = draws * boost::math::cdf(boost::math::normal(), -beyond);
    EXPECT_NEAR(below, expected, laws::z_threshold() * std::sqrt(expected)) << beyond;
    EXPECT_NEAR(above, expected, laws::z_threshold() * std::sqrt(expected)) << beyond;
  }
}

TYPED_TEST(RoundedSamplers, DrawUniformVariatesInTheHalfOpenInterval) {
  const auto draws = draw<TypeParam>(1000, [](Rng& rng) { return uniform<TypeParam>(rng); });
  expect_all_finite(draws, 0, std::nextafter(TypeParam{1}, TypeParam{0}));
  const auto cdf = [](TypeParam v) { return static_cast<double>(v); };
  EXPECT_LT(ks_distance(draws, cdf, cdf), ks_threshold(kSamplerDraws));
}

TYPED_TEST(RoundedSamplers, DrawUniformVariatesWithAllTheirBits) {
  // The lowest 8 of the 24 or 53 bits are uniform as well.
  const double bits = std::numeric_limits<TypeParam>::digits;
  std::vector<double> counts(256);
  for (const TypeParam u : draw<TypeParam>(1100, [](Rng& rng) { return uniform<TypeParam>(rng); })) {
    const double units = std::ldexp(static_cast<double>(u), static_cast<int>(bits));
    ASSERT_EQ(units, std::floor(units));
    counts[static_cast<std::size_t>(std::fmod(units, 256.0))] += 1;
  }
  const laws::ChiSquare fit = laws::chi_square_uniform(counts);
  EXPECT_LT(fit.statistic, fit.threshold);
}

}  // namespace
}  // namespace assay
