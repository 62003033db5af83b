// Methods on several problems, compared with the exact solution of each: what their policies collect, how
// often and from which epoch on they reach the optimum, and where an expected outcome holds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "assay/solver/exact_solution.hpp"
#include "experiments/file_experiment.hpp"
#include "experiments/reader.hpp"
#include "lab/statistics.hpp"
#include "lab/text_table.hpp"

namespace assay::experiments {
namespace {

constexpr double kReturnRounding = 1e-9;

bool same_return(double a, double b) { return std::abs(a - b) <= kReturnRounding; }

std::string median_text(const std::vector<double>& values) {
  return fmt::format("{:.1f} ({:.1f})", median(values), median_absolute_deviation(values));
}

class SweepExperiment final : public FileExperiment {
 public:
  SweepExperiment(Common common, SweepFile file) : FileExperiment(std::move(common)), file_(std::move(file)) {
    for (const ProblemEntry& entry : file_.problems) {
      Solved& solved = swept_.emplace_back(solved_of(entry));
      for (const MethodEntry& method : file_.methods) {
        const RunLabel label =
            entry.title.empty() ? RunLabel{} : RunLabel{entry.title, method.label, this->common().statistic};
        solved.runs.push_back(add_runs(solved.problem, method.method, entry.with, label));
      }
    }
    if (!file_.map) return;
    for (const SweepFile::Map::Expected& expected : file_.map->problems) {
      Solved& solved = mapped_.emplace_back(solved_of(expected.problem));
      for (const SweepFile::Map::Named& method : file_.map->methods)
        solved.runs.push_back(add_runs(solved.problem, method.method, expected.problem.with));
    }
  }

  Findings findings(const RunStore& store) const override {
    SweepTable table;
    table.title = common().title;
    table.note = text_of(common().note);
    table.experiment = common().name;
    for (const MethodEntry& method : file_.methods) table.methods.push_back(method.label);
    for (std::size_t i = 0; i < swept_.size(); ++i) {
      SweepRow row;
      row.label = file_.problems[i].label;
      row.family = swept_[i].problem->name();
      std::tie(row.exact, row.without_source) = exact_values(*swept_[i].problem);
      for (const std::vector<std::size_t>& seeds : swept_[i].runs)
        row.cells.push_back(reached(store, swept_[i], seeds));
      table.rows.push_back(row);
    }
    Findings all;
    all.sweep = std::move(table);
    return all;
  }

  std::string report(const RunStore& store, std::size_t width, bool /*times*/) const override {
    std::string text = common().heading + "\n" + text_of(common().about) + "\n";
    if (!file_.curve_epochs.empty()) text += first_problem(store, width) + "\n";
    if (!file_.compared_note.empty()) text += text_of(file_.compared_note) + "\n";
    text += compared(store, width);
    return file_.map ? text + "\n" + map(store, width) : text;
  }

 private:
  struct Solved {
    std::shared_ptr<const Problem> problem;
    std::size_t exact = 0;                       // the run of the exact policy
    std::vector<std::vector<std::size_t>> runs;  // [method][seed]
  };

  Solved solved_of(const ProblemEntry& entry) {
    Solved solved;
    solved.problem = problem_of(entry.problem);
    solved.exact = add_run(solved.problem, {"exact", entry.problem.place}, 0, common().test_episodes);
    return solved;
  }

  /// v*, and v* without the first source of information: NaN if there is none.
  static std::pair<double, double> exact_values(const Problem& problem) {
    const ExactOptions options;
    const std::vector<Silenced> sources = problem.sources();
    return {problem.exact(options)->value(), sources.empty()
                                                 ? std::numeric_limits<double>::quiet_NaN()
                                                 : sources.front().problem->exact(options)->value()};
  }

  [[nodiscard]] double optimum(const RunStore& store, const Solved& solved) const {
    return mean(test_returns(store, runs()[solved.exact]));
  }

  /// What the trainings collect after this many epochs; none if they have fewer epochs. Methods that do not
  /// learn have only one epoch.
  [[nodiscard]] std::vector<double> collected(const RunStore& store, const std::vector<std::size_t>& seeds,
                                              int epoch) const {
    std::vector<double> all;
    for (const std::size_t run : seeds) {
      const std::vector<EpochRecord> epochs = store.epochs(*store.find(runs()[run].settings()));
      if (epochs.size() == 1) {
        all.push_back(epochs.front().mean_return);
      } else if (epochs.size() >= static_cast<std::size_t>(epoch)) {
        all.push_back(epochs[static_cast<std::size_t>(epoch) - 1].mean_return);
      }
    }
    return all;
  }

  /// For the first problem: its exact values, and what is collected by epoch.
  [[nodiscard]] std::string first_problem(const RunStore& store, std::size_t width) const {
    const Solved& first = swept_.front();
    const auto [with_source, without_source] = exact_values(*first.problem);
    const std::string& source = file_.words.source;
    std::string text = fmt::format("{}\nThe exact solver: v* = {:.4f}", first.problem->name(), with_source);
    if (!std::isnan(without_source)) {
      text += fmt::format(", without the {} {:.4f}, so the {} {}", source, without_source, source,
                          with_source > without_source + kReturnRounding ? "pays" : "does not pay");
    }
    text +=
        fmt::format("; the optimal policy collects {:.1f}. Collected by epoch:\n\n", optimum(store, first));
    std::vector<std::string> header = {"method"};
    for (const int epoch : file_.curve_epochs) header.push_back(fmt::format("{}", epoch));
    TextTable table(header);
    for (std::size_t m = 0; m < file_.methods.size(); ++m) {
      std::vector<std::string> row = {file_.methods[m].printed};
      for (const int epoch : file_.curve_epochs) {
        const std::vector<double> values = collected(store, first.runs[m], epoch);
        row.push_back(values.empty() ? "" : median_text(values));
      }
      table.add(row);
    }
    return text + table.text(width);
  }

  /// The epoch from which on the greedy policy of a run earns as much as the exact policy, if it does so at
  /// the end.
  [[nodiscard]] std::optional<int> settled(const RunStore& store, const Solved& solved,
                                           std::size_t run) const {
    const double best = mean(discounted_test_returns(store, runs()[solved.exact]));
    const double reached = mean(discounted_test_returns(store, runs()[run]));
    if (reached < best - kReturnRounding) return std::nullopt;
    const double earned = mean(test_returns(store, runs()[run]));
    const std::vector<EpochRecord> epochs = store.epochs(*store.find(runs()[run].settings()));
    std::size_t since = epochs.size();
    while (since > 0 && same_return(epochs[since - 1].mean_return, earned)) --since;
    return static_cast<int>(since) + 1;
  }

  /// None as long as one of the trainings is not finished.
  [[nodiscard]] std::optional<SweepCell> reached(const RunStore& store, const Solved& solved,
                                                 const std::vector<std::size_t>& seeds) const {
    std::vector<double> epochs;
    std::vector<double> returns;
    if (!is_finished(store, runs()[solved.exact])) return std::nullopt;
    for (const std::size_t run : seeds) {
      if (!is_finished(store, runs()[run])) return std::nullopt;
      const std::optional<int> since = settled(store, solved, run);
      if (since) epochs.push_back(*since);
      returns.push_back(mean(test_returns(store, runs()[run])));
    }
    return SweepCell{static_cast<int>(epochs.size()), static_cast<int>(seeds.size()),
                     epochs.empty() ? 0 : median(epochs), median(returns),
                     median_absolute_deviation(returns)};
  }

  /// A, B, ..., Z, AA, ...
  static std::string letters(std::size_t number) {
    const std::string last(1, static_cast<char>('A' + number % 26));
    return number < 26 ? last : letters(number / 26 - 1) + last;
  }

  static std::string yes_or_no(bool yes) { return yes ? "yes" : "no"; }

  /// The problems by letter, then what each method collects in each problem and how often it reaches the
  /// optimum.
  [[nodiscard]] std::string compared(const RunStore& store, std::size_t width) const {
    const SweepTable found = *findings(store).sweep;
    const SweepFile::Words& words = file_.words;
    TextTable problems({words.problem, words.problems, "v*", "without the " + words.source,
                        words.source + " pays", "optimum collects"});
    std::vector<std::string> header = {"collected, optimum reached"};
    for (std::size_t i = 0; i < found.rows.size(); ++i) {
      const SweepRow& row = found.rows[i];
      const bool known = !std::isnan(row.without_source);
      header.push_back(letters(i));
      problems.add({letters(i), row.label, fmt::format("{:.3f}", row.exact),
                    known ? fmt::format("{:.3f}", row.without_source) : "",
                    known ? yes_or_no(row.source_pays()) : "",
                    fmt::format("{:.1f}", optimum(store, swept_[i]))});
    }
    TextTable table(header);
    for (std::size_t m = 0; m < file_.methods.size(); ++m) {
      std::vector<std::string> line = {file_.methods[m].printed};
      for (const SweepRow& row : found.rows) {
        const std::optional<SweepCell>& cell = row.cells[m];
        line.push_back(!cell ? ""
                             : fmt::format("{:.1f} ({:.1f}) {}/{}", cell->collected, cell->deviation,
                                           cell->reached, cell->of));
      }
      table.add(line);
    }
    return problems.text(width) + "\n" + table.text(width);
  }

  /// A row of the map: the epochs at which the expected outcome holds.
  struct MapRow {
    int group = 0;  // the outcome holds and the information pays; it holds only; it does not hold
    std::vector<std::string> cells;
  };

  [[nodiscard]] MapRow map_row(const RunStore& store, std::size_t number) const {
    const Solved& solved = mapped_[number];
    const SweepFile::Map::Expected& expected = file_.map->problems[number];
    const auto [with_source, without_source] = exact_values(*solved.problem);
    const bool pays = with_source > without_source + kReturnRounding;
    MapRow row;
    row.cells.push_back(expected.problem.label);
    for (const std::string& name : file_.map->shown) row.cells.push_back(expected.problem.with.at(name));
    std::vector<std::string> cells;
    std::string epochs;  // at which it holds
    for (const int epoch : file_.map->epochs) {
      Values medians;
      bool holds = true;
      for (std::size_t m = 0; m < solved.runs.size(); ++m) {
        const std::vector<double> values = collected(store, solved.runs[m], epoch);
        if (values.empty()) break;
        medians[file_.map->methods[m].name] = median_text(values);
        holds = holds && same_return(median(values), expected.outcome[m]);
      }
      if (medians.size() < solved.runs.size()) {
        cells.emplace_back();
        continue;
      }
      if (holds) epochs += fmt::format("{}{}", epochs.empty() ? "" : ", ", epoch);
      cells.push_back((holds ? "* " : "") + filled(file_.map->cell, medians));
    }
    row.group = epochs.empty() ? 2 : pays ? 0 : 1;
    row.cells.push_back(yes_or_no(pays));
    row.cells.push_back(epochs);
    row.cells.insert(row.cells.end(), cells.begin(), cells.end());
    return row;
  }

  [[nodiscard]] std::string map(const RunStore& store, std::size_t width) const {
    std::vector<MapRow> rows;
    for (std::size_t i = 0; i < mapped_.size(); ++i) rows.push_back(map_row(store, i));
    std::ranges::stable_sort(rows, {}, &MapRow::group);
    std::vector<std::string> header = {file_.words.problem};
    header.insert(header.end(), file_.map->shown.begin(), file_.map->shown.end());
    header.insert(header.end(), {file_.words.source + " pays", "holds at epoch"});
    for (const int epoch : file_.map->epochs) header.push_back(fmt::format("epoch {}", epoch));
    TextTable table(header);
    for (const MapRow& row : rows) table.add(row.cells);
    return text_of(file_.map->about) + "\n" + table.text(width);
  }

  SweepFile file_;
  std::vector<Solved> swept_;   // for these problems all methods are run
  std::vector<Solved> mapped_;  // for these an outcome is expected
};

}  // namespace

std::unique_ptr<FileExperiment> sweep_experiment(Common common, SweepFile file) {
  return std::make_unique<SweepExperiment>(std::move(common), std::move(file));
}

}  // namespace assay::experiments
