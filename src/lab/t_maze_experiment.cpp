// The paper's T-maze: tabular TD against tabular PCR with cross-values from three sources, on a maze where
// the cue pays, and on a range of mazes where it may or may not.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>

#include "assay/lab/experiment.hpp"
#include "assay/lab/statistics.hpp"
#include "assay/lab/text_table.hpp"

namespace assay {
namespace {

struct MazeMethod {
  const char* label;
  const char* spec;
};
constexpr std::array<MazeMethod, 4> kMazeMethods = {{
    {"TD", "tabular_td"},
    {"PCR, belief horizon sampling", "tabular_pcr(cross=horizon)"},
    {"PCR, true environment known", "tabular_pcr(cross=known)"},
    {"PCR, value iteration", "tabular_pcr(cross=iteration)"},
}};

class TMazeExperiment final : public Experiment {
 public:
  explicit TMazeExperiment(const Effort& effort) : effort_(effort) {
    for (const std::string& spec : specs()) {
      Maze& maze = mazes_.emplace_back();
      maze.problem = make_problem(spec);
      maze.exact = runs_.size();
      runs_.push_back(make_run(maze.problem, "exact", 0, kMazeEpisodes, kMazeTestSeed));
      for (std::size_t m = 0; m < kMazeMethods.size(); ++m) {
        maze.first[m] = runs_.size();
        for (int seed = 1; seed <= repetitions(); ++seed) {
          runs_.push_back(make_run(maze.problem, kMazeMethods[m].spec, static_cast<std::uint64_t>(seed),
                                   kMazeEpisodes, kMazeTestSeed));
        }
      }
    }
  }

  std::string name() const override { return "t_maze"; }
  const std::vector<Run>& runs() const override { return runs_; }

  RunLabel label(std::size_t run) const override {
    const Maze& maze = mazes_.front();  // the others are in the sweep only
    for (std::size_t m = 0; m < kMazeMethods.size(); ++m) {
      const std::size_t end = maze.first[m] + static_cast<std::size_t>(repetitions());
      if (run < maze.first[m] || run >= end) continue;
      return {"T-maze: " + short_name(maze), kMazeMethods[m].label, CurveStatistic::kMedian};
    }
    return {};
  }

  Findings findings(const RunStore& store) const override {
    SweepTable table;
    table.title = "T-maze: reaching the optimum";
    table.note =
        "Repetitions that end with a greedy policy of the exact value, and the median epoch from which on "
        "they have it.";
    for (const MazeMethod& method : kMazeMethods) table.methods.emplace_back(method.label);
    for (const Maze& maze : mazes_) {
      SweepRow row;
      row.label = short_name(maze);
      row.family = maze.problem->name();
      std::tie(row.exact, row.without_cue) = cue_values(*maze.problem);
      for (const std::size_t first : maze.first) row.cells.push_back(reached(store, maze, first));
      table.rows.push_back(row);
    }
    Findings all;
    all.sweep = std::move(table);
    return all;
  }

  std::string report(const RunStore& store, std::size_t width, bool /*times*/) const override {
    std::string text = "T-MAZE\n";
    text += fmt::format(
        "Tables learned for {} epochs of one episode, epsilon 0.5, rate 0.01 / (1 + 0.001 n), {} "
        "repetitions.{}\n",
        curve(store, mazes_.front().first[0]).size(), repetitions(),
        effort_.quick ? " Quick: fewer mazes and repetitions." : "");
    const Maze& maze = mazes_.front();
    const auto [with_cue, without_cue] = cue_values(*maze.problem);
    text += fmt::format("\n{}\nThe exact solver: v* = {:.4f}, without the cue {:.4f}, so the cue {}.\n",
                        maze.problem->name(), with_cue, without_cue,
                        with_cue > without_cue + 1e-9 ? "pays" : "does not pay");
    text += "Return of the greedy policy by epoch, median (median absolute deviation):\n\n" +
            curves(store, maze, width);
    text +=
        "\nReaching the optimum: repetitions that end with a greedy policy of the exact value, and the "
        "median "
        "epoch from which on they have it.\n"
        "Where the cue does not pay, trying an arm at once is better by a little; PCR then still goes to the "
        "cue.\n\n";
    return text + sweep(*findings(store).sweep, width);
  }

 private:
  static constexpr int kMazeEpisodes = 50;
  static constexpr std::uint64_t kMazeTestSeed = 3;
  static constexpr std::array<int, 6> kShownEpochs = {99, 249, 499, 999, 1499, 1999};

  struct Maze {
    std::shared_ptr<const Problem> problem;
    std::size_t exact = 0;
    std::array<std::size_t, kMazeMethods.size()> first{};
  };

  [[nodiscard]] int repetitions() const { return effort_.quick ? 3 : 15; }
  [[nodiscard]] std::vector<std::string> specs() const {
    std::vector<std::string> all = {"t_maze"};
    if (effort_.quick) return all;
    for (const char* size : {"distance=2,arm=1", "distance=2,arm=2", "distance=3,arm=1", "distance=3,arm=2",
                             "distance=4,arm=2", "distance=4,arm=4", "distance=5,arm=5"}) {
      all.push_back(fmt::format("t_maze({})", size));
    }
    all.emplace_back("t_maze(distance=2,arm=1,discount=1)");
    all.emplace_back("t_maze(distance=4,arm=4,discount=0.9)");
    return all;
  }

  static std::pair<double, double> cue_values(const Problem& problem) {
    const ExactOptions options;
    return {problem.exact(options)->bayes_optimal(),
            problem.sources().front().problem->exact(options)->bayes_optimal()};
  }

  [[nodiscard]] std::vector<EpochRecord> curve(const RunStore& store, std::size_t run) const {
    return store.epochs(*store.find(runs_[run].settings()));
  }

  [[nodiscard]] std::string curves(const RunStore& store, const Maze& maze, std::size_t width) const {
    std::vector<std::string> header = {"method"};
    for (const int epoch : kShownEpochs) header.push_back(fmt::format("{}", epoch + 1));
    TextTable table(header);
    for (std::size_t m = 0; m < kMazeMethods.size(); ++m) {
      std::vector<std::vector<EpochRecord>> all;
      for (int i = 0; i < repetitions(); ++i)
        all.push_back(curve(store, maze.first[m] + static_cast<std::size_t>(i)));
      std::vector<std::string> row = {kMazeMethods[m].label};
      for (const int epoch : kShownEpochs) {
        std::vector<double> returns;
        for (const auto& one : all) returns.push_back(one[static_cast<std::size_t>(epoch)].mean_return);
        row.push_back(fmt::format("{:.1f} ({:.1f})", median(returns), median_absolute_deviation(returns)));
      }
      table.add(row);
    }
    return table.text(width);
  }

  /// The epoch from which on a run's greedy policy earns what the exact policy earns, if it ends that way.
  [[nodiscard]] std::optional<int> settled(const RunStore& store, const Maze& maze, std::size_t run) const {
    constexpr double kRounding = 1e-9;
    const double best = mean(discounted_test_returns(store, runs_[maze.exact]));
    const double reached = mean(discounted_test_returns(store, runs_[run]));
    if (reached < best - kRounding) return std::nullopt;
    const double earned = mean(test_returns(store, runs_[run]));
    const std::vector<EpochRecord> epochs = curve(store, run);
    std::size_t since = epochs.size();
    while (since > 0 && std::abs(epochs[since - 1].mean_return - earned) <= kRounding) --since;
    return static_cast<int>(since) + 1;
  }

  /// Of the repetitions from `first` on; nothing as long as one of them is not finished.
  [[nodiscard]] std::optional<SweepCell> reached(const RunStore& store, const Maze& maze,
                                                 std::size_t first) const {
    std::vector<double> epochs;
    if (!is_finished(store, runs_[maze.exact])) return std::nullopt;
    for (int i = 0; i < repetitions(); ++i) {
      const std::size_t run = first + static_cast<std::size_t>(i);
      if (!is_finished(store, runs_[run])) return std::nullopt;
      const std::optional<int> since = settled(store, maze, run);
      if (since) epochs.push_back(*since);
    }
    return SweepCell{static_cast<int>(epochs.size()), repetitions(), epochs.empty() ? 0 : median(epochs)};
  }

  static std::string sweep(const SweepTable& found, std::size_t width) {
    std::vector<std::string> header = {"maze", "v*", "cue pays"};
    header.insert(header.end(), found.methods.begin(), found.methods.end());
    TextTable table(header);
    for (const SweepRow& maze : found.rows) {
      std::vector<std::string> row = {maze.label, fmt::format("{:.3f}", maze.exact),
                                      maze.cue_pays() ? "yes" : "no"};
      for (const std::optional<SweepCell>& cell : maze.cells) {
        if (!cell) {
          row.emplace_back();
        } else if (cell->reached == 0) {
          row.push_back(fmt::format("0/{}", cell->of));
        } else {
          row.push_back(fmt::format("{}/{}, {:.0f}", cell->reached, cell->of, cell->epoch));
        }
      }
      table.add(row);
    }
    return table.text(width);
  }

  /// Without what all mazes have in common.
  static std::string short_name(const Maze& maze) {
    const Spec spec = parse_spec(maze.problem->name());
    std::string text;
    for (const Spec::Setting& s : spec.settings) {
      if (s.key != "distance" && s.key != "arm" && s.key != "discount") continue;
      text += (text.empty() ? "" : ", ") + s.key + " " + s.value;
    }
    return text;
  }

  Effort effort_;
  std::vector<Maze> mazes_;
  std::vector<Run> runs_;
};

}  // namespace

std::unique_ptr<Experiment> t_maze_experiment(const Effort& effort) {
  return std::make_unique<TMazeExperiment>(effort);
}

}  // namespace assay
