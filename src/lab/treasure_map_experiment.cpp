// The paper's table: five methods on three grids, with ours and the lines to measure them by.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "assay/lab/evaluation.hpp"
#include "assay/lab/experiment.hpp"
#include "assay/lab/statistics.hpp"
#include "assay/lab/text_table.hpp"

namespace assay {
namespace {

constexpr std::array<int, 3> kSizes = {3, 5, 7};
constexpr std::uint64_t kTestSeed = 20'220'329;
constexpr int kPaperEnvironments = 200;  // 20 trials of 10

struct MapMethod {
  const char* label;
  const char* spec;  // {} is the map's cell
  bool learns;
  std::optional<std::array<PaperResult, 3>> paper;
};

const std::vector<MapMethod>& map_methods() {
  static const std::vector<MapMethod> all = {
      {"pcr(preset=paper)", "pcr(preset=paper)", true, {{{{10.78, 0.24}, {15.17, 0.22}, {15.33, 0.16}}}}},
      {"td", "td", true, {{{{7.30, 0.31}, {10.46, 0.37}, {10.42, 0.26}}}}},
      {"vi_td", "vi_td", true, {{{{8.28, 0.21}, {11.02, 0.75}, {9.55, 0.82}}}}},
      {"vi_thompson", "vi_thompson", false, {{{{10.41, 0.16}, {11.72, 0.12}, {10.41, 0.15}}}}},
      {"vi_greedy", "vi_greedy", false, {{{{9.39, 0.16}, {9.91, 0.11}, {9.64, 0.10}}}}},
      {"pcr (ours)", "pcr", true, {}},
      {"to the map, then greedy", "via(state={})", false, {}},
      {"oracle", "oracle", false, {}},
  };
  return all;
}

const std::vector<std::string> kOrders = {"collect_then_move", "move_then_collect"};

class TreasureMapExperiment final : public Experiment {
 public:
  explicit TreasureMapExperiment(const Effort& effort) : effort_(effort) {
    for (const std::string& order : kOrders) {
      for (const int size : kSizes) {
        const std::shared_ptr<const Problem> problem =
            make_problem(fmt::format("treasure_map(size={},order={})", size, order));
        for (const MapMethod& method : map_methods()) {
          // The other order is there to be compared with the paper: for its own method, ours and the lines.
          const bool shown =
              order == kOrders[0] || !method.learns || std::string_view(method.label).starts_with("pcr");
          if (!shown) continue;
          const int seeds = method.learns ? effort.seeds : 1;
          for (int seed = 1; seed <= seeds; ++seed) add(problem, order, size, method, seed);
        }
      }
    }
  }

  std::string name() const override { return "treasure_map"; }
  const std::vector<Run>& runs() const override { return runs_; }

  RunLabel label(std::size_t run) const override {
    for (const auto& [key, indices] : index_) {
      if (std::ranges::find(indices, run) == indices.end()) continue;
      const bool papers = key.order == kOrders[0];
      return {fmt::format("{0}x{0}{1}", key.size, papers ? "" : ", " + key.order), key.label};
    }
    return {};
  }

  Findings findings(const RunStore& store) const override {
    Findings all;
    for (const std::string& order : kOrders) all.tables.push_back(means(store, order));
    return all;
  }

  std::string report(const RunStore& store, std::size_t width, bool /*times*/) const override {
    std::string text = "TREASURE MAP\n";
    text += fmt::format(
        "Undiscounted return of {} fresh environments, the same for all methods: mean +- standard error.{}\n"
        "The paper's numbers are as it prints them; it does not say what its +- is. The differences, ours "
        "minus "
        "the paper's, have a standard\nerror made of ours and of that which {} environments have, as many as "
        "the paper tests on, if they scatter as ours do.\n",
        episodes(), effort_.quick ? " Quick: far too little training; run without --quick for results." : "",
        kPaperEnvironments);
    for (const std::string& order : kOrders) {
      const ResultTable table = means(store, order);
      text += fmt::format("\nOrder: {} ({})\n{}", order, table.note, table_text(table, width));
    }
    text += fmt::format(
        "\nVisits to the map: share of {} of these environments, and the mean step of the first visit; "
        "order: "
        "{}\n{}",
        visit_episodes(), kOrders[0], visits(store, width));
    for (const char* first : {"pcr (ours)", "pcr(preset=paper)"}) {
      text += fmt::format("\nPaired differences, {} minus the method, with 95 % intervals; order: {}\n",
                          first, kOrders[0]);
      text += differences(store, first, width);
    }
    return text;
  }

 private:
  [[nodiscard]] int episodes() const { return effort_.quick ? 60 : 3000; }
  [[nodiscard]] int visit_episodes() const { return effort_.quick ? 60 : 1000; }

  void add(const std::shared_ptr<const Problem>& problem, const std::string& order, int size,
           const MapMethod& method, int seed) {
    std::string spec = fmt::format(fmt::runtime(method.spec), size * size / 2);
    if (effort_.quick && method.learns) {
      spec = spec.ends_with(')') ? spec.substr(0, spec.size() - 1) + ",epochs=20)" : spec + "(epochs=20)";
    }
    index_[{order, size, method.label}].push_back(runs_.size());
    runs_.push_back(
        make_run(problem, spec, method.learns ? static_cast<std::uint64_t>(seed) : 0, episodes(), kTestSeed));
  }

  /// Of each environment, over the training seeds that are finished. Nothing if none is.
  [[nodiscard]] std::optional<std::vector<double>> returns(const RunStore& store, const std::string& order,
                                                           int size, const std::string& label) const {
    const auto found = index_.find({order, size, label});
    if (found == index_.end()) return std::nullopt;
    std::vector<std::vector<double>> finished;
    for (const std::size_t run : found->second) {
      if (is_finished(store, runs_[run])) finished.push_back(test_returns(store, runs_[run]));
    }
    if (finished.empty()) return std::nullopt;
    std::vector<double> sum(finished.front().size());
    for (const std::vector<double>& one : finished) {
      for (std::size_t i = 0; i < one.size(); ++i) sum[i] += one[i] / static_cast<double>(finished.size());
    }
    return sum;
  }

  [[nodiscard]] ResultTable means(const RunStore& store, const std::string& order) const {
    ResultTable table;
    table.title = "Treasure map, " + order;
    table.note = order == kOrders[0] ? "the paper's numbers and the difference beside ours"
                                     : "the other reading of the paper's time line";
    for (const int size : kSizes) {
      table.columns.push_back(fmt::format("{0}x{0}", size));
      table.families.push_back(runs_[index_.at({order, size, "oracle"}).front()].problem->name());
    }
    for (const MapMethod& method : map_methods()) {
      const auto any = index_.find({order, kSizes[0], method.label});
      if (any == index_.end()) continue;
      ResultRow row{method.label, runs_[any->second.front()].method->name(), {}};
      for (std::size_t i = 0; i < kSizes.size(); ++i) {
        std::optional<ResultCell>& cell = row.cells.emplace_back();
        const std::optional<std::vector<double>> all = returns(store, order, kSizes[i], method.label);
        if (!all) continue;
        const MeanEstimate ours = mean_estimate(*all);
        cell = ResultCell{ours.mean, ours.standard_error, static_cast<int>(ours.count), {}, 0};
        if (!method.paper) continue;
        cell->paper = (*method.paper)[i];
        cell->difference_error =
            ours.standard_error * std::sqrt(1 + static_cast<double>(ours.count) / kPaperEnvironments);
      }
      table.rows.push_back(row);
    }
    return table;
  }

  static std::string table_text(const ResultTable& results, std::size_t width) {
    std::vector<std::string> header = {"method"};
    for (const std::string& column : results.columns) {
      header.push_back(column);
      header.emplace_back("paper");
      header.emplace_back("difference");
    }
    TextTable table(header);
    for (const ResultRow& result : results.rows) {
      std::vector<std::string> row = {result.label};
      for (const std::optional<ResultCell>& cell : result.cells) {
        row.push_back(cell ? fmt::format("{:.2f} +- {:.2f}", cell->mean, cell->standard_error) : "");
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

  /// The paper says that only its own method learned to go to the map.
  [[nodiscard]] std::string visits(const RunStore& store, std::size_t width) const {
    std::vector<std::string> header = {"method"};
    for (const int size : kSizes) header.push_back(fmt::format("{0}x{0}", size));
    TextTable table(header);
    for (const MapMethod& method : map_methods()) {
      std::vector<std::string> row = {method.label};
      for (const int size : kSizes) {
        const Visits& seen = visits_of(store, index_.at({kOrders[0], size, method.label}).front(), size);
        row.push_back(seen.visiting == 0
                          ? "0 %"
                          : fmt::format("{:.0f} %, step {:.1f}", 100.0 * seen.visiting / seen.episodes,
                                        seen.mean_first_step));
      }
      table.add(row);
    }
    return table.text(width);
  }

  const Visits& visits_of(const RunStore& store, std::size_t index, int size) const {
    const auto known = visits_.find(index);
    if (known != visits_.end()) return known->second;
    const Run& run = runs_[index];
    const std::string state = store.policy_state(*store.find(run.settings())).value_or("");
    const std::unique_ptr<Policy> policy = run.method->policy(*run.problem, state, 1);
    const TestEpisodes test{.seed = run.test_seed, .episodes = visit_episodes(), .threads = 0};
    return visits_.emplace(index, visits_to(*run.problem, *policy, size * size / 2, test)).first->second;
  }

  [[nodiscard]] std::string differences(const RunStore& store, const std::string& first,
                                        std::size_t width) const {
    std::vector<std::string> header = {"minus"};
    for (const int size : kSizes) header.push_back(fmt::format("{0}x{0}", size));
    TextTable table(header);
    for (const MapMethod& method : map_methods()) {
      if (method.label == first) continue;
      std::vector<std::string> row = {method.label};
      for (const int size : kSizes) {
        const PairedDifference d = paired_difference(*returns(store, kOrders[0], size, first),
                                                     *returns(store, kOrders[0], size, method.label));
        row.push_back(
            fmt::format("{:+.2f} [{:+.2f}, {:+.2f}]", d.difference.mean, d.interval.low, d.interval.high));
      }
      table.add(row);
    }
    return table.text(width);
  }

  Effort effort_;
  std::vector<Run> runs_;
  struct Key {
    std::string order;
    int size;
    std::string label;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, std::vector<std::size_t>> index_;
  mutable std::map<std::size_t, Visits> visits_;  // by run: a report may be asked for several times
};

}  // namespace

std::unique_ptr<Experiment> treasure_map_experiment(const Effort& effort) {
  return std::make_unique<TreasureMapExperiment>(effort);
}

}  // namespace assay
