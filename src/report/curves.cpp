#include "report/curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lab/statistics.hpp"

namespace assay {
namespace {

constexpr std::size_t kMostPoints = 200;  // a chart has no room for more
constexpr std::size_t kLeastEpochs = 5;   // of a single training, to compute an interval

struct CurvePoint {
  double middle = std::numeric_limits<double>::quiet_NaN();
  double low = middle, high = middle;
};

CurvePoint median_point(const std::vector<double>& values) {
  if (values.empty()) return {};
  const double middle = median(values);
  const double away = median_absolute_deviation(values);
  return {middle, middle - away, middle + away};
}

CurvePoint mean_point(const std::vector<double>& values) {
  if (values.empty()) return {};
  const MeanEstimate estimate = mean_estimate(values);
  if (estimate.count < 2) return {estimate.mean};
  const Interval interval = mean_interval(estimate);
  return {estimate.mean, interval.low, interval.high};
}

/// Is this a number that may be averaged? A training that diverges can have losses that may not.
void add_finite(double value, std::vector<double>& to) {
  if (std::abs(value) <= 1e300) to.push_back(value);
}

}  // namespace

CurveSeries curve_series(const RunStore& store, const ShownMethod& method) {
  CurveSeries series;
  series.label = method.label;
  series.method = method.method;
  series.seeds = static_cast<int>(method.runs.size());
  std::vector<std::vector<EpochRecord>> runs;
  std::size_t epochs = 0;
  for (const RunStore::Id id : method.runs) {
    runs.push_back(store.epochs(id));
    epochs = std::max(epochs, runs.back().size());
    if (!store.finished(id)) ++series.unfinished;
  }
  const bool medians = method.statistic == CurveStatistic::kMedian;
  std::size_t bin = (epochs + kMostPoints - 1) / kMostPoints;
  if (!medians && epochs >= 2 * kLeastEpochs) bin = std::max(bin, kLeastEpochs);
  const std::string of_runs = series.seeds == 1 ? "one training" : fmt::format("{} trainings", series.seeds);
  series.statistic = medians ? fmt::format("median and median absolute deviation of {}", of_runs)
                             : fmt::format("mean of {} epoch{} of {} with its 95 % interval", bin,
                                           bin == 1 ? "" : "s", of_runs);

  series.singles.resize(runs.size());
  series.loss_singles.resize(runs.size());
  for (std::size_t begin = 0; begin < epochs; begin += bin) {
    const std::size_t end = std::min(begin + bin, epochs);
    std::vector<double> returns;
    std::vector<double> losses;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      // A median belongs to one epoch, the last of the bin, which can be looked up in the store.
      const std::size_t first = medians ? end - 1 : begin;
      std::vector<double> own;
      std::vector<double> own_losses;
      for (std::size_t e = first; e < std::min(end, runs[r].size()); ++e) {
        add_finite(runs[r][e].mean_return, own);
        add_finite(runs[r][e].loss, own_losses);
      }
      if (runs[r].size() > first) {
        series.singles[r].push_back(mean_point(own).middle);
        series.loss_singles[r].push_back(mean_point(own_losses).middle);
      }
      returns.insert(returns.end(), own.begin(), own.end());
      losses.insert(losses.end(), own_losses.begin(), own_losses.end());
    }
    const CurvePoint earned = medians ? median_point(returns) : mean_point(returns);
    const CurvePoint lost = medians ? median_point(losses) : mean_point(losses);
    series.epoch.push_back(static_cast<double>(end));
    series.middle.push_back(earned.middle);
    series.low.push_back(earned.low);
    series.high.push_back(earned.high);
    series.loss.push_back(lost.middle);
    series.loss_low.push_back(lost.low);
    series.loss_high.push_back(lost.high);
  }
  return series;
}

}  // namespace assay
