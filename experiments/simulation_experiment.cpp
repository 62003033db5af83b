// What methods that search at every step earn, as a function of simulations per decision and of time.
#include "experiments/simulation_experiment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "experiments/file_experiment.hpp"
#include "lab/statistics.hpp"
#include "lab/text_table.hpp"

namespace assay::experiments {
namespace {

/// The methods in the order of the tables: the searches one after the other, then these.
constexpr std::size_t kLearned = 1000;
constexpr std::size_t kReference = 1001;
constexpr std::size_t kCeiling = 1002;

struct PlannedRow {
  std::size_t part = kReference;
  std::string name;     // as it was requested, without simulations
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
  SimulationFile::Planned settings;
  std::shared_ptr<const Problem> problem;
  std::vector<PlannedRow> rows;
  std::vector<std::string> left_out;  // methods that cannot be used on the problem, and why
};

std::string difference_text(std::span<const double> a, std::span<const double> b) {
  const PairedDifference d = paired_difference(a, b);
  return fmt::format("{:+.3f} [{:+.3f}, {:+.3f}]", d.difference.mean, d.interval.low, d.interval.high);
}

class SimulationExperiment final : public FileExperiment {
 public:
  SimulationExperiment(Common common, const SimulationFile& file) : FileExperiment(std::move(common)) {
    for (const SimulationFile::Planned& settings : file.problems) {
      PlannedOn on{settings, problem_of(settings.problem), {}, {}};
      for (std::size_t s = 0; s < file.searches.size(); ++s) {
        for (const int n : settings.simulations[s]) add(on, s, file.searches[s], n);
      }
      for (const Placed& method : settings.learned) add(on, kLearned, method);
      for (const Placed& method : file.references) add(on, kReference, method);
      if (!file.ceiling.text.empty()) add(on, kCeiling, file.ceiling);
      problems_.push_back(std::move(on));
    }
  }

  Findings findings(const RunStore& store) const override {
    ResultTable table;
    table.title = common().title;
    table.note = text_of(common().note);
    std::vector<PlannedRow> labels;
    for (const PlannedOn& on : problems_) {
      table.columns.push_back(column_of(on));
      table.families.push_back(on.problem->name());
      for (const PlannedRow& row : on.rows) {
        const auto same = [&](const PlannedRow& r) { return r.label() == row.label(); };
        if (std::ranges::none_of(labels, same)) labels.push_back(row);
      }
    }
    std::ranges::stable_sort(labels, {},
                             [](const PlannedRow& r) { return std::tuple(r.part, r.simulations); });
    for (const PlannedRow& row : labels) {
      ResultRow& shown = table.rows.emplace_back();
      shown.label = row.label();
      shown.method = runs()[row.run].method->name();
      for (const PlannedOn& on : problems_) shown.cells.push_back(cell(store, on, row.label()));
    }
    Findings all;
    all.tables.push_back(std::move(table));
    return all;
  }

  std::string report(const RunStore& store, std::size_t width, bool times) const override {
    std::string text = common().heading + "\n" + text_of(common().about);
    if (times) {
      text += "Milliseconds: processor time of the test per decision, of the thread that plays.\n";
    }
    for (const PlannedOn& on : problems_) {
      text += fmt::format("\n{}: {}discounted return of {} episodes\n", on.settings.problem.text,
                          on.settings.score == Score::kDiscounted ? "" : "un", on.settings.test_episodes);
      text += values(store, on, width, times);
      if (times) text += at_equal_time(store, on);
      text += against_others(store, on);
      for (const std::string& why : on.left_out) text += why + "\n";
    }
    return text;
  }

 private:
  void add(PlannedOn& on, std::size_t part, const Placed& method, int simulations = 0) {
    Placed spec = method;
    if (simulations > 0) spec.text = with_settings(method.text, fmt::format("simulations={}", simulations));
    const std::string why = objection(spec, *on.problem);
    if (!why.empty()) {
      on.left_out.push_back(fmt::format("{} cannot be used here: {}.", spec.text, why));
      return;
    }
    const std::uint64_t seed = part == kLearned ? 1 : 0;
    on.rows.push_back(
        {part, method.text, simulations, add_run(on.problem, spec, seed, on.settings.test_episodes)});
  }

  static std::string column_of(const PlannedOn& on) {
    return on.settings.problem.text + (on.settings.score == Score::kDiscounted ? ", discounted" : "");
  }

  [[nodiscard]] std::vector<double> scores(const RunStore& store, const PlannedOn& on,
                                           const PlannedRow& row) const {
    return scores_of(store, runs()[row.run], on.settings.score);
  }

  [[nodiscard]] std::optional<ResultCell> cell(const RunStore& store, const PlannedOn& on,
                                               const std::string& label) const {
    const auto row = std::ranges::find(on.rows, label, &PlannedRow::label);
    if (row == on.rows.end() || !is_finished(store, runs()[row->run])) return std::nullopt;
    const MeanEstimate e = mean_estimate(scores(store, on, *row));
    return ResultCell{e.mean, e.standard_error, static_cast<int>(e.count), {}, 0};
  }

  [[nodiscard]] std::string values(const RunStore& store, const PlannedOn& on, std::size_t width,
                                   bool times) const {
    std::vector<std::string> header = {"method", "simulations", "value", "95 % interval"};
    if (times) header.emplace_back("ms per decision");
    TextTable table(header);
    for (const PlannedRow& row : on.rows) {
      const MeanEstimate e = mean_estimate(scores(store, on, row));
      const Interval interval = mean_interval(e);
      std::vector<std::string> line = {
          row.name, row.simulations > 0 ? fmt::format("{}", row.simulations) : "",
          fmt::format("{:.3f}", e.mean), fmt::format("[{:.3f}, {:.3f}]", interval.low, interval.high)};
      if (times) {
        const std::optional<double> seconds = seconds_per_decision(store, runs()[row.run]);
        line.push_back(seconds ? milliseconds_text(*seconds) : "");
      }
      table.add(line);
    }
    return table.text(width);
  }

  [[nodiscard]] static std::vector<const PlannedRow*> rows_of(const PlannedOn& on, std::size_t part) {
    std::vector<const PlannedRow*> rows;
    for (const PlannedRow& row : on.rows) {
      if (row.part == part) rows.push_back(&row);
    }
    return rows;
  }

  /// The difference between the first search and the second where both take equally long. A time in brackets
  /// is in milliseconds per decision.
  [[nodiscard]] std::string at_equal_time(const RunStore& store, const PlannedOn& on) const {
    const std::vector<const PlannedRow*> others = rows_of(on, 1);
    std::vector<std::optional<double>> seconds;
    for (const PlannedRow* row : others) seconds.push_back(seconds_per_decision(store, runs()[row->run]));
    std::string text;
    for (const PlannedRow* row : rows_of(on, 0)) {
      const std::optional<double> own = seconds_per_decision(store, runs()[row->run]);
      const std::optional<std::size_t> chosen = own ? equal_time_choice(*own, seconds) : std::nullopt;
      if (!chosen) continue;
      const PlannedRow& other = *others[*chosen];
      text += fmt::format("{}{} ({} ms) minus {} ({} ms{}) {}", text.empty() ? "At equal time: " : "; ",
                          row->brief(), milliseconds_text(*own), other.brief(),
                          milliseconds_text(*seconds[*chosen]),
                          *seconds[*chosen] < *own ? ", the slowest there is" : "",
                          difference_text(scores(store, on, *row), scores(store, on, other)));
    }
    return text.empty() ? "" : text + "\n";
  }

  /// The ceiling, and the first search with the most simulations compared with methods that learned
  /// beforehand.
  [[nodiscard]] std::string against_others(const RunStore& store, const PlannedOn& on) const {
    std::string text;
    for (const PlannedRow* row : rows_of(on, kCeiling)) {
      text += fmt::format("Ceiling, with full information: {:.3f}.\n", mean(scores(store, on, *row)));
    }
    const std::vector<const PlannedRow*> learned = rows_of(on, kLearned);
    const std::vector<const PlannedRow*> searches = rows_of(on, 0);
    if (learned.empty() || searches.empty()) return text;
    const auto value = [&](const PlannedRow* row) { return mean(scores(store, on, *row)); };
    const PlannedRow& best = **std::ranges::max_element(learned, {}, value);
    const PlannedRow& search = **std::ranges::max_element(searches, {}, &PlannedRow::simulations);
    text += fmt::format("Best learned policy: {}, {:.3f}. {} minus the learned policies:", best.name,
                        value(&best), search.brief());
    const std::vector<double> searched = scores(store, on, search);
    for (const PlannedRow* row : learned) {
      text += fmt::format("{} {} {}", row == learned.front() ? "" : ";", row->name,
                          difference_text(searched, scores(store, on, *row)));
    }
    return text + ".\n";
  }

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

std::unique_ptr<FileExperiment> simulation_experiment(Common common, const SimulationFile& file) {
  return std::make_unique<SimulationExperiment>(std::move(common), file);
}

}  // namespace assay::experiments
