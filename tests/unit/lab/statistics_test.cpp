// Statistics against SciPy and exact fractions (tests/fixtures/make_statistics.py), and what must hold of
// them.
#include "lab/statistics.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "assay/core/error.hpp"
#include "source_dir.hpp"

namespace assay {
namespace {

using Values = std::vector<double>;

const nlohmann::json& fixture() {
  static const nlohmann::json kRead =
      nlohmann::json::parse(std::ifstream(std::string(ASSAY_SOURCE_DIR) + "/tests/fixtures/statistics.json"));
  return kRead;
}

const std::map<std::string, Statistic> kStatistics = {
    {"mean", mean}, {"median", median}, {"interquartile_mean", interquartile_mean}};

void expect_same(double got, double due, const std::string& of) {
  EXPECT_NEAR(got, due, 1e-12 * std::abs(due)) << of;
}

void expect_same(const Interval& got, const nlohmann::json& due, const std::string& of) {
  expect_same(got.low, due[0], of + " low");
  expect_same(got.high, due[1], of + " high");
}

TEST(Statistics, AreThoseOfScipy) {
  ASSERT_GE(fixture()["samples"].size(), 8U);
  for (const auto& sample : fixture()["samples"]) {
    const std::string name = sample["name"];
    const Values values = sample["values"];
    const MeanEstimate estimate = mean_estimate(values);
    EXPECT_EQ(estimate.count, values.size());
    expect_same(estimate.mean, sample["mean"], name + " mean");
    EXPECT_EQ(mean(values), estimate.mean);
    expect_same(estimate.standard_error, sample["standard_error"], name + " standard error");
    expect_same(median(values), sample["median"], name + " median");
    expect_same(median_absolute_deviation(values), sample["median_absolute_deviation"], name + " deviation");
    expect_same(interquartile_mean(values), sample["interquartile_mean"], name + " interquartile mean");
    expect_same(mean_interval(estimate), sample["t_95"], name);
    expect_same(mean_interval(estimate, 0.8), sample["t_80"], name);
  }
}

TEST(Statistics, PairedDifferencesAreThoseOfScipy) {
  for (const auto& pair : fixture()["pairs"]) {
    const Values a = pair["a"], b = pair["b"];
    expect_same(paired_difference(a, b).interval, pair["t_95"], "95 %");
    expect_same(paired_difference(a, b, 0.8).interval, pair["t_80"], "80 %");
    EXPECT_EQ(paired_difference(a, b).difference.count, a.size());
  }
}

TEST(Statistics, SumsAreRightWherePlainOnesFail) {
  // Exact fractions, rounded once: nearly equal values, cancellation, squares that overflow or vanish.
  for (const auto& sample : fixture()["exact"]) {
    const MeanEstimate estimate = mean_estimate(sample["values"].get<Values>());
    EXPECT_DOUBLE_EQ(estimate.mean, sample["mean"]);
    expect_same(estimate.standard_error, sample["standard_error"], sample["values"].dump());
  }
}

/// `due` is [least, SciPy's, most]. The band holds what Monte-Carlo error allows: an end that is the quantile
/// at p of the bootstrap distribution lies, for B resamples here and B' in SciPy, between its quantiles at
/// p -+ 5 sqrt(V (1/B + 1/B')), but for a probability of 6e-7. For percentile ends V = p (1 - p); for BCa
/// ends the share of resamples below the statistic, which shifts p, errs as well: the delta method, with the
/// covariance of both, is written out in make_statistics.py. 1e-12: the sums of both round differently.
void expect_in_band(double got, const nlohmann::json& due, const std::string& of) {
  const double least = due[0], most = due[2];
  EXPECT_GE(got, least - 1e-12 * std::abs(least)) << of << ", SciPy's is " << due[1];
  EXPECT_LE(got, most + 1e-12 * std::abs(most)) << of << ", SciPy's is " << due[1];
}

TEST(Bootstrap, IntervalsAreThoseOfScipy) {
  std::uint64_t seed = 0;
  for (const auto& sample : fixture()["samples"]) {
    const Values values = sample["values"];
    for (const auto& due : sample["bootstrap"]) {
      const std::string kind = due["kind"], name = due["statistic"];
      const Bootstrap how{fixture()["level"], fixture()["resamples"],
                          kind == "bca" ? BootstrapKind::kBca : BootstrapKind::kPercentile};
      const Interval got = bootstrap_interval(values, kStatistics.at(name), Rng(++seed), how);
      const std::string of = sample["name"].get<std::string>() + " " + name + " " + kind;
      expect_in_band(got.low, due["low"], of + " low");
      expect_in_band(got.high, due["high"], of + " high");
    }
  }
  EXPECT_GT(seed, 40U);
}

TEST(Bootstrap, StrataAreResampledWithinAndPooled) {
  std::uint64_t seed = 100;
  for (const auto& due : fixture()["strata"]) {
    const std::vector<Values> strata = due["strata"];
    const std::string name = due["statistic"];
    const Bootstrap how{fixture()["level"], fixture()["resamples"]};
    const Interval got = stratified_bootstrap(strata, kStatistics.at(name), Rng(++seed), how);
    expect_in_band(got.low, due["low"], name + " low");
    expect_in_band(got.high, due["high"], name + " high");
  }
  EXPECT_EQ(seed, 106U);
}

/// All that the statistic was asked about, in order.
struct Asked {
  std::vector<Values> samples;
  Interval interval;
};

Asked ask(const Values& values, const Rng& rng, const Bootstrap& how) {
  Asked asked;
  const Statistic recorded = [&](std::span<const double> sample) {
    asked.samples.emplace_back(sample.begin(), sample.end());
    return mean(sample);
  };
  asked.interval = bootstrap_interval(values, recorded, rng, how);
  return asked;
}

TEST(Bootstrap, EachResampleHasRandomNumbersOfItsOwn) {
  Values values(30);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sqrt(static_cast<double>(i));
  const Asked few = ask(values, Rng(1), {.resamples = 500, .kind = BootstrapKind::kPercentile});
  // 30^30 resamples are possible: two that agree by chance have probability 1e-39.
  EXPECT_EQ(std::set<Values>(few.samples.begin(), few.samples.end()).size(), 500U);
  // Resample i is the i-th whatever their number and whatever else was drawn from the stream: results cannot
  // depend on who computes which.
  Rng drawn(1);
  drawn.next64();
  const Asked more = ask(values, drawn, {.resamples = 700, .kind = BootstrapKind::kPercentile});
  EXPECT_TRUE(std::equal(few.samples.begin(), few.samples.end(), more.samples.begin()));
  EXPECT_NE(ask(values, Rng(2), {.resamples = 500}).samples, ask(values, Rng(1), {.resamples = 500}).samples);
}

TEST(Statistics, EqualValuesHaveAnIntervalOfOnePoint) {
  for (const double v : {0.0, 0.1, -1.0 / 49, 1e300, 5e-324}) {
    for (const std::size_t n : {2U, 3U, 7U, 49U}) {
      const Values values(n, v);
      EXPECT_EQ(mean_estimate(values).standard_error, 0);
      EXPECT_EQ(median_absolute_deviation(values), 0);
      std::vector<Interval> intervals = {mean_interval(mean_estimate(values))};
      for (const auto& [name, statistic] : kStatistics) {
        EXPECT_EQ(statistic(values), v) << name;
        for (const BootstrapKind kind : {BootstrapKind::kPercentile, BootstrapKind::kBca})
          intervals.push_back(bootstrap_interval(values, statistic, Rng(1), {.resamples = 40, .kind = kind}));
        intervals.push_back(stratified_bootstrap(std::vector<Values>(3, values), statistic, Rng(1)));
      }
      for (const Interval& i : intervals) EXPECT_TRUE(i.low == v && i.high == v) << i.low << " " << i.high;
    }
  }
  const PairedDifference same = paired_difference(Values{1, 2, 5}, Values{3, 4, 7});
  EXPECT_EQ(same.difference.mean, -2);
  EXPECT_EQ(same.interval.low, -2);
  EXPECT_EQ(same.interval.high, -2);
}

TEST(Bootstrap, MediansThatNoValueMovesHaveNoAcceleration) {
  // Whichever value is left out, the median stays 3, though resamples differ: SciPy's interval is NaN here.
  const Values values = {1, 2, 3, 3, 3, 3, 8};
  const Interval bca = bootstrap_interval(values, median, Rng(1));
  EXPECT_TRUE(bca.low >= 1 && bca.low <= 3 && bca.high >= 3 && bca.high <= 8) << bca.low << " " << bca.high;
}

TEST(Bootstrap, BcaEndsAtTheLastResampleBeyondItsPole) {
  // No resample of 100 values is without a repetition, so none reaches the statistic of the values: the bias
  // is as large as 40000 resamples can show, 4.2. One value has nearly all the influence: the acceleration is
  // near 1/6. Then the upper end, at 4.2 + 1.96, lies beyond the pole at 1 / acceleration, where the formula
  // changes its sign.
  Values values(100);
  for (std::size_t i = 0; i < 99; ++i) values[i] = static_cast<double>(i) / 1e3;
  values[99] = 1e4;
  double largest = -HUGE_VAL;
  const Statistic lower_with_repetitions = [&](std::span<const double> sample) {
    if (sample.size() < values.size() || std::equal(sample.begin(), sample.end(), values.begin()))
      return mean(sample);
    largest = std::max(largest, mean(sample) - 1e6);
    return mean(sample) - 1e6;
  };
  const Interval interval = bootstrap_interval(values, lower_with_repetitions, Rng(1), {.resamples = 40000});
  EXPECT_EQ(interval.high, largest);
  EXPECT_LE(interval.low, interval.high);
}

TEST(Statistics, OneValueHasAMeanButNoError) {
  const MeanEstimate one = mean_estimate(Values{4});
  EXPECT_EQ(one.mean, 4);
  EXPECT_EQ(one.count, 1U);
  EXPECT_TRUE(std::isnan(one.standard_error));
  EXPECT_EQ(median(Values{4}), 4);
  EXPECT_EQ(median_absolute_deviation(Values{4}), 0);
  EXPECT_EQ(interquartile_mean(Values{4}), 4);
  EXPECT_THROW(mean_interval(one), UsageError);
  EXPECT_THROW(bootstrap_interval(Values{4}, mean, Rng(1)), UsageError);
  EXPECT_THROW(stratified_bootstrap(std::vector<Values>{{4}, {5}}, mean, Rng(1)), UsageError);
}

TEST(Statistics, RefuseNothingAndWhatIsNotFinite) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const Values& bad :
       {Values{}, Values{1, kNan, 2}, Values{1, 2, HUGE_VAL}, Values{-HUGE_VAL, 2}, Values{1e301, 1}}) {
    EXPECT_THROW(mean_estimate(bad), UsageError);
    EXPECT_THROW(mean(bad), UsageError);
    EXPECT_THROW(median(bad), UsageError);
    EXPECT_THROW(median_absolute_deviation(bad), UsageError);
    EXPECT_THROW(interquartile_mean(bad), UsageError);
    EXPECT_THROW(paired_difference(bad, bad), UsageError);
    EXPECT_THROW(bootstrap_interval(
                     bad, [](auto) { return 0.0; }, Rng(1)),
                 UsageError);
    EXPECT_THROW(stratified_bootstrap(
                     std::vector<Values>{{1, 2}, bad}, [](auto) { return 0.0; }, Rng(1)),
                 UsageError);
  }
  EXPECT_THROW(stratified_bootstrap({}, mean, Rng(1)), UsageError);
  EXPECT_THROW(paired_difference(Values{1, 2, 3}, Values{1, 2}), UsageError);
  EXPECT_THROW(paired_difference(Values{1}, Values{1}), UsageError);
  EXPECT_THROW(mean_interval({1, -1, 5}), UsageError);
  EXPECT_THROW(mean_interval({1, kNan, 5}), UsageError);
}

TEST(Statistics, RefuseLevelsAndNumbersThatMeanNothing) {
  const Values values = {1, 2, 3};
  for (const double level : {0.0, 1.0, -0.5, 95.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(mean_interval({1, 1, 5}, level), UsageError);
    EXPECT_THROW(paired_difference(values, values, level), UsageError);
    EXPECT_THROW(bootstrap_interval(values, mean, Rng(1), {.level = level}), UsageError);
  }
  EXPECT_THROW(bootstrap_interval(values, mean, Rng(1), {.resamples = 39}), UsageError);
  EXPECT_NO_THROW(bootstrap_interval(values, mean, Rng(1), {.resamples = 40}));
  EXPECT_NO_THROW(bootstrap_interval(values, mean, Rng(1), {.level = 0.9, .resamples = 20}));
  EXPECT_THROW(bootstrap_interval(
                   values, [](auto) { return std::nan(""); }, Rng(1)),
               UsageError);
}

/// Multiples of 1/64, many of them equal: all sums are exact, so that what ties still does when moved.
Values some_values(std::size_t least) {
  const int size = *rc::gen::inRange(static_cast<int>(least), 40);
  Values values;
  for (const int k :
       *rc::gen::container<std::vector<int>>(static_cast<std::size_t>(size), rc::gen::inRange(-300, 300)))
    values.push_back(k / 64.0);
  return values;
}

struct Affine {
  double scale, shift;
  [[nodiscard]] double operator()(double v) const { return scale * v + shift; }
  [[nodiscard]] Interval operator()(const Interval& i) const {
    const double low = (*this)(i.low), high = (*this)(i.high);
    return scale > 0 ? Interval{low, high} : Interval{high, low};
  }
};

/// Values up to 5, scales up to 10 and shifts up to 100: rounding stays below 1e-12.
bool close(double a, double b) { return std::abs(a - b) < 1e-11; }
bool close(const Interval& a, const Interval& b) { return close(a.low, b.low) && close(a.high, b.high); }

RC_GTEST_PROP(StatisticsProperty, FollowShiftAndScale, ()) {
  const Values values = some_values(2);
  const Affine map{*rc::gen::element(-10.0, -1.0, -0.5, 0.25, 1.0, 3.0),
                   static_cast<double>(*rc::gen::inRange(-100, 100))};
  Values moved = values;
  for (double& v : moved) v = map(v);
  const MeanEstimate before = mean_estimate(values), after = mean_estimate(moved);
  for (const auto& [name, statistic] : kStatistics) {
    RC_ASSERT(close(statistic(moved), map(statistic(values))));
    for (const BootstrapKind kind : {BootstrapKind::kPercentile, BootstrapKind::kBca}) {
      const Bootstrap how{.resamples = 60, .kind = kind};
      RC_ASSERT(close(bootstrap_interval(moved, statistic, Rng(5), how),
                      map(bootstrap_interval(values, statistic, Rng(5), how))));
    }
  }
  RC_ASSERT(close(after.standard_error, std::abs(map.scale) * before.standard_error));
  RC_ASSERT(close(median_absolute_deviation(moved), std::abs(map.scale) * median_absolute_deviation(values)));
  RC_ASSERT(close(mean_interval(after, 0.9), map(mean_interval(before, 0.9))));
}

RC_GTEST_PROP(StatisticsProperty, DoNotDependOnOrder, ()) {
  const Values values = some_values(2);
  Values other = values;
  for (std::size_t i = other.size() - 1; i > 0; --i)
    std::swap(other[i], other[static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(i) + 1))]);
  for (const auto& [name, statistic] : kStatistics) RC_ASSERT(statistic(other) == statistic(values));
  RC_ASSERT(median_absolute_deviation(other) == median_absolute_deviation(values));
  RC_ASSERT(close(mean_estimate(other).standard_error, mean_estimate(values).standard_error));
}

RC_GTEST_PROP(StatisticsProperty, TheInterquartileMeanForgetsTheEnds, ()) {
  Values values = some_values(4);
  std::sort(values.begin(), values.end());
  const double before = interquartile_mean(values);
  const std::size_t cut = values.size() / 4;
  for (std::size_t i = 0; i < cut; ++i) {
    values[i] -= 1e3;
    values[values.size() - 1 - i] += 1e5;
  }
  RC_ASSERT(interquartile_mean(values) == before);
  values[cut] -= 1e-3;  // the first that counts
  RC_ASSERT(interquartile_mean(values) < before);
}

RC_GTEST_PROP(StatisticsProperty, HigherLevelsHaveWiderIntervals, ()) {
  const Values values = some_values(2);
  const auto inside = [](const Interval& a, const Interval& b) { return b.low <= a.low && a.high <= b.high; };
  const MeanEstimate estimate = mean_estimate(values);
  RC_ASSERT(inside(mean_interval(estimate, 0.8), mean_interval(estimate, 0.99)));
  for (const BootstrapKind kind : {BootstrapKind::kPercentile, BootstrapKind::kBca}) {
    const Interval narrow = bootstrap_interval(values, median, Rng(6), {0.5, 100, kind});
    RC_ASSERT(inside(narrow, bootstrap_interval(values, median, Rng(6), {0.9, 100, kind})));
  }
}

}  // namespace
}  // namespace assay
