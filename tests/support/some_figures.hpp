// A report with something for every figure, and a test fixture that writes its figures and looks at them.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "experiments/driver.hpp"
#include "lab/atomic_file.hpp"
#include "report/figures.hpp"
#include "support/grid_player.hpp"

namespace assay::test {

namespace fs = std::filesystem;

inline constexpr double kFigureNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kFigureInfinity = std::numeric_limits<double>::infinity();

inline CurveSeries some_series(const std::string& label) {
  CurveSeries series;
  series.label = series.method = label;
  series.statistic = "median of 2 runs";
  series.seeds = 2;
  series.singles.resize(2);
  for (int i = 0; i < 30; ++i) {
    series.epoch.push_back(10 * (i + 1));
    series.middle.push_back(0.3 * i);
    series.low.push_back(0.3 * i - 1);
    series.high.push_back(0.3 * i + 1);
    series.loss.push_back(100.0 / (i + 1));
    series.loss_low.push_back(90.0 / (i + 1));
    series.loss_high.push_back(130.0 / (i + 1));
    for (std::vector<double>& one : series.singles) one.push_back(0.3 * i + 0.1);
  }
  return series;
}

inline Trace trace_through(const std::string& label, const std::vector<int>& states) {
  Trace trace;
  trace.label = trace.method = label;
  for (const int x : states) {
    TraceStep& step = trace.steps.emplace_back();
    step.state = x;
    step.at = {static_cast<double>(x), 2, 1, 3};
    step.cashed = x == 4 ? 5 : 0;
  }
  return trace;
}

inline Player maze_player() {
  Player player;
  player.family = "t_maze(distance=1,arm=1)";
  player.rows = 2;
  player.columns = 3;
  player.cells = {{1, 1}, {0, 1}, {0, 0}, {0, 2}};
  player.landmarks = "CSLR";
  for (const double left : {-7.0, 1.0}) {
    PlayedEpisode& episode = player.episodes.emplace_back();
    episode.truth = {0, 0, left, left > 0 ? -7.0 : 1.0};
    episode.traces = {trace_through("TD", {1, 1, 1}),
                      trace_through("PCR, belief horizon sampling", {1, 0, 1, left > 0 ? 2 : 3, 2, 2})};
  }
  return player;
}

/// The figures of the experiments that are part of the tool.
inline std::vector<FigurePlan> paper_figures() {
  std::vector<FigurePlan> all;
  for (const char* name : {"t_maze", "treasure_map", "ablation"}) {
    for (FigurePlan& plan : experiments::read_experiment(experiments::embedded_text(name), name, {}).figures)
      all.push_back(std::move(plan));
  }
  return all;
}

inline Report full_report() {
  Report report;
  report.figures = paper_figures();
  report.curves.push_back({"T-maze",
                           "t_maze(distance=1,arm=1)",
                           {some_series("TD"), some_series("PCR, belief horizon sampling")}});
  for (const char* size : {"3", "5"}) {
    report.curves.push_back({size, std::string("treasure_map(size=") + size + ")", {}});
    for (const char* label : {"pcr(preset=paper)", "td", "vi_td", "pcr (ours)"}) {
      report.curves.back().series.push_back(some_series(label));
    }
  }
  Player map = grid_player(3, 3);
  map.landmarks[4] = 'M';
  map.episodes.push_back({0, 1, std::vector<double>(9, 0.2), {trace_through("pcr (ours)", {8, 4, 0, 0})}});
  report.players = {map, maze_player()};
  report.intervals = IntervalTable{
      "ablation",
      "",
      {{"as the paper", "pcr", 15, 14, 16, 13, 17, 0, 5}, {"none", "pcr", 3, 2, 4, 1, 5, -12, 5}}};
  report.sweep =
      SweepTable{"sweep",
                 "",
                 {"TD", "PCR"},
                 {{"distance 3", "t_maze", 5.4, 4.7, {SweepCell{4, 15, 132}, SweepCell{15, 15, 580}}},
                  {"distance 2", "t_maze", 5.4, 5.4, {std::nullopt, SweepCell{0, 15, 0}}}}};
  return report;
}

/// A folder for them, and what every file must be.
class Figures : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("assay-figures-" + std::to_string(::getpid()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// The names of the files, each checked to be what it should be.
  std::vector<std::string> written(const Report& report) const {
    std::vector<std::string> names;
    for (const fs::path& file : write_figures(report, folder_)) {
      names.push_back(file.filename().string());
      const std::string bytes = read_file(file);
      if (file.extension() == ".svg") {
        check_svg(bytes);
      } else {
        check_pdf(bytes);
      }
    }
    return names;
  }

  [[nodiscard]] std::string drawing(const Report& report, const std::string& name) const {
    write_figures(report, folder_);
    return read_file(folder_ / name);
  }

  static std::size_t count(const std::string& text, const std::string& word) {
    std::size_t found = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
    return found;
  }

  static void check_svg(const std::string& text) {
    EXPECT_TRUE(text.starts_with("<?xml"));
    EXPECT_TRUE(text.ends_with("</svg>\n"));
    EXPECT_EQ(count(text, "nan"), 0U);
    EXPECT_EQ(count(text, "inf"), 0U);
    // Every element that is opened is closed, in its order.
    std::vector<std::string> open;
    for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
      const std::size_t end = text.find('>', at);
      ASSERT_NE(end, std::string::npos);
      if (text[at + 1] == '?' || text[end - 1] == '/') continue;
      const std::string inside = text.substr(at + 1, end - at - 1);
      if (inside[0] != '/') {
        open.push_back(inside.substr(0, inside.find_first_of(" \n")));
        continue;
      }
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), inside.substr(1));
      open.pop_back();
    }
    EXPECT_TRUE(open.empty());
  }

  static void check_pdf(const std::string& bytes) {
    EXPECT_TRUE(bytes.starts_with("%PDF-1."));
    EXPECT_TRUE(bytes.ends_with("%%EOF\n"));
    EXPECT_EQ(count(bytes, "/Count 1"), 1U);
  }

  fs::path folder_;
};

inline const std::vector<std::string> kAllFiles = {"t_maze.svg",       "t_maze.pdf",    "treasure_map.svg",
                                                   "treasure_map.pdf", "ablation.svg",  "ablation.pdf",
                                                   "maze_sizes.svg",   "maze_sizes.pdf"};

}  // namespace assay::test
