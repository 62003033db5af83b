// The paper's T-maze: tabular TD against tabular PCR, by what the greedy policy collects in both
// environments: on the default maze, on mazes in which v^c does not lead to the cue, and on a map of mazes
// that says where the paper's outcome holds.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
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
constexpr std::size_t kMazeTd = 0;
constexpr std::size_t kMazePcr = 1;
constexpr std::array<MazeMethod, 8> kMazeMethods = {{
    {"TD", "tabular_td(preset=paper)"},
    {"PCR, belief horizon sampling", "tabular_pcr(preset=paper,cross=horizon)"},
    {"  its v^c alone", "tabular_pcr(preset=paper,cross=horizon,first_epoch=1500)"},
    {"PCR, true environment known", "tabular_pcr(preset=paper,cross=known)"},
    {"PCR, value iteration", "tabular_pcr(preset=paper,cross=iteration)"},
    {"  its v^c alone, nothing learned", "tabular_pcr(preset=paper,cross=iteration,epochs=1)"},
    {"PCR (ours)", "tabular_pcr"},
    {"TD, at the rate of ours", "tabular_td"},
}};

/// Mazes that all methods are tried on; the first is the default.
constexpr std::array<const char*, 6> kComparedMazes = {
    "t_maze",
    "t_maze(cue=junction)",
    "t_maze(cue=arm)",
    "t_maze(distance=6,cue=junction)",
    "t_maze(distance=5,arm=5)",
    "t_maze(distance=5,arm=2)",
};

/// The map: TD and PCR with belief horizon sampling, as the paper has them.
struct MappedMaze {
  const char* spec;
  int episodes = 1;  // per epoch
};
constexpr std::array<MappedMaze, 17> kMappedMazes = {{
    {"t_maze"},
    {"t_maze(distance=2,arm=1)"},
    {"t_maze(distance=3,arm=1)"},
    {"t_maze(distance=3,arm=2)"},
    {"t_maze(distance=3,arm=3)"},
    {"t_maze(distance=4,arm=2)"},
    {"t_maze(distance=4,arm=4)"},
    {"t_maze(distance=5,arm=2)"},
    {"t_maze(distance=5,arm=3)"},
    {"t_maze(distance=5,arm=5)"},
    {"t_maze(distance=3,arm=2,discount=0.95)"},
    {"t_maze(distance=4,arm=3,discount=0.95)"},
    {"t_maze(distance=4,arm=4,discount=0.95)"},
    {"t_maze(distance=5,arm=3,discount=0.95)"},
    {"t_maze(distance=5,arm=5,discount=0.95)"},
    {"t_maze", 10},
    {"t_maze(distance=5,arm=3)", 10},
}};
constexpr std::array<int, 5> kMapEpochs = {250, 500, 1000, 1500, 2000};
constexpr int kMappedEpochs = 2000;
constexpr std::array<int, 6> kCurveEpochs = {250, 500, 750, 1000, 1250, 1500};
constexpr int kManyEpisodesEpochs = 500;  // of trainings with several episodes per epoch

constexpr double kMazeRounding = 1e-9;

bool same_return(double a, double b) { return std::abs(a - b) <= kMazeRounding; }

std::string median_text(const std::vector<double>& values) {
  return fmt::format("{:.1f} ({:.1f})", median(values), median_absolute_deviation(values));
}

class TMazeExperiment final : public Experiment {
 public:
  explicit TMazeExperiment(const Effort& effort) : effort_(effort) {
    for (const char* spec : kComparedMazes) {
      if (effort.quick && !mazes_.empty()) break;
      Maze& maze = mazes_.emplace_back(make_maze(spec));
      for (const MazeMethod& method : kMazeMethods) maze.first.push_back(add(maze, method.spec));
    }
    for (const MappedMaze& mapped : kMappedMazes) {
      if (effort.quick && !map_.empty()) break;
      Maze& maze = map_.emplace_back(make_maze(mapped.spec));
      maze.episodes = mapped.episodes;
      const std::string more = fmt::format(",episodes={},epochs={}", mapped.episodes,
                                           mapped.episodes > 1 ? kManyEpisodesEpochs : kMappedEpochs);
      maze.first = {add(maze, fmt::format("tabular_td(preset=paper{})", more)),
                    add(maze, fmt::format("tabular_pcr(preset=paper,cross=horizon{})", more))};
    }
  }

  std::string name() const override { return "t_maze"; }
  const std::vector<Run>& runs() const override { return runs_; }

  RunLabel label(std::size_t run) const override {
    const Maze& maze = mazes_.front();  // the others are in tables only
    for (std::size_t m = 0; m < kMazeMethods.size(); ++m) {
      const std::size_t end = maze.first[m] + static_cast<std::size_t>(repetitions());
      if (run < maze.first[m] || run >= end) continue;
      return {"T-maze: " + short_name(maze), plain_label(m), CurveStatistic::kMedian};
    }
    return {};
  }

  Findings findings(const RunStore& store) const override {
    SweepTable table;
    table.title = "T-maze: what is collected, and who reaches the optimum";
    table.note =
        "What the greedy policy collects after the last epoch, mean of both environments: median and median "
        "absolute deviation over the repetitions. Reached: repetitions that end with the exact value, and "
        "the "
        "median epoch from which on they have it.";
    for (std::size_t m = 0; m < kMazeMethods.size(); ++m) table.methods.push_back(plain_label(m));
    for (const Maze& maze : mazes_) {
      SweepRow row;
      row.label = short_name(maze, false);  // the discount is the same
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
        "Tables, epsilon 0.5, 1500 epochs unless it says otherwise, {} repetitions. As the paper: rate 0.01 "
        "/ (1 + 0.001 n), one episode in an epoch, v^f learned from\nepoch 100 on. The paper prints neither "
        "the size of the maze nor the discount, the epochs and the episodes in an epoch.{}\n"
        "Collected: undiscounted return of the greedy policy, mean of both environments; median over "
        "repetitions (median absolute deviation).\n",
        repetitions(), effort_.quick ? " Quick: fewer mazes and repetitions." : "");
    const Maze& maze = mazes_.front();
    const auto [with_cue, without_cue] = cue_values(*maze.problem);
    text += fmt::format(
        "\n{}\nThe exact solver: v* = {:.4f}, without the cue {:.4f}, so the cue {}; the optimal policy "
        "collects "
        "{:.1f}. Collected by epoch:\n\n",
        maze.problem->name(), with_cue, without_cue,
        with_cue > without_cue + kMazeRounding ? "pays" : "does not pay", optimum(store, maze));
    text += curves(store, maze, width);
    text +=
        "\nv^c alone: the same with v^f = 0 for ever. Where that does as well, nothing was learned about the "
        "cue: v^c is lowest near the arms, and fleeing from them leads there.\n\n" +
        compared(store, width) + "\n" + map(store, width);
    return text;
  }

 private:
  /// Test episodes 0 and 1 of this seed are in different environments: the test is of both, once each.
  static constexpr int kMazeEpisodes = 2;
  static constexpr std::uint64_t kMazeTestSeed = 2;

  struct Maze {
    std::shared_ptr<const Problem> problem;
    std::size_t exact = 0;
    int episodes = 1;
    std::vector<std::size_t> first;  // [method], the first repetition
  };

  [[nodiscard]] int repetitions() const { return effort_.quick ? 3 : 15; }

  Maze make_maze(const char* spec) {
    Maze maze;
    maze.problem = make_problem(spec);
    maze.exact = find_or_add(make_run(maze.problem, "exact", 0, kMazeEpisodes, kMazeTestSeed));
    return maze;
  }

  /// Mazes of the map may be compared too: their runs are made once.
  std::size_t find_or_add(Run run) {
    const auto [known, fresh] = index_.try_emplace(run.settings(), runs_.size());
    if (fresh) runs_.push_back(std::move(run));
    return known->second;
  }

  /// All repetitions, one after the other; the first.
  std::size_t add(const Maze& maze, const std::string& method) {
    std::optional<std::size_t> first;
    for (int seed = 1; seed <= repetitions(); ++seed) {
      const std::size_t at = find_or_add(
          make_run(maze.problem, method, static_cast<std::uint64_t>(seed), kMazeEpisodes, kMazeTestSeed));
      if (!first) first = at;
    }
    return *first;
  }

  static std::string plain_label(std::size_t method) {
    if (method == 2) return "v^c alone, belief horizon sampling";
    if (method == 5) return "v^c alone, value iteration";
    return kMazeMethods[method].label;
  }

  static std::pair<double, double> cue_values(const Problem& problem) {
    const ExactOptions options;
    return {problem.exact(options)->bayes_optimal(),
            problem.sources().front().problem->exact(options)->bayes_optimal()};
  }

  [[nodiscard]] double optimum(const RunStore& store, const Maze& maze) const {
    return mean(test_returns(store, runs_[maze.exact]));
  }

  /// What the repetitions collect after so many epochs; nothing if they are not trained for so long. Of those
  /// that learn nothing, the only epoch.
  [[nodiscard]] std::vector<double> collected(const RunStore& store, std::size_t first, int epoch) const {
    std::vector<double> all;
    for (int i = 0; i < repetitions(); ++i) {
      const Run& run = runs_[first + static_cast<std::size_t>(i)];
      const std::vector<EpochRecord> epochs = store.epochs(*store.find(run.settings()));
      if (epochs.size() == 1) {
        all.push_back(epochs.front().mean_return);
      } else if (epochs.size() >= static_cast<std::size_t>(epoch)) {
        all.push_back(epochs[static_cast<std::size_t>(epoch) - 1].mean_return);
      }
    }
    return all;
  }

  [[nodiscard]] std::string curves(const RunStore& store, const Maze& maze, std::size_t width) const {
    std::vector<std::string> header = {"method"};
    for (const int epoch : kCurveEpochs) header.push_back(fmt::format("{}", epoch));
    TextTable table(header);
    for (std::size_t m = 0; m < kMazeMethods.size(); ++m) {
      std::vector<std::string> row = {kMazeMethods[m].label};
      for (const int epoch : kCurveEpochs) row.push_back(median_text(collected(store, maze.first[m], epoch)));
      table.add(row);
    }
    return table.text(width);
  }

  /// The epoch from which on a run's greedy policy earns what the exact policy earns, if it ends that way.
  [[nodiscard]] std::optional<int> settled(const RunStore& store, const Maze& maze, std::size_t run) const {
    const double best = mean(discounted_test_returns(store, runs_[maze.exact]));
    const double reached = mean(discounted_test_returns(store, runs_[run]));
    if (reached < best - kMazeRounding) return std::nullopt;
    const double earned = mean(test_returns(store, runs_[run]));
    const std::vector<EpochRecord> epochs = store.epochs(*store.find(runs_[run].settings()));
    std::size_t since = epochs.size();
    while (since > 0 && same_return(epochs[since - 1].mean_return, earned)) --since;
    return static_cast<int>(since) + 1;
  }

  /// Of the repetitions from `first` on; nothing as long as one of them is not finished.
  [[nodiscard]] std::optional<SweepCell> reached(const RunStore& store, const Maze& maze,
                                                 std::size_t first) const {
    std::vector<double> epochs;
    std::vector<double> returns;
    if (!is_finished(store, runs_[maze.exact])) return std::nullopt;
    for (int i = 0; i < repetitions(); ++i) {
      const std::size_t run = first + static_cast<std::size_t>(i);
      if (!is_finished(store, runs_[run])) return std::nullopt;
      const std::optional<int> since = settled(store, maze, run);
      if (since) epochs.push_back(*since);
      returns.push_back(mean(test_returns(store, runs_[run])));
    }
    return SweepCell{static_cast<int>(epochs.size()), repetitions(), epochs.empty() ? 0 : median(epochs),
                     median(returns), median_absolute_deviation(returns)};
  }

  /// The mazes by letter, then what each method collects in each and how often it reaches the optimum.
  [[nodiscard]] std::string compared(const RunStore& store, std::size_t width) const {
    const SweepTable found = *findings(store).sweep;
    TextTable mazes({"maze", "discount 0.9", "v*", "without the cue", "cue pays", "optimum collects"});
    std::vector<std::string> header = {"collected, optimum reached"};
    for (std::size_t i = 0; i < found.rows.size(); ++i) {
      const SweepRow& row = found.rows[i];
      const std::string letter(1, static_cast<char>('A' + i));
      header.push_back(letter);
      mazes.add({letter, row.label, fmt::format("{:.3f}", row.exact), fmt::format("{:.3f}", row.without_cue),
                 row.cue_pays() ? "yes" : "no", fmt::format("{:.1f}", optimum(store, mazes_[i]))});
    }
    TextTable table(header);
    for (std::size_t m = 0; m < kMazeMethods.size(); ++m) {
      std::vector<std::string> line = {kMazeMethods[m].label};
      for (const SweepRow& row : found.rows) {
        const std::optional<SweepCell>& cell = row.cells[m];
        line.push_back(!cell ? ""
                             : fmt::format("{:.1f} ({:.1f}) {}/{}", cell->collected, cell->deviation,
                                           cell->reached, cell->of));
      }
      table.add(line);
    }
    return mazes.text(width) + "\n" + table.text(width);
  }

  /// A row of the map: at which epochs the paper's outcome is there.
  struct MapRow {
    int group = 0;  // the outcome holds and the cue pays; it holds; it does not
    std::vector<std::string> cells;
  };

  [[nodiscard]] MapRow map_row(const RunStore& store, const Maze& maze) const {
    const auto [with_cue, without_cue] = cue_values(*maze.problem);
    const bool pays = with_cue > without_cue + kMazeRounding;
    // To the cue, and then three times the way.
    const double by_the_cue = std::max(0, maze.problem->horizon() - 3 * maze.problem->starts().front().state);
    MapRow row;
    std::vector<std::string> cells;
    std::string epochs;  // at which it holds
    for (const int epoch : kMapEpochs) {
      const std::vector<double> td = collected(store, maze.first[kMazeTd], epoch);
      const std::vector<double> pcr = collected(store, maze.first[kMazePcr], epoch);
      if (td.empty()) {
        cells.emplace_back();
        continue;
      }
      const bool holds = same_return(median(td), 0) && same_return(median(pcr), by_the_cue);
      if (holds) epochs += fmt::format("{}{}", epochs.empty() ? "" : ", ", epoch);
      cells.push_back(fmt::format("{}{} | {}", holds ? "* " : "", median_text(pcr), median_text(td)));
    }
    row.group = epochs.empty() ? 2 : pays ? 0 : 1;
    row.cells = {short_name(maze), fmt::format("{}", maze.episodes), pays ? "yes" : "no", epochs};
    row.cells.insert(row.cells.end(), cells.begin(), cells.end());
    return row;
  }

  [[nodiscard]] std::string map(const RunStore& store, std::size_t width) const {
    std::vector<MapRow> rows;
    for (const Maze& maze : map_) rows.push_back(map_row(store, maze));
    std::ranges::stable_sort(rows, {}, &MapRow::group);
    std::vector<std::string> header = {"maze", "episodes", "cue pays", "holds at epoch"};
    for (const int epoch : kMapEpochs) header.push_back(fmt::format("epoch {}", epoch));
    TextTable table(header);
    for (const MapRow& row : rows) table.add(row.cells);
    return "Where the paper's outcome holds (*): the median of TD is 0 and that of PCR with belief horizon "
           "sampling is what the way by the cue collects, 20 - 3 distance. Cells: PCR | TD.\n"
           "First where it holds and the cue pays, then where it holds though trying an arm is better, then "
           "where it does not. The start is the junction where arm = distance, else in the stem.\n\n" +
           table.text(width);
  }

  /// Without what all mazes have in common.
  static std::string short_name(const Maze& maze, bool with_discount = true) {
    const Spec spec = parse_spec(maze.problem->name());
    std::string text;
    for (const Spec::Setting& s : spec.settings) {
      const bool said = s.key == "distance" || s.key == "arm" || (with_discount && s.key == "discount") ||
                        (s.key == "cue" && s.value != "stem");
      if (said) text += (text.empty() ? "" : ", ") + s.key + " " + s.value;
    }
    return text;
  }

  Effort effort_;
  std::vector<Maze> mazes_;  // that all methods are tried on
  std::vector<Maze> map_;
  std::vector<Run> runs_;
  std::map<RunSettings, std::size_t> index_;  // into them
};

}  // namespace

std::unique_ptr<Experiment> t_maze_experiment(const Effort& effort) {
  return std::make_unique<TMazeExperiment>(effort);
}

}  // namespace assay
