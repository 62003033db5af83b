// Which part makes predictive reward cashing work? The paper's method with its parts taken away one by one,
// and the plain baseline with each of them added.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "assay/lab/experiment.hpp"
#include "assay/lab/statistics.hpp"
#include "assay/lab/text_table.hpp"

namespace assay {
namespace {

struct Variant {
  const char* label;
  const char* changes;  // to pcr(preset=paper)
};

const std::vector<Variant>& variants() {
  static const std::vector<Variant> all = {
      {"as the paper", ""},
      {"without the bound", ",bound=off"},
      {"exact lambda", ",lambda=exact"},
      {"starting from E[reward]", ",start=reward"},
      {"dense network", ",network=dense"},
      {"none of them", ",bound=off,lambda=exact,start=reward,network=dense"},
      {"the bound alone", ",lambda=exact,start=reward,network=dense"},
      {"v^c as the start alone", ",bound=off,lambda=exact,network=dense"},
      {"v^c and approximate lambda", ",bound=off,network=dense"},
      {"the patch network alone", ",bound=off,lambda=exact,start=reward"},
  };
  return all;
}

class AblationExperiment final : public Experiment {
 public:
  explicit AblationExperiment(const Effort& effort) : effort_(effort) {
    const std::shared_ptr<const Problem> problem = make_problem(family());
    for (const Variant& variant : variants()) {
      for (int seed = 1; seed <= seeds(); ++seed) {
        const std::string spec =
            fmt::format("pcr(preset=paper,samples=40,epochs={}{})", epochs(), variant.changes);
        runs_.push_back(
            make_run(problem, spec, static_cast<std::uint64_t>(seed), episodes(), kAblationTestSeed));
      }
    }
  }

  std::string name() const override { return "ablation"; }
  const std::vector<Run>& runs() const override { return runs_; }

  RunLabel label(std::size_t /*run*/) const override { return {}; }

  Findings findings(const RunStore& store) const override {
    IntervalTable table;
    table.title = "Ablation: pcr(preset=paper) with parts taken away";
    table.note = fmt::format(
        "{}, N = 40, {} epochs, {} training seeds, {} test episodes each, the same for all: interquartile "
        "mean "
        "over seeds with 95 % bootstrap interval",
        family(), epochs(), seeds(), episodes());
    const std::map<int, double> first = scores_of(store, 0);
    for (std::size_t v = 0; v < variants().size(); ++v) {
      std::vector<double> scores;
      std::vector<double> differences;
      for (const auto& [seed, score] : scores_of(store, v)) {
        scores.push_back(score);
        if (first.contains(seed)) differences.push_back(score - first.at(seed));
      }
      if (scores.size() < 2) continue;  // nothing to tell an interval from
      const Interval interval = bootstrap_interval(scores, interquartile_mean, Rng(v), kHow);
      table.rows.push_back(
          {variants()[v].label, runs_[run_of(v, 0)].method->name(), interquartile_mean(scores), interval.low,
           interval.high, std::ranges::min(scores), std::ranges::max(scores),
           differences.empty() ? std::numeric_limits<double>::quiet_NaN() : interquartile_mean(differences),
           static_cast<int>(scores.size())});
    }
    Findings all;
    all.intervals = std::move(table);
    return all;
  }

  std::string report(const RunStore& store, std::size_t width, bool /*times*/) const override {
    std::string text = "ABLATION\n";
    text += fmt::format(
        "{}, order collect_then_move, N = 40, {} epochs, {} training seeds, {} test episodes each, the same "
        "for all. "
        "Interquartile mean over seeds\nwith 95 % bootstrap interval, and the differences to the first row, "
        "seed by "
        "seed.{}\n\n",
        family(), epochs(), seeds(), episodes(), effort_.quick ? " Quick: far too little training." : "");
    TextTable table({"variant of pcr(preset=paper)", "IQM", "95 % interval", "worst", "best", "difference"});
    const IntervalTable found = *findings(store).intervals;
    for (const IntervalRow& row : found.rows) {
      table.add({row.label, fmt::format("{:.2f}", row.middle),
                 fmt::format("[{:.2f}, {:.2f}]", row.low, row.high), fmt::format("{:.2f}", row.worst),
                 fmt::format("{:.2f}", row.best),
                 &row == found.rows.data() ? "" : fmt::format("{:+.2f}", row.difference)});
    }
    return text + table.text(width);
  }

 private:
  static constexpr std::uint64_t kAblationTestSeed = 5;
  static constexpr Bootstrap kHow = {.level = 0.95, .resamples = 2000, .kind = BootstrapKind::kPercentile};

  [[nodiscard]] std::size_t run_of(std::size_t variant, int seed) const {
    return variant * static_cast<std::size_t>(seeds()) + static_cast<std::size_t>(seed);
  }
  /// The mean return of each finished training, by seed.
  [[nodiscard]] std::map<int, double> scores_of(const RunStore& store, std::size_t variant) const {
    std::map<int, double> scores;
    for (int seed = 0; seed < seeds(); ++seed) {
      const Run& run = runs_[run_of(variant, seed)];
      if (is_finished(store, run)) scores[seed] = mean_estimate(test_returns(store, run)).mean;
    }
    return scores;
  }

  [[nodiscard]] std::string family() const {
    return effort_.quick ? "treasure_map(size=3)" : "treasure_map(size=5)";
  }
  [[nodiscard]] int epochs() const { return effort_.quick ? 5 : 250; }
  [[nodiscard]] int seeds() const { return effort_.quick ? 2 : std::max(5, effort_.seeds); }
  [[nodiscard]] int episodes() const { return effort_.quick ? 30 : 400; }

  Effort effort_;
  std::vector<Run> runs_;
};

}  // namespace

std::unique_ptr<Experiment> ablation_experiment(const Effort& effort) {
  return std::make_unique<AblationExperiment>(effort);
}

}  // namespace assay
