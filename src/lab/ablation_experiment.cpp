// Which part makes predictive reward cashing work? The paper's method with its parts taken away one by one,
// and the plain baseline with each of them added.
#include <fmt/format.h>

#include <algorithm>

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

  std::string report(const RunStore& store) const override {
    std::string text = "ABLATION\n";
    text += fmt::format(
        "{}, order collect_then_move, N = 40, {} epochs, {} training seeds, {} test episodes each, the same "
        "for all. "
        "Interquartile mean over seeds\nwith 95 % bootstrap interval, and the differences to the first row, "
        "seed by "
        "seed.{}\n\n",
        family(), epochs(), seeds(), episodes(), effort_.quick ? " Quick: far too little training." : "");
    TextTable table({"variant of pcr(preset=paper)", "IQM", "95 % interval", "worst", "best", "difference"});
    std::vector<double> first;
    for (std::size_t v = 0; v < variants().size(); ++v) {
      std::vector<double> scores;
      for (int seed = 0; seed < seeds(); ++seed) {
        const std::size_t run = v * static_cast<std::size_t>(seeds()) + static_cast<std::size_t>(seed);
        scores.push_back(mean_estimate(test_returns(store, runs_[run])).mean);
      }
      if (v == 0) first = scores;
      const Interval interval = bootstrap_interval(scores, interquartile_mean, Rng(v), kHow);
      std::vector<double> difference;
      for (std::size_t i = 0; i < scores.size(); ++i) difference.push_back(scores[i] - first[i]);
      table.add({variants()[v].label, fmt::format("{:.2f}", interquartile_mean(scores)),
                 fmt::format("[{:.2f}, {:.2f}]", interval.low, interval.high),
                 fmt::format("{:.2f}", std::ranges::min(scores)),
                 fmt::format("{:.2f}", std::ranges::max(scores)),
                 v == 0 ? "" : fmt::format("{:+.2f}", interquartile_mean(difference))});
    }
    return text + table.text();
  }

 private:
  static constexpr std::uint64_t kAblationTestSeed = 5;
  static constexpr Bootstrap kHow = {.level = 0.95, .resamples = 2000, .kind = BootstrapKind::kPercentile};

  [[nodiscard]] std::string family() const {
    return effort_.quick ? "treasure_map(size=3)" : "treasure_map(size=5)";
  }
  [[nodiscard]] int epochs() const { return effort_.quick ? 10 : 250; }
  [[nodiscard]] int seeds() const { return effort_.quick ? 2 : std::max(5, effort_.seeds); }
  [[nodiscard]] int episodes() const { return effort_.quick ? 50 : 400; }

  Effort effort_;
  std::vector<Run> runs_;
};

}  // namespace

std::unique_ptr<Experiment> ablation_experiment(const Effort& effort) {
  return std::make_unique<AblationExperiment>(effort);
}

}  // namespace assay
