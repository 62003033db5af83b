// Estimates and their intervals: what an experiment may say about the numbers that it saw.
//
// All take finite values of at most 1e300 in size and throw UsageError on others, and on none at all. Sums
// carry what rounding takes from them, so a mean is right to its last bit or so, whatever cancels in it.
// Values that are all equal are certain as far as they go: their interval is [v, v], never NaN.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "assay/core/bounds.hpp"
#include "assay/core/rng.hpp"

namespace assay {

struct MeanEstimate {
  double mean = 0;
  double standard_error = 0;  // NaN for fewer than 2 values: one value does not tell how they scatter
  std::size_t count = 0;
};

MeanEstimate mean_estimate(std::span<const double> values);

/// The mean alone, several times faster: a statistic to resample.
double mean(std::span<const double> values);

/// The middle value, or half way between the middle two.
double median(std::span<const double> values);

/// The median distance from the median, not scaled to be a standard deviation under normality.
double median_absolute_deviation(std::span<const double> values);

/// The mean of what is left without the floor(n/4) smallest and as many of the largest.
double interquartile_mean(std::span<const double> values);

/// Student's interval, mean +- t quantile * standard error, with count - 1 degrees of freedom. Exact for
/// normal values; near its level where a mean of many is nearly normal. Takes at least 2 values.
Interval mean_interval(const MeanEstimate& estimate, double level = 0.95);

struct PairedDifference {
  MeanEstimate difference;
  Interval interval;
};

/// Of a[i] - b[i], where the i-th of both shared their luck (seed, environment): what they have in common
/// cancels. Student's interval.
PairedDifference paired_difference(std::span<const double> a, std::span<const double> b, double level = 0.95);

enum class BootstrapKind {
  kPercentile,  // quantiles of the statistic over resamples
  kBca  // the same, at levels corrected for bias and acceleration: Efron (1987); second-order accurate
};

struct Bootstrap {
  double level = 0.95;
  int resamples = 2000;  // at least 2 / (1 - level), so that one lies in either tail
  BootstrapKind kind = BootstrapKind::kBca;
};

using Statistic = std::function<double(std::span<const double>)>;

/// An interval for any statistic of independent values of one law; takes at least 2. The i-th resample draws
/// from rng.split(i) alone, so it is the same however many there are and whoever computes it.
///
/// Both kinds are too narrow for few values, as resamples scatter about their mean by a factor sqrt(1 - 1/n)
/// less than values about theirs: where Student's interval applies, it is the better one below 30 or so.
Interval bootstrap_interval(std::span<const double> values, const Statistic& statistic, const Rng& rng,
                            const Bootstrap& how = {});

/// For scores grouped by task: each resample draws from every stratum as many as it has, from that stratum
/// only, and the statistic sees them pooled (Agarwal et al. 2021, "rliable"). A percentile interval, whatever
/// `how.kind` says. Strata may differ in size; one of them must have 2 scores or more.
Interval stratified_bootstrap(std::span<const std::vector<double>> strata, const Statistic& statistic,
                              const Rng& rng, const Bootstrap& how = {});

}  // namespace assay
