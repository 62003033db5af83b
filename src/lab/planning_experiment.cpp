// `assay reproduce planning`: what methods that search at every step earn, against simulations per decision
// and against time.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "assay/lab/statistics.hpp"
#include "assay/lab/text_table.hpp"
#include "lab/planning.hpp"

namespace assay {
namespace {

/// The settings. Discounted where the field reports that: environments drawn from the prior, and a discount
/// below 1. The treasure map is this project's own, and its returns are undiscounted everywhere.
const std::vector<PlanningProblem>& planning_problems() {
  using enum PlanningScore;
  // clang-format off
  static const std::vector<PlanningProblem> all = {
      // family               test episodes                    bamcp's simulations  pcr_search's    learned
      {"treasure_map(size=5)",       200, kUndiscounted, {100, 1000, 3000}, {20, 100, 500}, {}},
      {"treasure_map(size=7)",       200, kUndiscounted, {100, 1000, 3000}, {20, 100, 500}, {"pcr", "td"}},
      {"bandit(arms=5,horizon=100)", 200, kUndiscounted, {100, 1000, 3000}, {4, 20, 100}, {}},
      {"double_loop",                 10, kUndiscounted, {100, 1000},       {5, 20, 100}, {}},
      {"grid_world(size=5)",          10, kUndiscounted, {100, 1000},       {5, 20}, {}},
      {"grid_world(size=10)",          6, kUndiscounted, {100, 1000},       {5, 20}, {}},
      {"bbrl_chain",                 200, kDiscounted,   {100, 500},        {10, 50}, {}},
      {"bbrl_double_loop",           200, kDiscounted,   {100, 500},        {10, 50}, {}},
      {"bbrl_grid",                  200, kDiscounted,   {100, 500},        {10, 50}, {}},
  };
  // clang-format on
  return all;
}

const std::vector<PlanningProblem>& quick_planning_problems() {
  using enum PlanningScore;
  static const std::vector<PlanningProblem> all = {
      {"treasure_map(size=3)", 20, kUndiscounted, {20, 100}, {5, 20}, {"pcr(epochs=20)", "td(epochs=20)"}},
      {"bandit(arms=3,horizon=20)", 20, kUndiscounted, {20, 100}, {5, 20}, {}},
      {"double_loop(horizon=50)", 4, kUndiscounted, {20, 100}, {5, 20}, {}},
      {"grid_world(size=3,horizon=50)", 4, kUndiscounted, {20, 100}, {5, 20}, {}},
      {"bbrl_chain(horizon=50)", 8, kDiscounted, {20, 100}, {5, 20}, {}},
  };
  return all;
}

constexpr const char* kPlanningReferences[] = {"thompson", "bayes_greedy", "beb", "random"};

constexpr std::uint64_t kPlanningTestSeed = 7;
constexpr std::uint64_t kPlanningTrainingSeed = 1;

enum class PlanningPart { kPcrSearch, kBamcp, kLearned, kReference, kCeiling };  // in the order of the tables

struct PlanningRow {
  PlanningPart part = PlanningPart::kReference;
  std::string name;     // as it was asked for, without simulations
  int simulations = 0;  // 0 if it has none
  std::size_t run = 0;

  [[nodiscard]] std::string label() const {
    return simulations > 0 ? fmt::format("{}, {} simulations", name, simulations) : name;
  }
  [[nodiscard]] std::string brief() const {
    return simulations > 0 ? fmt::format("{}({})", name, simulations) : name;
  }
};

struct PlannedOn {
  PlanningProblem settings;
  std::shared_ptr<const Problem> problem;
  std::vector<PlanningRow> rows;
  std::vector<std::string> left_out;  // methods that cannot be used on it, and why
};

std::string difference_text(std::span<const double> a, std::span<const double> b) {
  const PairedDifference d = paired_difference(a, b);
  return fmt::format("{:+.3f} [{:+.3f}, {:+.3f}]", d.difference.mean, d.interval.low, d.interval.high);
}

class PlanningExperiment final : public Experiment {
 public:
  PlanningExperiment(const std::vector<PlanningProblem>& problems, std::string remark)
      : remark_(std::move(remark)) {
    for (const PlanningProblem& settings : problems) {
      PlannedOn on{settings, make_problem(settings.family), {}, {}};
      for (const int n : settings.pcr_search) add(on, PlanningPart::kPcrSearch, "pcr_search", n);
      for (const int n : settings.bamcp) add(on, PlanningPart::kBamcp, "bamcp", n);
      for (const std::string& method : settings.learned) add(on, PlanningPart::kLearned, method);
      for (const char* method : kPlanningReferences) add(on, PlanningPart::kReference, method);
      add(on, PlanningPart::kCeiling, "oracle");
      problems_.push_back(std::move(on));
    }
  }

  std::string name() const override { return "planning"; }
  const std::vector<Run>& runs() const override { return runs_; }

  /// Not on their own: an episode of a search is as slow to show as it was to play.
  RunLabel label(std::size_t /*run*/) const override { return {}; }

  Findings findings(const RunStore& store) const override {
    ResultTable table;
    table.title = "Planning: value against simulations per decision";
    table.note = "mean return of test episodes that are the same for all methods" + remark_;
    std::vector<PlanningRow> labels;
    for (const PlannedOn& on : problems_) {
      table.columns.push_back(column_of(on));
      table.families.push_back(on.problem->name());
      for (const PlanningRow& row : on.rows) {
        const auto same = [&](const PlanningRow& r) { return r.label() == row.label(); };
        if (std::ranges::none_of(labels, same)) labels.push_back(row);
      }
    }
    std::ranges::stable_sort(labels, {},
                             [](const PlanningRow& r) { return std::tuple(r.part, r.simulations); });
    for (const PlanningRow& row : labels) {
      ResultRow& shown = table.rows.emplace_back();
      shown.label = row.label();
      shown.method = runs_[row.run].method->name();
      for (const PlannedOn& on : problems_) shown.cells.push_back(cell(store, on, row.label()));
    }
    Findings all;
    all.tables.push_back(std::move(table));
    return all;
  }

  std::string report(const RunStore& store, std::size_t width, bool times) const override {
    std::string text = fmt::format(
        "PLANNING\nMean return of test episodes that are the same for all methods, with 95 % intervals; "
        "differences are paired by episode.{}\n",
        remark_);
    if (times) {
      text += "Milliseconds: processor time of the test per decision, of the thread that plays.\n";
    }
    for (const PlannedOn& on : problems_) {
      text += fmt::format("\n{}: {}discounted return of {} episodes\n", on.settings.family,
                          on.settings.score == PlanningScore::kDiscounted ? "" : "un", on.settings.episodes);
      text += values(store, on, width, times);
      if (times) text += at_equal_time(store, on);
      text += against_others(store, on);
      for (const std::string& why : on.left_out) text += why + "\n";
    }
    return text;
  }

 private:
  void add(PlannedOn& on, PlanningPart part, const std::string& name, int simulations = 0) {
    const std::string spec = simulations > 0 ? fmt::format("{}(simulations={})", name, simulations) : name;
    const std::string why = make_method(spec)->objection(*on.problem);
    if (!why.empty()) {
      on.left_out.push_back(fmt::format("{} cannot be used here: {}.", spec, why));
      return;
    }
    on.rows.push_back({part, name, simulations, runs_.size()});
    const std::uint64_t seed = part == PlanningPart::kLearned ? kPlanningTrainingSeed : 0;
    runs_.push_back(make_run(on.problem, spec, seed, on.settings.episodes, kPlanningTestSeed));
  }

  static std::string column_of(const PlannedOn& on) {
    return on.settings.score == PlanningScore::kDiscounted ? on.settings.family + ", discounted"
                                                           : on.settings.family;
  }

  [[nodiscard]] std::vector<double> scores(const RunStore& store, const PlannedOn& on,
                                           const PlanningRow& row) const {
    const Run& run = runs_[row.run];
    return on.settings.score == PlanningScore::kDiscounted ? discounted_test_returns(store, run)
                                                           : test_returns(store, run);
  }

  [[nodiscard]] std::optional<ResultCell> cell(const RunStore& store, const PlannedOn& on,
                                               const std::string& label) const {
    const auto row = std::ranges::find(on.rows, label, &PlanningRow::label);
    if (row == on.rows.end() || !is_finished(store, runs_[row->run])) return std::nullopt;
    const MeanEstimate e = mean_estimate(scores(store, on, *row));
    return ResultCell{e.mean, e.standard_error, static_cast<int>(e.count), {}, 0};
  }

  [[nodiscard]] std::string values(const RunStore& store, const PlannedOn& on, std::size_t width,
                                   bool times) const {
    std::vector<std::string> header = {"method", "simulations", "value", "95 % interval"};
    if (times) header.emplace_back("ms per decision");
    TextTable table(header);
    for (const PlanningRow& row : on.rows) {
      const MeanEstimate e = mean_estimate(scores(store, on, row));
      const Interval interval = mean_interval(e);
      std::vector<std::string> line = {
          row.name, row.simulations > 0 ? fmt::format("{}", row.simulations) : "",
          fmt::format("{:.3f}", e.mean), fmt::format("[{:.3f}, {:.3f}]", interval.low, interval.high)};
      if (times) {
        const std::optional<double> seconds = seconds_per_decision(store, runs_[row.run]);
        line.push_back(seconds ? milliseconds_text(*seconds) : "");
      }
      table.add(line);
    }
    return table.text(width);
  }

  [[nodiscard]] static std::vector<const PlanningRow*> rows_of(const PlannedOn& on, PlanningPart part) {
    std::vector<const PlanningRow*> rows;
    for (const PlanningRow& row : on.rows) {
      if (row.part == part) rows.push_back(&row);
    }
    return rows;
  }

  /// What a time in brackets stands for is milliseconds per decision.
  [[nodiscard]] std::string at_equal_time(const RunStore& store, const PlannedOn& on) const {
    const std::vector<const PlanningRow*> others = rows_of(on, PlanningPart::kBamcp);
    std::vector<std::optional<double>> seconds;
    for (const PlanningRow* row : others) seconds.push_back(seconds_per_decision(store, runs_[row->run]));
    std::string text;
    for (const PlanningRow* row : rows_of(on, PlanningPart::kPcrSearch)) {
      const std::optional<double> own = seconds_per_decision(store, runs_[row->run]);
      const std::optional<std::size_t> chosen = own ? equal_time_choice(*own, seconds) : std::nullopt;
      if (!chosen) continue;
      const PlanningRow& other = *others[*chosen];
      text += fmt::format("{}{} ({} ms) minus {} ({} ms{}) {}", text.empty() ? "At equal time: " : "; ",
                          row->brief(), milliseconds_text(*own), other.brief(),
                          milliseconds_text(*seconds[*chosen]),
                          *seconds[*chosen] < *own ? ", the slowest there is" : "",
                          difference_text(scores(store, on, *row), scores(store, on, other)));
    }
    return text.empty() ? "" : text + "\n";
  }

  /// The ceiling, and the search with the most simulations against what was learned beforehand.
  [[nodiscard]] std::string against_others(const RunStore& store, const PlannedOn& on) const {
    std::string text;
    for (const PlanningRow* row : rows_of(on, PlanningPart::kCeiling)) {
      text += fmt::format("Ceiling, with full information: {:.3f}.\n", mean(scores(store, on, *row)));
    }
    const std::vector<const PlanningRow*> learned = rows_of(on, PlanningPart::kLearned);
    const std::vector<const PlanningRow*> searches = rows_of(on, PlanningPart::kPcrSearch);
    if (learned.empty() || searches.empty()) return text;
    const auto value = [&](const PlanningRow* row) { return mean(scores(store, on, *row)); };
    const PlanningRow& best = **std::ranges::max_element(learned, {}, value);
    const PlanningRow& search = **std::ranges::max_element(searches, {}, &PlanningRow::simulations);
    text += fmt::format("Best learned policy: {}, {:.3f}. {} minus the learned policies:", best.name,
                        value(&best), search.brief());
    const std::vector<double> searched = scores(store, on, search);
    for (const PlanningRow* row : learned) {
      text += fmt::format("{} {} {}", row == learned.front() ? "" : ";", row->name,
                          difference_text(searched, scores(store, on, *row)));
    }
    return text + ".\n";
  }

  std::string remark_;
  std::vector<Run> runs_;
  std::vector<PlannedOn> problems_;
};

}  // namespace

std::optional<std::size_t> equal_time_choice(double seconds, std::span<const std::optional<double>> others) {
  std::optional<std::size_t> chosen;
  for (std::size_t i = 0; i < others.size(); ++i) {
    if (!others[i]) continue;
    const auto better = [&](double other, double than) {
      if ((other >= seconds) != (than >= seconds)) return other >= seconds;
      return other >= seconds ? other < than : other > than;
    };
    if (!chosen || better(*others[i], *others[*chosen])) chosen = i;
  }
  return chosen;
}

std::unique_ptr<Experiment> planning_experiment_on(const std::vector<PlanningProblem>& problems,
                                                   std::string remark) {
  return std::make_unique<PlanningExperiment>(problems, std::move(remark));
}

std::unique_ptr<Experiment> planning_experiment(const Effort& effort) {
  return effort.quick ? planning_experiment_on(quick_planning_problems(),
                                               " Quick: far too few simulations and episodes.")
                      : planning_experiment_on(planning_problems());
}

}  // namespace assay
