// Variants of one method on one problem: mean over training seeds with an interval, and the difference to the
// first variant, seed by seed.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "assay/core/error.hpp"
#include "experiments/file_experiment.hpp"
#include "lab/statistics.hpp"
#include "lab/text_table.hpp"

namespace assay::experiments {
namespace {

class IntervalExperiment final : public FileExperiment {
 public:
  IntervalExperiment(Common common, IntervalFile file)
      : FileExperiment(std::move(common)), file_(std::move(file)), problem_(problem_of(file_.problem)) {
    for (const IntervalFile::Variant& group : file_.groups) {
      std::vector<std::vector<std::size_t>>& of_group = runs_of_.emplace_back();
      for (const IntervalFile::Variant& variant : file_.variants) {
        Placed method = file_.method;
        method.text = with_settings(with_settings(method.text, variant.settings.text), group.settings.text);
        if (!variant.settings.text.empty()) method.place = variant.settings.place;
        of_group.push_back(add_runs(problem_, method, {}));
        if (of_group.back().size() < 2) {
          throw UsageError(fmt::format("{}{} does not learn: there are no trainings to compare", method.place,
                                       method.text));
        }
      }
    }
  }

  Findings findings(const RunStore& store) const override {
    IntervalTable table;
    table.title = common().title;
    table.note = text_of(common().note, values());
    table.experiment = common().name;
    for (std::size_t g = 0; g < file_.groups.size(); ++g) {
      const std::string& group = file_.groups[g].label;
      for (std::size_t v = 0; v < file_.variants.size(); ++v) {
        std::optional<IntervalRow> row = row_of(store, g, v);
        if (!row) continue;
        if (!group.empty()) row->label = fmt::format("{}, {}", row->label, group);
        table.rows.push_back(*std::move(row));
      }
    }
    Findings all;
    all.intervals = std::move(table);
    return all;
  }

  std::string report(const RunStore& store, std::size_t width, bool /*times*/) const override {
    std::string text = common().heading + "\n" + text_of(common().about, values());
    for (std::size_t g = 0; g < file_.groups.size(); ++g) {
      const std::string& heading = file_.groups[g].heading;
      text += "\n" + (heading.empty() ? "" : heading + "\n");
      std::vector<std::string> header = {file_.column, "mean", "95 % interval",
                                         "worst",      "best", "difference"};
      if (file_.divergence) header.emplace_back("diverged");
      TextTable table(header);
      for (std::size_t v = 0; v < file_.variants.size(); ++v) {
        const std::optional<IntervalRow> row = row_of(store, g, v);
        if (!row) continue;
        std::vector<std::string> line = {row->label,
                                         fmt::format("{:.2f}", row->middle),
                                         fmt::format("[{:.2f}, {:.2f}]", row->low, row->high),
                                         fmt::format("{:.2f}", row->worst),
                                         fmt::format("{:.2f}", row->best),
                                         v == 0 ? "" : fmt::format("{:+.2f}", row->difference)};
        if (file_.divergence)
          line.push_back(row->diverged > 0 ? fmt::format("{} of {}", row->diverged, row->seeds) : "");
        table.add(line);
      }
      text += table.text(width);
    }
    return text;
  }

 private:
  [[nodiscard]] Values values() const {
    return {{"problem", file_.problem.text}, {"limit", fmt::format("{:.0f}", loss_limit())}};
  }

  /// None if fewer than two trainings are finished, because one training gives no interval.
  [[nodiscard]] std::optional<IntervalRow> row_of(const RunStore& store, std::size_t group,
                                                  std::size_t variant) const {
    std::vector<double> scores;
    std::vector<double> differences;
    int diverged = 0;
    const std::vector<std::size_t>& seeds = runs_of_[group][variant];
    for (std::size_t seed = 0; seed < seeds.size(); ++seed) {
      const Run& run = runs()[seeds[seed]];
      if (!is_finished(store, run)) continue;
      scores.push_back(mean_estimate(test_returns(store, run)).mean);
      if (file_.divergence)
        diverged += has_diverged(store.epochs(*store.find(run.settings())), loss_limit()) ? 1 : 0;
      const Run& first = runs()[runs_of_[group][0][seed]];
      if (is_finished(store, first)) {
        differences.push_back(scores.back() - mean_estimate(test_returns(store, first)).mean);
      }
    }
    if (scores.size() < 2) return std::nullopt;
    const MeanEstimate mean = mean_estimate(scores);
    const Interval interval = mean_interval(mean);
    return IntervalRow{
        file_.variants[variant].label,
        runs()[seeds.front()].method->name(),
        mean.mean,
        interval.low,
        interval.high,
        std::ranges::min(scores),
        std::ranges::max(scores),
        differences.empty() ? std::numeric_limits<double>::quiet_NaN() : mean_estimate(differences).mean,
        static_cast<int>(scores.size()),
        diverged};
  }

  /// The largest possible loss of an epoch whose values are all possible returns. Each of at most `horizon`
  /// collections pays between 0 and the largest reward, so values are between 0 and their product, and so
  /// are the target at a place and its previous value. A temporal difference is therefore at most twice as
  /// large.
  [[nodiscard]] double loss_limit() const {
    if (!file_.divergence) return std::numeric_limits<double>::infinity();
    const double horizon = problem_->horizon();
    const double difference = 2 * horizon * file_.divergence->largest_reward;
    return file_.divergence->episodes * horizon * difference * difference;
  }

  IntervalFile file_;
  std::shared_ptr<const Problem> problem_;
  std::vector<std::vector<std::vector<std::size_t>>> runs_of_;  // [group][variant][seed]
};

}  // namespace

std::unique_ptr<FileExperiment> interval_experiment(Common common, IntervalFile file) {
  return std::make_unique<IntervalExperiment>(std::move(common), std::move(file));
}

}  // namespace assay::experiments
