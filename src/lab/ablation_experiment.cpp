// Which part makes predictive reward cashing work? The paper's method with its parts taken away one by one,
// and the plain baseline with each of them added; each learned by either gradient, as some of them diverge
// with the semi-gradient.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <optional>

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

constexpr std::array<const char*, 2> kGradients = {"semi", "residual"};

class AblationExperiment final : public Experiment {
 public:
  explicit AblationExperiment(const Effort& effort) : effort_(effort), problem_(make_problem(family())) {
    for (const char* gradient : kGradients) {
      for (const Variant& variant : variants()) {
        for (int seed = 1; seed <= seeds(); ++seed) {
          const std::string spec = fmt::format("pcr(preset=paper,samples=40,epochs={}{},gradient={})",
                                               epochs(), variant.changes, gradient);
          runs_.push_back(
              make_run(problem_, spec, static_cast<std::uint64_t>(seed), episodes(), kAblationTestSeed));
        }
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
        "{}, N = 40, {} epochs, {} training seeds, {} test episodes each, the same for all: mean over seeds "
        "with Student's 95 % interval, and the difference to the method as the paper has it with the same "
        "gradient; {}",
        family(), epochs(), seeds(), episodes(), meaning_of_diverged());
    for (std::size_t g = 0; g < kGradients.size(); ++g) {
      for (std::size_t v = 0; v < variants().size(); ++v) {
        if (std::optional<IntervalRow> row = row_of(store, g, v)) {
          row->label = fmt::format("{}, {}", row->label, kGradients[g]);
          table.rows.push_back(*std::move(row));
        }
      }
    }
    Findings all;
    all.intervals = std::move(table);
    return all;
  }

  std::string report(const RunStore& store, std::size_t width, bool /*times*/) const override {
    std::string text = fmt::format(
        "ABLATION\n"
        "{}, order collect_then_move, N = 40, {} epochs, {} training seeds, {} test episodes each, the same "
        "for all. Mean over\nseeds with Student's 95 % interval, worst and best seed, and the difference to "
        "the first row, seed by seed.{}\n{}.\n",
        family(), epochs(), seeds(), episodes(), effort_.quick ? " Quick: far too little training." : "",
        capitalised(meaning_of_diverged()));
    for (std::size_t g = 0; g < kGradients.size(); ++g) {
      text += fmt::format("\nGradient: {}\n", g == 0 ? "semi, of the learned value alone"
                                                     : "residual, also of the value that it learns from");
      TextTable table({"variant of pcr(preset=paper)", "mean", "95 % interval", "worst", "best", "difference",
                       "diverged"});
      for (std::size_t v = 0; v < variants().size(); ++v) {
        const std::optional<IntervalRow> row = row_of(store, g, v);
        if (!row) continue;
        table.add({row->label, fmt::format("{:.2f}", row->middle),
                   fmt::format("[{:.2f}, {:.2f}]", row->low, row->high), fmt::format("{:.2f}", row->worst),
                   fmt::format("{:.2f}", row->best), v == 0 ? "" : fmt::format("{:+.2f}", row->difference),
                   row->diverged > 0 ? fmt::format("{} of {}", row->diverged, row->seeds) : ""});
      }
      text += table.text(width);
    }
    return text;
  }

 private:
  static constexpr std::uint64_t kAblationTestSeed = 5;

  [[nodiscard]] std::size_t run_of(std::size_t gradient, std::size_t variant, int seed) const {
    return (gradient * variants().size() + variant) * static_cast<std::size_t>(seeds()) +
           static_cast<std::size_t>(seed);
  }

  /// Nothing if fewer than two trainings are finished: one does not tell an interval.
  [[nodiscard]] std::optional<IntervalRow> row_of(const RunStore& store, std::size_t gradient,
                                                  std::size_t variant) const {
    std::vector<double> scores;
    std::vector<double> differences;
    int diverged = 0;
    for (int seed = 0; seed < seeds(); ++seed) {
      const Run& run = runs_[run_of(gradient, variant, seed)];
      if (!is_finished(store, run)) continue;
      scores.push_back(mean_estimate(test_returns(store, run)).mean);
      diverged += has_diverged(store.epochs(*store.find(run.settings())), loss_limit()) ? 1 : 0;
      const Run& first = runs_[run_of(gradient, 0, seed)];
      if (is_finished(store, first)) {
        differences.push_back(scores.back() - mean_estimate(test_returns(store, first)).mean);
      }
    }
    if (scores.size() < 2) return std::nullopt;
    const MeanEstimate mean = mean_estimate(scores);
    const Interval interval = mean_interval(mean);
    return IntervalRow{
        variants()[variant].label,
        runs_[run_of(gradient, variant, 0)].method->name(),
        mean.mean,
        interval.low,
        interval.high,
        std::ranges::min(scores),
        std::ranges::max(scores),
        differences.empty() ? std::numeric_limits<double>::quiet_NaN() : mean_estimate(differences).mean,
        static_cast<int>(scores.size()),
        diverged};
  }

  /// The largest loss of an epoch whose values are all possible returns. Each of at most `horizon`
  /// collections pays between 0 and 1, so values are between 0 and the horizon, and so are what is learned at
  /// a place and what it was worth before: a temporal difference is at most twice the horizon.
  [[nodiscard]] double loss_limit() const {
    constexpr int kBatch = 10;  // episodes in an epoch of the preset
    const double horizon = problem_->horizon();
    return kBatch * horizon * (2 * horizon) * (2 * horizon);
  }
  [[nodiscard]] std::string meaning_of_diverged() const {
    return fmt::format(
        "diverged: over the last tenth of the epochs the loss is not finite or on average above {:.0f}, "
        "which "
        "no values between the least and the most that an episode can pay would give",
        loss_limit());
  }
  static std::string capitalised(std::string text) {
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    return text;
  }

  [[nodiscard]] std::string family() const {
    return effort_.quick ? "treasure_map(size=3)" : "treasure_map(size=5)";
  }
  [[nodiscard]] int epochs() const { return effort_.quick ? 5 : 2000; }
  [[nodiscard]] int seeds() const { return effort_.quick ? 2 : std::max(3, effort_.seeds); }
  [[nodiscard]] int episodes() const { return effort_.quick ? 30 : 400; }

  Effort effort_;
  std::shared_ptr<const Problem> problem_;
  std::vector<Run> runs_;
};

}  // namespace

bool has_diverged(std::span<const EpochRecord> epochs, double limit) {
  const std::size_t last = (epochs.size() + 9) / 10;
  double sum = 0;
  for (const EpochRecord& epoch : epochs.last(last)) sum += epoch.loss;
  return last > 0 && !(sum / static_cast<double>(last) <= limit);  // NaN is above
}

std::unique_ptr<Experiment> ablation_experiment(const Effort& effort) {
  return std::make_unique<AblationExperiment>(effort);
}

}  // namespace assay
