// `assay compare`: several methods on one problem, with the statistics of the paper's experiments.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "lab/experiment.hpp"
#include "lab/statistics.hpp"
#include "lab/text_table.hpp"

namespace assay {
namespace {

/// The test returns of one method, by environment or by training seed.
struct ComparedReturns {
  std::vector<double> plain, discounted;
};

class ComparisonExperiment final : public Experiment {
 public:
  explicit ComparisonExperiment(Comparison comparison)
      : comparison_(std::move(comparison)), problem_(make_problem(comparison_.family)) {
    bool limited = false;
    for (const std::string& spec : comparison_.methods) {
      const std::unique_ptr<Method> method = make_method(spec);
      const std::string objection = method->objection(*problem_);
      if (!objection.empty()) {
        left_out_.push_back({spec, fmt::format("cannot be used on {}: {}", problem_->name(), objection)});
        continue;
      }
      try {
        add(spec, seeds_of(*method));
      } catch (const LimitError& error) {
        left_out_.push_back({spec, error.what()});
        limited = true;
      }
    }
    if (!runs_.empty()) return;
    std::string all;
    for (const LeftOut& one : left_out_) all += (all.empty() ? "" : "; ") + one.spec + " " + one.why;
    if (limited) throw LimitError(all);
    throw UsageError(all);
  }

  std::string name() const override { return "comparison"; }
  const std::vector<Run>& runs() const override { return runs_; }

  RunLabel label(std::size_t run) const override { return {comparison_.family, compared_of(run).spec}; }

  bool leave_out(std::size_t run, const std::string& why) override {
    const std::string& spec = compared_of(run).spec;
    if (std::ranges::find(left_out_, spec, &LeftOut::spec) == left_out_.end())
      left_out_.push_back({spec, why});
    return true;
  }
  std::vector<LeftOut> left_out() const override { return left_out_; }

  Findings findings(const RunStore& store) const override {
    ResultTable table;
    table.title = comparison_.family;
    table.note = fmt::format("{} test episodes, the same for all methods", comparison_.episodes);
    if (discounts()) table.columns.emplace_back("discounted return");
    table.columns.emplace_back("return");
    table.families.assign(table.columns.size(), problem_->name());
    for (const Compared& method : compared_) {
      ResultRow row{method.spec, runs_[method.first].method->name(), {}};
      row.cells.resize(table.columns.size());
      if (finished(store, method)) {
        const ComparedReturns returns = by_environment(store, method);
        if (discounts()) row.cells.front() = cell(returns.discounted);
        row.cells.back() = cell(returns.plain);
      }
      table.rows.push_back(row);
    }
    Findings all;
    all.tables.push_back(std::move(table));
    return all;
  }

  std::string report(const RunStore& store, std::size_t width, bool times) const override {
    std::string text =
        fmt::format("{}\n{} test episodes, the same for all methods; training seeds from {}.\n",
                    problem_->name(), comparison_.episodes, comparison_.first_seed);
    if (discounts()) {
      text += fmt::format(
          "Methods maximise the discounted return (discount {}): the interquartile mean (IQM), its interval "
          "and "
          "the difference are of that.\n",
          problem_->discount());
    }
    if (problem_->outline().endless()) {
      text += fmt::format("{}: returns are without those steps.\n", cut_text(problem_->outline()));
    }
    text += "\n";
    std::string warnings;
    for (const Compared& method : compared_) {
      const std::string warning = runs_[method.first].method->warning(*problem_);
      if (!warning.empty()) warnings += fmt::format("warning: {}: {}.\n", method.spec, warning);
    }
    if (!warnings.empty()) text += warnings + "\n";
    std::vector<std::string> header = {"method", "seeds"};
    if (discounts()) header.emplace_back("discounted return");
    header.insert(header.end(),
                  {"return", "IQM over seeds", "95 % interval", "minus the first, paired 95 %"});
    const std::vector<std::string> timed = times ? milliseconds(store) : std::vector<std::string>();
    if (!timed.empty()) header.emplace_back("ms per decision");
    TextTable table(header);
    std::optional<std::vector<double>> reference;
    for (std::size_t m = 0; m < compared_.size(); ++m) {
      if (!finished(store, compared_[m])) continue;
      std::vector<std::string> row = table_row(store, compared_[m], reference);
      if (!timed.empty()) row.push_back(timed[m]);
      table.add(row);
    }
    text += table.text(width);
    if (!left_out_.empty()) text += "\nNot in the table:\n";
    for (const LeftOut& one : left_out_) text += fmt::format("  {}: {}\n", one.spec, one.why);
    return text;
  }

 private:
  struct Compared {
    std::string spec;
    std::size_t first = 0, count = 0;  // of the method's runs
  };

  void add(const std::string& spec, int seeds) {
    compared_.push_back({spec, runs_.size(), static_cast<std::size_t>(seeds)});
    for (int i = 0; i < seeds; ++i) {
      runs_.push_back(make_run(problem_, spec, comparison_.first_seed + static_cast<std::uint64_t>(i),
                               comparison_.episodes, comparison_.test_seed));
    }
  }

  /// A method that does not learn is run once, since repetitions would be equal.
  [[nodiscard]] int seeds_of(const Method& method) const {
    return method.learner(*problem_, Rng(0), 1) ? comparison_.seeds : 1;
  }

  [[nodiscard]] const Compared& compared_of(std::size_t run) const {
    const auto after = std::ranges::upper_bound(compared_, run, {}, &Compared::first);
    return *std::prev(after);
  }

  [[nodiscard]] bool discounts() const { return problem_->discount() < 1; }

  [[nodiscard]] bool finished(const RunStore& store, const Compared& method) const {
    const auto first = runs_.begin() + static_cast<std::ptrdiff_t>(method.first);
    return std::all_of(first, first + static_cast<std::ptrdiff_t>(method.count),
                       [&](const Run& run) { return is_finished(store, run); });
  }

  static ResultCell cell(const std::vector<double>& returns) {
    const MeanEstimate e = mean_estimate(returns);
    return {e.mean, e.standard_error, static_cast<int>(e.count), {}, 0};
  }

  /// The returns of the first row are the reference for the others.
  [[nodiscard]] std::vector<std::string> table_row(const RunStore& store, const Compared& method,
                                                   std::optional<std::vector<double>>& reference) const {
    const ComparedReturns returns = by_environment(store, method);
    const std::vector<double>& optimised = discounts() ? returns.discounted : returns.plain;
    const std::vector<double> scores = by_seed(store, method);
    const auto with_error = [](const std::vector<double>& values) {
      const MeanEstimate e = mean_estimate(values);
      return fmt::format("{:.3f} +- {:.3f}", e.mean, e.standard_error);
    };
    std::vector<std::string> row = {method.spec, fmt::format("{}", scores.size())};
    if (discounts()) row.push_back(with_error(returns.discounted));
    row.push_back(with_error(returns.plain));
    row.push_back(fmt::format("{:.3f}", interquartile_mean(scores)));
    row.emplace_back();
    if (scores.size() > 1) {
      const auto number = static_cast<std::uint64_t>(&method - compared_.data());
      const Interval i =
          bootstrap_interval(scores, interquartile_mean, Rng(number), {.kind = BootstrapKind::kPercentile});
      row.back() = fmt::format("[{:.3f}, {:.3f}]", i.low, i.high);
    }
    row.emplace_back();
    if (reference) {
      const PairedDifference d = paired_difference(optimised, *reference);
      row.back() =
          fmt::format("{:+.3f} [{:+.3f}, {:+.3f}]", d.difference.mean, d.interval.low, d.interval.high);
    } else {
      reference = optimised;
    }
    return row;
  }

  /// The processor time per decision in the test, by method; empty if the store has no times.
  [[nodiscard]] std::vector<std::string> milliseconds(const RunStore& store) const {
    std::vector<std::string> texts;
    bool any = false;
    for (const Compared& method : compared_) {
      std::vector<double> seconds;
      for (std::size_t run = method.first; run < method.first + method.count; ++run) {
        if (const auto one = seconds_per_decision(store, runs_[run])) seconds.push_back(*one);
      }
      texts.push_back(seconds.empty() ? "" : milliseconds_text(mean(seconds)));
      any = any || !seconds.empty();
    }
    return any ? texts : std::vector<std::string>();
  }

  /// The returns of each test environment, over the training seeds.
  [[nodiscard]] ComparedReturns by_environment(const RunStore& store, const Compared& method) const {
    const auto environments = static_cast<std::size_t>(comparison_.episodes);
    ComparedReturns all{std::vector<double>(environments), std::vector<double>(environments)};
    const auto add = [&](const std::vector<double>& one, std::vector<double>& to) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += one[i] / static_cast<double>(method.count);
    };
    for (std::size_t run = method.first; run < method.first + method.count; ++run) {
      add(test_returns(store, runs_[run]), all.plain);
      add(discounted_test_returns(store, runs_[run]), all.discounted);
    }
    return all;
  }

  /// The mean return of each training, in the measure that the methods maximise.
  [[nodiscard]] std::vector<double> by_seed(const RunStore& store, const Compared& method) const {
    std::vector<double> scores;
    for (std::size_t run = method.first; run < method.first + method.count; ++run) {
      scores.push_back(
          mean(discounts() ? discounted_test_returns(store, runs_[run]) : test_returns(store, runs_[run])));
    }
    return scores;
  }

  Comparison comparison_;
  std::shared_ptr<const Problem> problem_;
  std::vector<Run> runs_;
  std::vector<Compared> compared_;
  std::vector<LeftOut> left_out_;
};

}  // namespace

std::unique_ptr<Experiment> comparison_experiment(const Comparison& comparison) {
  if (comparison.methods.empty()) throw UsageError("no methods to compare; for example --methods \"pcr,td\"");
  return std::make_unique<ComparisonExperiment>(comparison);
}

}  // namespace assay
