// Methods by problems, with the paper's numbers beside ours, how often a place is visited, and paired
// differences.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "assay/core/error.hpp"
#include "assay/lab/evaluation.hpp"
#include "experiments/file_experiment.hpp"
#include "experiments/reader.hpp"
#include "lab/statistics.hpp"
#include "lab/text_table.hpp"

namespace assay::experiments {
namespace {

class TableExperiment final : public FileExperiment {
 public:
  TableExperiment(Common common, TableFile file) : FileExperiment(std::move(common)), file_(std::move(file)) {
    for (const TableFile::Table& table : file_.tables) {
      Cells& cells = runs_of_.emplace_back();
      for (const ProblemEntry& entry : table.problems) {
        const std::shared_ptr<const Problem> problem = problem_of(entry.problem);
        std::vector<std::vector<std::size_t>>& column = cells.emplace_back(file_.methods.size());
        for (const std::size_t m : table.methods) {
          const MethodEntry& method = file_.methods[m];
          column[m] = add_runs(problem, method.method, entry.with,
                               {entry.title, method.label, this->common().statistic});
        }
      }
    }
    if (!file_.visits) return;
    const TableFile::Table& first = file_.tables.front();
    for (std::size_t p = 0; p < first.problems.size(); ++p) {
      const Run& any = runs()[runs_of_[0][p][first.methods.front()].front()];
      visited_states_.push_back(state_of(*file_.visits, first.problems[p], any.problem->states()));
    }
  }

  Findings findings(const RunStore& store) const override {
    Findings all;
    for (std::size_t t = 0; t < file_.tables.size(); ++t) all.tables.push_back(means(store, t));
    return all;
  }

  std::string report(const RunStore& store, std::size_t width, bool /*times*/) const override {
    std::string text = common().heading + "\n";
    text += text_of(common().about, values());
    for (std::size_t t = 0; t < file_.tables.size(); ++t) {
      const ResultTable table = means(store, t);
      const std::string note = table.note.empty() ? "" : fmt::format(" ({})", table.note);
      const std::string& heading = file_.tables[t].heading;
      text += "\n" + (heading.empty() ? "" : heading + note + "\n") + table_text(table, width);
    }
    if (file_.visits) {
      text +=
          "\n" + text_of(file_.visits->heading, {{"episodes", fmt::format("{}", file_.visits->episodes)}});
      text += "\n" + visits(store, width);
    }
    if (!file_.differences) return text;
    for (const std::size_t first : file_.differences->of) {
      text += "\n" + text_of(file_.differences->heading, {{"method", file_.methods[first].printed}});
      text += "\n" + differences(store, first, width);
    }
    return text;
  }

 private:
  [[nodiscard]] Values values() const {
    return {{"score", file_.score == Score::kDiscounted ? "discounted" : "undiscounted"},
            {"paper_environments", fmt::format("{}", file_.paper_environments)}};
  }

  using Cells = std::vector<std::vector<std::vector<std::size_t>>>;  // [problem][method][seed]

  /// The mean return in each environment, over the finished training seeds; empty if none is finished.
  [[nodiscard]] std::optional<std::vector<double>> returns(const RunStore& store, std::size_t table,
                                                           std::size_t problem, std::size_t method) const {
    std::vector<std::vector<double>> finished;
    for (const std::size_t run : runs_of_[table][problem][method]) {
      if (is_finished(store, runs()[run])) finished.push_back(scores_of(store, runs()[run], file_.score));
    }
    if (finished.empty()) return std::nullopt;
    std::vector<double> sum(finished.front().size());
    for (const std::vector<double>& one : finished) {
      for (std::size_t i = 0; i < one.size(); ++i) sum[i] += one[i] / static_cast<double>(finished.size());
    }
    return sum;
  }

  [[nodiscard]] ResultTable means(const RunStore& store, std::size_t number) const {
    const TableFile::Table& from = file_.tables[number];
    ResultTable table;
    table.title = from.title;
    table.note = text_of(from.note, values());
    table.paper = file_.paper_source;
    for (std::size_t p = 0; p < from.problems.size(); ++p) {
      const std::size_t any = runs_of_[number][p][from.methods.front()].front();
      table.columns.push_back(from.problems[p].label);
      table.families.push_back(runs()[any].problem->name());
    }
    for (const std::size_t m : from.methods) {
      const MethodEntry& method = file_.methods[m];
      ResultRow row{method.label, runs()[runs_of_[number][0][m].front()].method->name(), {}};
      for (std::size_t p = 0; p < from.problems.size(); ++p) {
        std::optional<ResultCell>& cell = row.cells.emplace_back();
        const std::optional<std::vector<double>> all = returns(store, number, p, m);
        if (!all) continue;
        const MeanEstimate ours = mean_estimate(*all);
        cell = ResultCell{ours.mean, ours.standard_error, static_cast<int>(ours.count), {}, 0};
        if (method.paper.empty()) continue;
        cell->paper = method.paper[p];
        // The error of the paper's mean is estimated from its number of environments and the spread of our
        // returns.
        cell->difference_error =
            ours.standard_error * std::sqrt(1 + static_cast<double>(ours.count) / file_.paper_environments);
      }
      table.rows.push_back(row);
    }
    return table;
  }

  /// The headers of the columns in printed tables.
  [[nodiscard]] std::vector<std::string> header(const char* first, bool with_paper) const {
    std::vector<std::string> header = {first};
    for (const ProblemEntry& problem : file_.tables.front().problems) {
      header.push_back(problem.label);
      if (with_paper) header.insert(header.end(), {"paper", "difference"});
    }
    return header;
  }

  [[nodiscard]] std::string table_text(const ResultTable& results, std::size_t width) const {
    const bool with_paper = file_.paper_environments > 0;
    std::vector<std::string> header = {"method"};
    for (const std::string& column : results.columns) {
      header.push_back(column);
      if (with_paper) header.insert(header.end(), {"paper", "difference"});
    }
    TextTable table(header);
    for (const ResultRow& result : results.rows) {
      std::vector<std::string> row = {printed(result.label)};
      for (const std::optional<ResultCell>& cell : result.cells) {
        row.push_back(cell ? fmt::format("{:.2f} +- {:.2f}", cell->mean, cell->standard_error) : "");
        if (!with_paper) continue;
        if (cell && cell->paper) {
          row.push_back(fmt::format("{:.2f} +- {:.2f}", cell->paper->mean, cell->paper->printed));
          row.push_back(
              fmt::format("{:+.2f} +- {:.2f}", cell->mean - cell->paper->mean, cell->difference_error));
        } else {
          row.insert(row.end(), {"", ""});
        }
      }
      table.add(row);
    }
    return table.text(width);
  }

  [[nodiscard]] std::string printed(const std::string& label) const {
    return std::ranges::find(file_.methods, label, &MethodEntry::label)->printed;
  }

  [[nodiscard]] int state_of(const TableFile::Visits& visits, const ProblemEntry& entry, int states) const {
    Values values = common().values;
    for (const auto& [name, value] : entry.with) values[name] = value;
    try {
      const std::string text = filled(visits.state.text, values);
      int state = -1;
      const auto end = std::from_chars(text.data(), text.data() + text.size(), state).ptr;
      if (end == text.data() + text.size() && state >= 0 && state < states) return state;
      throw UsageError(fmt::format("'{}' is no state of {}; states are numbers from 0 to {}", text,
                                   entry.problem.text, states - 1));
    } catch (const UsageError& error) {
      throw UsageError(visits.state.place + error.what());
    }
  }

  [[nodiscard]] std::string visits(const RunStore& store, std::size_t width) const {
    TextTable table(header("method", false));
    const TableFile::Table& first = file_.tables.front();
    for (const std::size_t m : first.methods) {
      std::vector<std::string> row = {file_.methods[m].printed};
      for (std::size_t p = 0; p < first.problems.size(); ++p) {
        const Visits& seen = visits_of(store, runs_of_[0][p][m].front(), visited_states_[p]);
        row.push_back(seen.visiting == 0
                          ? "0 %"
                          : fmt::format("{:.0f} %, step {:.1f}", 100.0 * seen.visiting / seen.episodes,
                                        seen.mean_first_step));
      }
      table.add(row);
    }
    return table.text(width);
  }

  const Visits& visits_of(const RunStore& store, std::size_t index, int state) const {
    const auto known = visits_.find(index);
    if (known != visits_.end()) return known->second;
    const Run& run = runs()[index];
    const std::string learned = store.policy_state(*store.find(run.settings())).value_or("");
    const std::unique_ptr<Policy> policy = run.method->policy(*run.problem, learned, 1);
    const TestEpisodes test{.seed = run.test_seed, .episodes = file_.visits->episodes, .threads = 0};
    return visits_.emplace(index, visits_to(*run.problem, *policy, state, test)).first->second;
  }

  [[nodiscard]] std::string differences(const RunStore& store, std::size_t minuend, std::size_t width) const {
    TextTable table(header("minus", false));
    const TableFile::Table& first = file_.tables.front();
    for (const std::size_t m : first.methods) {
      if (m == minuend) continue;
      std::vector<std::string> row = {file_.methods[m].printed};
      for (std::size_t p = 0; p < first.problems.size(); ++p) {
        const PairedDifference d =
            paired_difference(*returns(store, 0, p, minuend), *returns(store, 0, p, m));
        row.push_back(
            fmt::format("{:+.2f} [{:+.2f}, {:+.2f}]", d.difference.mean, d.interval.low, d.interval.high));
      }
      table.add(row);
    }
    return table.text(width);
  }

  TableFile file_;
  std::vector<Cells> runs_of_;                    // [table]
  std::vector<int> visited_states_;               // [problem of the first table]
  mutable std::map<std::size_t, Visits> visits_;  // by run: a cache
};

}  // namespace

std::unique_ptr<FileExperiment> table_experiment(Common common, TableFile file) {
  return std::make_unique<TableExperiment>(std::move(common), std::move(file));
}

}  // namespace assay::experiments
