// `assay compare`: several methods on one problem, with the statistics of the paper's experiments.
#include <fmt/format.h>

#include <algorithm>

#include "assay/lab/experiment.hpp"
#include "assay/lab/statistics.hpp"
#include "assay/lab/text_table.hpp"

namespace assay {
namespace {

class ComparisonExperiment final : public Experiment {
 public:
  explicit ComparisonExperiment(Comparison comparison)
      : comparison_(std::move(comparison)), problem_(make_problem(comparison_.family)) {
    for (const std::string& method : comparison_.methods) {
      first_.push_back(runs_.size());
      for (int i = 0; i < seeds_of(method); ++i) {
        runs_.push_back(make_run(problem_, method, comparison_.first_seed + static_cast<std::uint64_t>(i),
                                 comparison_.episodes, comparison_.test_seed));
      }
    }
    first_.push_back(runs_.size());
  }

  std::string name() const override { return "comparison"; }
  const std::vector<Run>& runs() const override { return runs_; }

  RunLabel label(std::size_t run) const override {
    const auto after = std::ranges::upper_bound(first_, run);
    return {comparison_.family, comparison_.methods[static_cast<std::size_t>(after - first_.begin()) - 1]};
  }

  Findings findings(const RunStore& store) const override {
    ResultTable table;
    table.title = comparison_.family;
    table.note = fmt::format("{} test episodes, the same for all methods", comparison_.episodes);
    table.columns = {"return"};
    table.families = {problem_->name()};
    for (std::size_t m = 0; m < comparison_.methods.size(); ++m) {
      ResultRow row{comparison_.methods[m], runs_[first_[m]].method->name(), {std::nullopt}};
      bool all = true;
      for (std::size_t run = first_[m]; run < first_[m + 1]; ++run) {
        all = all && is_finished(store, runs_[run]);
      }
      if (all) {
        const MeanEstimate e = mean_estimate(pooled(store, m));
        row.cells[0] = ResultCell{e.mean, e.standard_error, static_cast<int>(e.count), {}, 0};
      }
      table.rows.push_back(row);
    }
    Findings all;
    all.tables.push_back(std::move(table));
    return all;
  }

  std::string report(const RunStore& store, std::size_t width, bool times) const override {
    std::string text =
        fmt::format("{}\n{} test episodes, the same for all methods; training seeds from {}.\n\n",
                    problem_->name(), comparison_.episodes, comparison_.first_seed);
    std::string warnings;
    for (std::size_t m = 0; m < comparison_.methods.size(); ++m) {
      const std::string warning = runs_[first_[m]].method->warning(*problem_);
      if (!warning.empty()) warnings += fmt::format("warning: {}: {}.\n", comparison_.methods[m], warning);
    }
    if (!warnings.empty()) text += warnings + "\n";
    std::vector<std::string> header = {"method",
                                       "seeds",
                                       "return",
                                       "discounted",
                                       "IQM over seeds",
                                       "95 % interval",
                                       "minus the first, paired 95 %"};
    const std::vector<std::string> timed = times ? milliseconds(store) : std::vector<std::string>();
    if (!timed.empty()) header.emplace_back("ms per decision");
    TextTable table(header);
    const std::vector<double> reference = pooled(store, 0);
    for (std::size_t m = 0; m < comparison_.methods.size(); ++m) {
      std::vector<double> scores;
      std::vector<double> discounted;
      for (std::size_t run = first_[m]; run < first_[m + 1]; ++run) {
        scores.push_back(mean(test_returns(store, runs_[run])));
        discounted.push_back(mean(discounted_test_returns(store, runs_[run])));
      }
      const std::vector<double> returns = pooled(store, m);
      const MeanEstimate estimate = mean_estimate(returns);
      std::string interval;
      if (scores.size() > 1) {
        const Interval i =
            bootstrap_interval(scores, interquartile_mean, Rng(m), {.kind = BootstrapKind::kPercentile});
        interval = fmt::format("[{:.3f}, {:.3f}]", i.low, i.high);
      }
      std::string difference;
      if (m > 0) {
        const PairedDifference d = paired_difference(returns, reference);
        difference =
            fmt::format("{:+.3f} [{:+.3f}, {:+.3f}]", d.difference.mean, d.interval.low, d.interval.high);
      }
      std::vector<std::string> row = {comparison_.methods[m],
                                      fmt::format("{}", scores.size()),
                                      fmt::format("{:.3f} +- {:.3f}", estimate.mean, estimate.standard_error),
                                      fmt::format("{:.3f}", mean(discounted)),
                                      fmt::format("{:.3f}", interquartile_mean(scores)),
                                      interval,
                                      difference};
      if (!timed.empty()) row.push_back(timed[m]);
      table.add(row);
    }
    return text + table.text(width);
  }

 private:
  /// A method that does not learn has nothing to repeat.
  [[nodiscard]] int seeds_of(const std::string& method) const {
    const std::unique_ptr<Method> made = make_method(method);
    const std::string why = made->objection(*problem_);
    if (!why.empty()) throw UsageError(method + " cannot be used on " + problem_->name() + ": " + why);
    return made->learner(*problem_, Rng(0), 1) ? comparison_.seeds : 1;
  }

  /// Processor time per decision in the test, by method; empty if the store knows none.
  [[nodiscard]] std::vector<std::string> milliseconds(const RunStore& store) const {
    std::vector<std::string> texts;
    bool any = false;
    for (std::size_t m = 0; m < comparison_.methods.size(); ++m) {
      std::vector<double> seconds;
      for (std::size_t run = first_[m]; run < first_[m + 1]; ++run) {
        if (const auto one = seconds_per_decision(store, runs_[run])) seconds.push_back(*one);
      }
      texts.push_back(seconds.empty() ? "" : milliseconds_text(mean(seconds)));
      any = any || !seconds.empty();
    }
    return any ? texts : std::vector<std::string>();
  }

  /// The return of each test environment, over the training seeds.
  [[nodiscard]] std::vector<double> pooled(const RunStore& store, std::size_t method) const {
    std::vector<double> sum(static_cast<std::size_t>(comparison_.episodes));
    const auto count = static_cast<double>(first_[method + 1] - first_[method]);
    for (std::size_t run = first_[method]; run < first_[method + 1]; ++run) {
      const std::vector<double> one = test_returns(store, runs_[run]);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += one[i] / count;
    }
    return sum;
  }

  Comparison comparison_;
  std::shared_ptr<const Problem> problem_;
  std::vector<Run> runs_;
  std::vector<std::size_t> first_;  // [method + 1]
};

}  // namespace

std::unique_ptr<Experiment> comparison_experiment(const Comparison& comparison) {
  if (comparison.methods.empty()) throw UsageError("no methods to compare; for example --methods \"pcr,td\"");
  return std::make_unique<ComparisonExperiment>(comparison);
}

}  // namespace assay
