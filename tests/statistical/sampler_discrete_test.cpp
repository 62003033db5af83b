// The discrete samplers against their probabilities, by Pearson's chi-square at level 1e-6 / 500
// (support/ks.hpp).
#include <gtest/gtest.h>

#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <utility>
#include <vector>

#include "assay/core/rng.hpp"
#include "support/ks.hpp"

namespace assay {
namespace {

constexpr int kDiscreteDraws = 200000;

/// Draws from `sampler` (a class number below `classes`) and compares with `probabilities`.
template <class Sampler>
laws::ChiSquare fit(std::uint64_t seed, const std::vector<double>& probabilities, const Sampler& sampler) {
  Rng rng(seed);
  std::vector<double> counts(probabilities.size());
  for (int i = 0; i < kDiscreteDraws; ++i) counts.at(static_cast<std::size_t>(sampler(rng))) += 1;
  std::vector<double> expected;
  for (const double p : probabilities) expected.push_back(kDiscreteDraws * p);
  return laws::chi_square(counts, expected);
}

TEST(Bernoulli, ComesTrueAsOftenAsItSays) {
  for (const double p : {1e-3, 0.1, 0.5, 0.75, 0.999}) {
    const auto result = fit(1, {1 - p, p}, [&](Rng& rng) { return bernoulli(rng, p) ? 1 : 0; });
    EXPECT_LE(result.statistic, result.threshold) << p;
  }
}

TEST(Bernoulli, NeverComesTrueAtZeroAndAlwaysAtOne) {
  Rng rng(2);
  for (int i = 0; i < kDiscreteDraws; ++i) {
    ASSERT_FALSE(bernoulli(rng, 0));
    ASSERT_TRUE(bernoulli(rng, 1));
  }
}

TEST(Binomial, HasItsLaw) {
  for (const auto& [trials, p] :
       {std::pair{1, 0.3}, {5, 0.3}, {5, 0.9}, {20, 0.01}, {20, 0.5}, {100, 0.97}}) {
    const boost::math::binomial law(trials, p);
    std::vector<double> probabilities;
    for (int k = 0; k <= trials; ++k) probabilities.push_back(boost::math::pdf(law, k));
    const auto result = fit(3, probabilities, [n = trials, q = p](Rng& rng) { return binomial(rng, n, q); });
    EXPECT_LE(result.statistic, result.threshold) << trials << " " << p;
  }
}

TEST(Binomial, IsCertainAtTheEdges) {
  Rng rng(4);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(binomial(rng, 0, 0.5), 0);
    EXPECT_EQ(binomial(rng, 7, 0), 0);
    EXPECT_EQ(binomial(rng, 7, 1), 7);
  }
}

TEST(Categorical, DrawsInProportionToTheWeights) {
  const std::vector<std::vector<double>> all_weights = {
      {1},
      {0, 1, 0},
      {0.2, 0.3, 0.5},
      {0, 3, 0, 1, 0},           // weights need not sum to 1; those without weight never come up
      {1e-300, 2e-300, 3e-300},  // nor be anywhere near it
      {1e300, 1e300, 2e300},
      {1, 1e-3, 1, 1e-300, 1},
      std::vector<double>(50, 0.02),
  };
  std::uint64_t seed = 10;
  for (const auto& weights : all_weights) {
    double total = 0;
    for (const double w : weights) total += w;
    std::vector<double> probabilities;
    for (const double w : weights) probabilities.push_back(w / total);
    const auto result = fit(++seed, probabilities, [&](Rng& rng) { return categorical(rng, weights); });
    EXPECT_LE(result.statistic, result.threshold) << "seed " << seed;
  }
}

TEST(Categorical, TakesTheLastPossibleIndexWhenRoundingUsesUpTheSum) {
  // Ten times 0.1 sums to less than 1, and each subtraction rounds: no draw may fall off the end.
  std::vector<double> weights(10, 0.1);
  weights.push_back(0);
  Rng rng(30);
  for (int i = 0; i < 1'000'000; ++i) ASSERT_LT(categorical(rng, weights), 10U);
}

TEST(UniformIndex, IsUniform) {
  for (const std::uint64_t n : {1U, 2U, 3U, 10U, 64U, 1000U}) {
    const auto result = fit(40 + n, std::vector<double>(n, 1.0 / static_cast<double>(n)),
                            [&](Rng& rng) { return uniform_index(rng, n); });
    EXPECT_LE(result.statistic, result.threshold) << n;
  }
}

TEST(UniformIndex, HasNoModuloBias) {
  // 2^64 mod 3*2^62 = 2^62: with a plain remainder the first third would come up half of the time.
  const std::uint64_t third = std::uint64_t{1} << 62U;
  const auto result =
      fit(50, {1.0 / 3, 1.0 / 3, 1.0 / 3}, [&](Rng& rng) { return uniform_index(rng, 3 * third) / third; });
  EXPECT_LE(result.statistic, result.threshold);
}

TEST(ChiSquareItself, SeesABiasOfOnePercent) {
  // The yardstick can fail: 0.51 against 0.5 is 9 standard errors of 200 000 draws.
  const auto result = fit(60, {0.5, 0.5}, [](Rng& rng) { return bernoulli(rng, 0.51) ? 1 : 0; });
  EXPECT_GT(result.statistic, result.threshold);
}

}  // namespace
}  // namespace assay
