// Estimates and intervals for the numbers that experiments measure.
//
// All functions take finite values of at most 1e300 in size and throw UsageError on others and on empty
// input. Sums keep their rounding errors, so that a mean is right to about its last bit, whatever cancels in
// it. Values that are all equal have the interval [v, v], never NaN.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "assay/core/detail/bounds.hpp"
#include "assay/core/rng.hpp"

namespace assay {

struct MeanEstimate {
  double mean = 0;
  double standard_error = 0;  // NaN for fewer than 2 values, which have no spread
  std::size_t count = 0;
};

MeanEstimate mean_estimate(std::span<const double> values);

/// The mean alone, several times faster, for use as a statistic of resamples.
double mean(std::span<const double> values);

/// The middle value, or the mean of the two middle values.
double median(std::span<const double> values);

/// The median distance from the median. It is not scaled to equal a standard deviation under normality.
double median_absolute_deviation(std::span<const double> values);

/// The mean of the values without the floor(n/4) smallest and the floor(n/4) largest.
double interquartile_mean(std::span<const double> values);

/// Student's interval, mean +- t quantile * standard error, with count - 1 degrees of freedom. It is exact
/// for normal values, and close to its level where a mean of many values is nearly normal. Takes at least 2
/// values.
Interval mean_interval(const MeanEstimate& estimate, double level = 0.95);

struct PairedDifference {
  MeanEstimate difference;
  Interval interval;
};

/// Student's interval of a[i] - b[i], where the i-th values of both have the same random numbers (seed,
/// environment), so that what they have in common cancels.
PairedDifference paired_difference(std::span<const double> a, std::span<const double> b, double level = 0.95);

enum class BootstrapKind {
  kPercentile,  // quantiles of the statistic over resamples
  kBca          // the same, at levels corrected for bias and acceleration (Efron 1987); second-order accurate
};

struct Bootstrap {
  double level = 0.95;
  int resamples = 2000;  // at least 2 / (1 - level), so that one lies in either tail
  BootstrapKind kind = BootstrapKind::kBca;
};

using Statistic = std::function<double(std::span<const double>)>;

/// An interval for any statistic of independent values of one law. Takes at least 2 values. The i-th
/// resample uses rng.split(i) alone, so that it is the same whatever their number and the number of threads.
///
/// Both kinds are too narrow for few values: resamples scatter about their mean less than values about
/// theirs, by a factor sqrt(1 - 1/n). Where Student's interval applies, it is better below about 30 values.
Interval bootstrap_interval(std::span<const double> values, const Statistic& statistic, const Rng& rng,
                            const Bootstrap& how = {});

/// For scores grouped by task: each resample draws from every stratum as many scores as the stratum has, and
/// the statistic is taken of all of them together (Agarwal et al. 2021, "rliable"). It is a percentile
/// interval, whatever `how.kind` says. Strata may differ in size; one of them must have at least 2 scores.
Interval stratified_bootstrap(std::span<const std::vector<double>> strata, const Statistic& statistic,
                              const Rng& rng, const Bootstrap& how = {});

}  // namespace assay
