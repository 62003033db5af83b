#include "lab/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "assay/core/error.hpp"
#include "assay/core/rng.hpp"

namespace assay {
namespace {

/// The sum of 1e8 values of this size, and the difference of any two, are finite.
constexpr double kLargestSampleValue = 1e300;

/// A sum that keeps the rounding error of each addition (Ogita, Rump and Oishi 2005, algorithm Sum2). It is
/// as accurate as one in twice the precision, and has no branch, unlike Neumaier's.
class CompensatedSum {
 public:
  void add(double value) {
    const double sum = sum_ + value;
    const double added = sum - sum_;
    lost_ += (sum_ - (sum - added)) + (value - added);
    sum_ = sum;
  }

  /// Divides sum and error together. The mean of n values v is then v itself, which fl(fl(n v) / n) need not
  /// be, and resamples that hold the same values in another order tie.
  [[nodiscard]] double over(std::size_t count) const {
    const auto n = static_cast<double>(count);
    const double quotient = sum_ / n;
    return quotient + (std::fma(-quotient, n, sum_) + lost_) / n;
  }

  [[nodiscard]] double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0, lost_ = 0;
};

void require_sample_value(double value) {
  if (std::abs(value) <= kLargestSampleValue) return;
  throw UsageError(fmt::format("the value {}: statistics take finite values up to {} in size", value,
                               kLargestSampleValue));
}

void require_sample(std::span<const double> values) {
  if (values.empty()) throw UsageError("no values: a statistic takes at least one");
  for (const double v : values) require_sample_value(v);
}

void require_interval_level(double level) {
  if (!(level > 0 && level < 1))
    throw UsageError(fmt::format("a level of {}: an interval takes one between 0 and 1, like 0.95", level));
}

double compensated_mean(std::span<const double> values) {
  CompensatedSum sum;
  for (const double v : values) sum.add(v);
  return sum.over(values.size());
}

/// Deviations from the mean, in units of the largest so that no square of one overflows or is lost.
struct ScaledDeviations {
  std::vector<double> scaled;
  double unit = 0;  // 0 if all values are equal
};

ScaledDeviations scaled_deviations(std::span<const double> values) {
  ScaledDeviations d{{values.begin(), values.end()}, 0};
  // The mean is subtracted twice. The mean of what is left after the first time is the rounding error of the
  // mean, which matters where values differ in their last digits only.
  for (int pass = 0; pass < 2; ++pass) {
    const double centre = compensated_mean(d.scaled);
    for (double& v : d.scaled) v -= centre;
  }
  for (const double v : d.scaled) d.unit = std::max(d.unit, std::abs(v));
  if (d.unit > 0)
    for (double& v : d.scaled) v /= d.unit;
  return d;
}

std::vector<double> sorted_sample(std::span<const double> values) {
  require_sample(values);
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

double median_of_sorted_sample(std::span<const double> sorted) {
  const std::size_t upper = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[upper] : std::midpoint(sorted[upper - 1], sorted[upper]);
}

/// Linear interpolation between order statistics, the i-th of which (from 0) is the quantile at i / (n - 1).
double quantile_of_sorted_sample(std::span<const double> sorted, double probability) {
  const double position = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  if (below + 1 >= sorted.size()) return sorted.back();
  const double step = sorted[below + 1] - sorted[below];
  return sorted[below] + (position - static_cast<double>(below)) * step;
}

double normal_probability(double z) { return boost::math::cdf(boost::math::normal(), z); }
double normal_quantile(double probability) {
  return boost::math::quantile(boost::math::normal(), probability);
}

void require_bootstrap(const Bootstrap& how) {
  require_interval_level(how.level);
  const double least = std::ceil(2 / (1 - how.level) - 1e-6);
  if (how.resamples < least) {
    throw UsageError(
        fmt::format("{} resamples for a level of {}: it takes at least {}, for one in either tail",
                    how.resamples, how.level, least));
  }
}

/// NaN would make the order of resamples, and with it the interval, meaningless.
double finite_statistic(const Statistic& statistic, std::span<const double> values) {
  const double result = statistic(values);
  if (!std::isfinite(result)) {
    throw UsageError(
        fmt::format("the statistic of {} values is {}: a bootstrap takes one that is finite on "
                    "every resample and without any one value",
                    values.size(), result));
  }
  return result;
}

/// The statistic over resamples, sorted. Resample i uses the draws of rng.split(i), stratum by stratum.
std::vector<double> resampled_statistics(std::span<const std::span<const double>> strata,
                                         const Statistic& statistic, const Rng& rng, int resamples) {
  std::size_t size = 0;
  for (const auto stratum : strata) size += stratum.size();
  std::vector<double> resample(size);
  std::vector<double> results(static_cast<std::size_t>(resamples));
  for (std::size_t i = 0; i < results.size(); ++i) {
    Rng stream = rng.split(i);
    auto out = resample.begin();
    for (const auto stratum : strata) {
      for (std::size_t j = 0; j < stratum.size(); ++j)
        *out++ = stratum[static_cast<std::size_t>(uniform_index(stream, stratum.size()))];
    }
    results[i] = finite_statistic(statistic, resample);
  }
  std::sort(results.begin(), results.end());
  return results;
}

/// The acceleration: how much the standard error changes with the statistic (Efron 1987). It is a sixth of
/// the skewness of the statistic's influence function, which is estimated by leaving out one value at a
/// time.
double bca_acceleration(std::span<const double> values, const Statistic& statistic) {
  std::vector<double> without(values.begin() + 1, values.end());
  std::vector<double> left_out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) without[i - 1] = values[i - 1];
    left_out[i] = finite_statistic(statistic, without);
  }
  CompensatedSum squares, cubes;
  for (const double v : scaled_deviations(left_out).scaled) {
    squares.add(v * v);
    cubes.add(v * v * v);
  }
  // Without any influence there is no skewness, as for a median among many ties.
  if (squares.value() == 0) return 0;
  // Leaving out a value that raises the statistic lowers it, hence the sign.
  return -cubes.value() / (6 * squares.value() * std::sqrt(squares.value()));
}

/// Phi^-1 of the share of resamples below the statistic of the values themselves, where ties count as half.
/// It is kept away from 0 and 1 by half a resample, because "none of n" does not mean "impossible".
double bca_bias(std::span<const double> sorted, double statistic) {
  const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), statistic);
  const auto n = static_cast<double>(sorted.size());
  const double below = 0.5 * static_cast<double>((first - sorted.begin()) + (last - sorted.begin()));
  return normal_quantile(std::clamp(below, 0.5, n - 0.5) / n);
}

/// The probability whose quantile is the end of the interval that lies `z` standard errors away (Efron
/// 1987).
double bca_probability(double bias, double acceleration, double z) {
  const double shifted = bias + z;
  const double stretch = 1 - acceleration * shifted;
  // Beyond the pole, the end is the extreme resample. This takes an |acceleration| near its maximum of 1/6
  // and more than 1e4 resamples.
  if (stretch <= 0) return shifted > 0 ? 1 : 0;
  return normal_probability(bias + shifted / stretch);
}

}  // namespace

MeanEstimate mean_estimate(std::span<const double> values) {
  require_sample(values);
  const std::size_t n = values.size();
  MeanEstimate estimate{compensated_mean(values), std::numeric_limits<double>::quiet_NaN(), n};
  if (n < 2) return estimate;
  const ScaledDeviations d = scaled_deviations(values);
  CompensatedSum squares;
  for (const double v : d.scaled) squares.add(v * v);
  const double variance_of_mean = squares.value() / (static_cast<double>(n) * static_cast<double>(n - 1));
  estimate.standard_error = d.unit * std::sqrt(variance_of_mean);
  return estimate;
}

double mean(std::span<const double> values) {
  require_sample(values);
  return compensated_mean(values);
}

double median(std::span<const double> values) { return median_of_sorted_sample(sorted_sample(values)); }

double median_absolute_deviation(std::span<const double> values) {
  std::vector<double> distances(values.begin(), values.end());
  const double middle = median(values);
  for (double& v : distances) v = std::abs(v - middle);
  std::sort(distances.begin(), distances.end());
  return median_of_sorted_sample(distances);
}

double interquartile_mean(std::span<const double> values) {
  const std::vector<double> sorted = sorted_sample(values);
  const std::size_t cut = sorted.size() / 4;
  return compensated_mean(std::span(sorted).subspan(cut, sorted.size() - 2 * cut));
}

Interval mean_interval(const MeanEstimate& estimate, double level) {
  require_interval_level(level);
  if (estimate.count < 2) {
    throw UsageError(
        fmt::format("an interval for the mean of {} values: it takes at least 2", estimate.count));
  }
  require_sample_value(estimate.mean);
  if (!(estimate.standard_error >= 0 && std::isfinite(estimate.standard_error))) {
    throw UsageError(
        fmt::format("a standard error of {}: an interval takes one that is finite and not negative",
                    estimate.standard_error));
  }
  // Boost computes in long double and rounds, so that the last bit does not depend on the processor's C
  // library.
  const boost::math::students_t law(static_cast<double>(estimate.count - 1));
  const double quantile = boost::math::quantile(boost::math::complement(law, (1 - level) / 2));
  const double reach = quantile * estimate.standard_error;
  return {estimate.mean - reach, estimate.mean + reach};
}

PairedDifference paired_difference(std::span<const double> a, std::span<const double> b, double level) {
  if (a.size() != b.size())
    throw UsageError(fmt::format("{} values paired with {}: it takes as many of both", a.size(), b.size()));
  if (a.size() < 2) throw UsageError(fmt::format("{} pairs: an interval takes at least 2", a.size()));
  require_sample(a);
  require_sample(b);
  std::vector<double> differences(a.size());
  std::transform(a.begin(), a.end(), b.begin(), differences.begin(), std::minus<>());
  const MeanEstimate estimate = mean_estimate(differences);
  return {estimate, mean_interval(estimate, level)};
}

Interval bootstrap_interval(std::span<const double> values, const Statistic& statistic, const Rng& rng,
                            const Bootstrap& how) {
  require_bootstrap(how);
  require_sample(values);
  if (values.size() < 2)
    throw UsageError("a bootstrap of 1 value: it takes at least 2, as resamples of one are all alike");
  const double tail = (1 - how.level) / 2;
  const std::vector<double> sorted =
      resampled_statistics(std::span(&values, 1), statistic, rng, how.resamples);
  if (how.kind == BootstrapKind::kPercentile || sorted.front() == sorted.back())
    return {quantile_of_sorted_sample(sorted, tail), quantile_of_sorted_sample(sorted, 1 - tail)};
  const double bias = bca_bias(sorted, finite_statistic(statistic, values));
  const double acceleration = bca_acceleration(values, statistic);
  const double z = normal_quantile(tail);
  return {quantile_of_sorted_sample(sorted, bca_probability(bias, acceleration, z)),
          quantile_of_sorted_sample(sorted, bca_probability(bias, acceleration, -z))};
}

Interval stratified_bootstrap(std::span<const std::vector<double>> strata, const Statistic& statistic,
                              const Rng& rng, const Bootstrap& how) {
  require_bootstrap(how);
  if (strata.empty()) throw UsageError("no strata: a stratified bootstrap takes at least one");
  std::size_t largest = 0;
  for (const auto& stratum : strata) {
    if (stratum.empty()) throw UsageError("a stratum without scores: each takes at least one");
    require_sample(stratum);
    largest = std::max(largest, stratum.size());
  }
  if (largest < 2) {
    throw UsageError(
        "a stratified bootstrap of 1 score a stratum: one at least takes 2, else all resamples are "
        "alike");
  }
  const std::vector<std::span<const double>> views(strata.begin(), strata.end());
  const std::vector<double> sorted = resampled_statistics(views, statistic, rng, how.resamples);
  const double tail = (1 - how.level) / 2;
  return {quantile_of_sorted_sample(sorted, tail), quantile_of_sorted_sample(sorted, 1 - tail)};
}

}  // namespace assay
