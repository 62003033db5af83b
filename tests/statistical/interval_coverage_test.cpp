// How often intervals miss the truth, on samples whose truth is known.
//
// Tolerance: a share s of N samples has the variance s (1 - s) / N; z at level 1e-6 / 500 (support/ks.hpp),
// 6.1 standard errors. What the share should be is exact for Student's intervals of normal values. Bootstrap
// intervals of few values are known to miss more often than 1 - level (Hesterberg 2015, "What teachers should
// know about the bootstrap": narrowness bias). They take the spread of the values for that of their law, a
// factor sqrt(1 - 1/n) too small, and have no t quantile for not knowing it. And beyond the quantile at p of
// B resamples lies in the mean a share of (1 + p (B - 1)) / (B + 1), which is more than p. So what they
// should cover is no round number. It comes from two sides: SciPy's misses in 40000 samples
// (tests/fixtures/make_statistics.py), and for means of normal values the formula of just the above.
//
// Measured here, of 0.95: Student's 0.950 for 3 and for 10 values, 0.950 for pairs. Bootstraps of 200
// resamples (in brackets: of 2000, the default, once, in 8000 samples, +- 0.003):
//                                       percentile         BCa
//   interquartile mean, 10 normal       0.934 (0.937)      0.928 (0.932)
//   mean, 30 normal                     0.926 (0.934)      0.925 (0.932)
//   mean, 30 exponential                0.909 (0.920)      0.910 (0.925)
// BCa is not nearer to its level for normal values, as there is no skewness to correct, only its noise to
// add; for exponential ones it misses more evenly on both sides.
#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "assay/core/rng.hpp"
#include "lab/statistics.hpp"
#include "source_dir.hpp"
#include "support/ks.hpp"

namespace assay {
namespace {

using Values = std::vector<double>;

/// Shares of intervals that lie below and above the truth.
struct Misses {
  double below = 0, above = 0;
  [[nodiscard]] double coverage() const { return 1 - below - above; }
};

/// Sample i is drawn from rng.split(i); `interval_of` gets another stream to resample with.
template <class IntervalOf>
Misses misses(double truth, int samples, const Rng& rng, const IntervalOf& interval_of) {
  Misses found;
  for (int i = 0; i < samples; ++i) {
    Rng stream = rng.split(static_cast<std::uint64_t>(i));
    const Interval interval = interval_of(stream, stream.split(0));
    if (interval.high < truth) found.below += 1.0 / samples;
    if (interval.low > truth) found.above += 1.0 / samples;
  }
  return found;
}

/// `reference` is the number of samples that `due` was found from; infinite if it is exact.
double tolerance(double due, double samples, double reference = HUGE_VAL) {
  return laws::z_threshold() * std::sqrt(due * (1 - due) * (1 / samples + 1 / reference));
}

void expect_exact_level(const Misses& found, double level, int samples, const std::string& of) {
  const double tail = (1 - level) / 2;
  EXPECT_NEAR(found.coverage(), level, tolerance(level, samples)) << of;
  EXPECT_NEAR(found.below, tail, tolerance(tail, samples)) << of;
  EXPECT_NEAR(found.above, tail, tolerance(tail, samples)) << of;
  ::testing::Test::RecordProperty(of, std::to_string(found.coverage()));
}

Values draw_sample(Rng& rng, const std::string& population, std::size_t size) {
  Values values(size);
  for (double& v : values)
    v = population == "normal" ? standard_normal(rng) : -portable::log(uniform_open(rng));
  return values;
}

TEST(IntervalCoverage, StudentsIsExactForNormalValues) {
  // 30000 samples: 0.95 +- 0.0077. The normal quantile in place of Student's would cover 0.918 for 10 values
  // and 0.811 for 3; a variance divided by n instead of n - 1 0.940 and 0.928; n degrees of freedom 0.914 for
  // 3; the quantiles of a 90 % interval 0.9.
  constexpr int kSamples = 30000;
  std::uint64_t seed = 0;
  for (const std::size_t size : {3U, 10U}) {
    for (const double level : {0.95, 0.8}) {
      const Misses found = misses(2, kSamples, Rng(++seed), [&](Rng& rng, const Rng&) {
        Values values = draw_sample(rng, "normal", size);
        for (double& v : values) v = 2 + 3 * v;
        return mean_interval(mean_estimate(values), level);
      });
      expect_exact_level(
          found, level, kSamples,
          "n_" + std::to_string(size) + "_level_" + std::to_string(static_cast<int>(level * 100)));
    }
  }
}

TEST(IntervalCoverage, PairsAreExactForNormalDifferencesHoweverMuchTheyShare) {
  constexpr int kSamples = 30000;
  constexpr std::size_t kPairs = 8;
  const Misses found = misses(0.5, kSamples, Rng(10), [&](Rng& rng, const Rng&) {
    Values a(kPairs), b(kPairs);
    for (std::size_t i = 0; i < kPairs; ++i) {
      const double shared = -100 * portable::log(uniform_open(rng));  // as skewed and as large as it likes
      a[i] = shared + normal(rng, 0.5, 1);
      b[i] = shared + normal(rng, 0, 2);
    }
    return paired_difference(a, b).interval;
  });
  expect_exact_level(found, 0.95, kSamples, "pairs");
}

constexpr int kBootstrapSamples = 4000;

Misses bootstrap_misses(const nlohmann::json& of, const Rng& rng) {
  const std::string population = of["population"], statistic = of["statistic"], kind = of["kind"];
  const Statistic of_statistic = statistic == "mean" ? mean : interquartile_mean;
  const Bootstrap how{.resamples = of["resamples"],
                      .kind = kind == "bca" ? BootstrapKind::kBca : BootstrapKind::kPercentile};
  return misses(of["truth"], kBootstrapSamples, rng, [&](Rng& stream, const Rng& resampling) {
    const Values values = draw_sample(stream, population, of["size"]);
    return bootstrap_interval(values, of_statistic, resampling, how);
  });
}

/// What percentiles of so many resamples cover of the mean of n normal values: see the top of the file.
double narrow_coverage(double n, double resamples) {
  const double tail = (1 + 0.025 * (resamples - 1)) / (resamples + 1);
  const double z = boost::math::quantile(boost::math::complement(boost::math::normal(), tail));
  return 1 - 2 * boost::math::cdf(
                     boost::math::complement(boost::math::students_t(n - 1), z * std::sqrt((n - 1) / n)));
}

TEST(IntervalCoverage, BootstrapsMissAsOftenAsThoseOfScipy) {
  // The tolerance of a coverage of 0.926 from 4000 samples here and 40000 there is 0.026. The quantiles of a
  // 90 % interval would cover 0.874 of the means of normal values.
  const nlohmann::json fixture =
      nlohmann::json::parse(std::ifstream(std::string(ASSAY_SOURCE_DIR) + "/tests/fixtures/statistics.json"));
  ASSERT_EQ(fixture["coverage"].size(), 6U);
  std::uint64_t seed = 20;
  for (const auto& due : fixture["coverage"]) {
    const Misses found = bootstrap_misses(due, Rng(++seed));
    const double below = due["below"], above = due["above"], reference = due["samples"];
    const double covered = 1 - below - above;
    EXPECT_NEAR(found.below, below, tolerance(below, kBootstrapSamples, reference)) << due;
    EXPECT_NEAR(found.above, above, tolerance(above, kBootstrapSamples, reference)) << due;
    EXPECT_NEAR(found.coverage(), covered, tolerance(covered, kBootstrapSamples, reference)) << due;
    RecordProperty("case_" + std::to_string(seed - 20), std::to_string(found.coverage()));
    if (due["population"] == "normal" && due["statistic"] == "mean") {
      // Holds for percentiles. BCa moves both ends by 0.26 times the skewness of the values, which is 0.45 by
      // chance alone: that costs 1.96 phi(1.96) (0.26 0.45)^2 = 0.0016, little beside the tolerance.
      const double narrow = narrow_coverage(due["size"], due["resamples"]);
      EXPECT_NEAR(found.coverage(), narrow, tolerance(narrow, kBootstrapSamples)) << due;
    }
  }
}

}  // namespace
}  // namespace assay
