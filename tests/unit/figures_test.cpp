#include "assay/report/figures.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "assay/core/error.hpp"
#include "assay/lab/atomic_file.hpp"
#include "support/grid_player.hpp"

namespace assay {
namespace {

using test::grid_player;

namespace fs = std::filesystem;

constexpr double kFigureNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kFigureInfinity = std::numeric_limits<double>::infinity();

CurveSeries some_series(const std::string& label) {
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

Trace trace_through(const std::string& label, const std::vector<int>& states) {
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

Player maze_player() {
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

Report full_report() {
  Report report;
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
  report.ablation = IntervalTable{
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

class Figures : public testing::Test {
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

const std::vector<std::string> kAllFiles = {"t_maze.svg",       "t_maze.pdf",    "treasure_map.svg",
                                            "treasure_map.pdf", "ablation.svg",  "ablation.pdf",
                                            "maze_sizes.svg",   "maze_sizes.pdf"};

TEST_F(Figures, AreWrittenInBothFormats) {
  EXPECT_EQ(written(full_report()), kAllFiles);
  std::size_t files = 0;
  for ([[maybe_unused]] const fs::directory_entry& entry : fs::directory_iterator(folder_)) ++files;
  EXPECT_EQ(files, kAllFiles.size());  // nothing aside is left
}

/// As of `assay compare` on a problem file: one method that learns, one that does not, one unfinished.
Report compared_report() {
  Report report;
  const std::string family = "some/where/rat <&>.toml#0123abcd";
  const auto row = [](const std::string& label, std::optional<ResultCell> cell) {
    return ResultRow{label, label, {cell, cell}};
  };
  report.tables = {{"rat",
                    "300 test episodes",
                    {"discounted return", "return"},
                    {family, family},
                    {row("pcr", ResultCell{3, 0.25, 300, {}, 0}),
                     row("random", ResultCell{1, 0.1, 300, {}, 0}), row("td", std::nullopt)}}};
  report.curves = {{"rat", family, {some_series("pcr")}}};
  return report;
}

TEST_F(Figures, ShowAnyProblemThatMethodsWereComparedOn) {
  const std::vector<std::string> files = {"comparison_rat____.svg", "comparison_rat____.pdf"};
  EXPECT_EQ(written(compared_report()), files);
  const std::string both = drawing(compared_report(), files[0]);
  EXPECT_NE(both.find("width=\"518.740157pt\""), std::string::npos) << "curves beside the test";
  Report without = compared_report();
  without.curves.clear();
  const std::string alone = drawing(without, files[0]);
  EXPECT_NE(alone.find("width=\"252.283465pt\""), std::string::npos) << "the test alone";
  Report twice = compared_report();
  twice.tables.push_back(twice.tables[0]);
  EXPECT_EQ(written(twice).size(), 4U) << "problems of the same name have files of their own";
  Report nothing = compared_report();
  nothing.curves.clear();
  for (ResultRow& r : nothing.tables[0].rows) r.cells.assign(2, std::nullopt);
  EXPECT_TRUE(written(nothing).empty());
}

TEST_F(Figures, OfAComparisonHaveAMeanAndAnIntervalForEachMethod) {
  // Means 3 and 1, on one axis: what is drawn is told by the other's numbers staying where they are.
  const auto moved = [&](double mean, double error) {
    Report report = compared_report();
    report.tables[0].rows[0].cells[0] = ResultCell{mean, error, 300, {}, 0};
    return drawing(report, "comparison_rat____.svg");
  };
  const std::string due = moved(3, 0.25);
  EXPECT_EQ(due, moved(3, 0.25));
  EXPECT_NE(due, moved(2.5, 0.25));
  EXPECT_NE(due, moved(3, 0.15));
}

TEST_F(Figures, OfTheSameReportAreTheSameBytes) {
  std::vector<std::string> first;
  for (const fs::path& file : write_figures(full_report(), folder_)) first.push_back(read_file(file));
  std::vector<std::string> second;
  for (const fs::path& file : write_figures(full_report(), folder_)) second.push_back(read_file(file));
  ASSERT_EQ(first.size(), kAllFiles.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_TRUE(first[i] == second[i]) << kAllFiles[i];
}

TEST_F(Figures, OfAnEmptyReportAreNone) {
  EXPECT_TRUE(write_figures({}, folder_).empty());
  EXPECT_FALSE(fs::exists(folder_));
  Report hollow;
  hollow.curves = {{"", "t_maze", {CurveSeries{}}}, {"", "treasure_map", {}}};
  hollow.players = {Player{}, Player{}};
  hollow.players[0].family = "t_maze";
  hollow.players[1].family = "treasure_map(size=7)";
  hollow.ablation = IntervalTable{};
  hollow.sweep = SweepTable{"", "", {"TD"}, {{"", "", 1, 1, {std::nullopt}}}};
  EXPECT_TRUE(write_figures(hollow, folder_).empty());
}

TEST_F(Figures, HaveTheWidthOfAColumnOrTwo) {
  const Report report = full_report();
  EXPECT_NE(drawing(report, "t_maze.svg").find("width=\"518.740157pt\""), std::string::npos);
  EXPECT_NE(drawing(report, "ablation.svg").find("width=\"252.283465pt\""), std::string::npos);
}

TEST_F(Figures, NeedOnlyWhatTheyShow) {
  const Report full = full_report();
  Report report;
  report.curves = {full.curves[0]};
  report.curves[0].series.pop_back();
  EXPECT_EQ(written(report), (std::vector<std::string>{"t_maze.svg", "t_maze.pdf"}));
  report.curves.clear();
  report.players = {full.players[1]};
  EXPECT_EQ(written(report), (std::vector<std::string>{"t_maze.svg", "t_maze.pdf"}));
  report.players = {full.players[0]};
  EXPECT_EQ(written(report), (std::vector<std::string>{"treasure_map.svg", "treasure_map.pdf"}));
  report.players.clear();
  report.sweep = full.sweep;
  EXPECT_EQ(written(report), (std::vector<std::string>{"maze_sizes.svg", "maze_sizes.pdf"}));
}

TEST_F(Figures, ShowTheMazeThatTheCurvesAreOf) {
  Report report = full_report();
  const std::string right = drawing(report, "t_maze.svg");
  Player other = maze_player();
  other.family = "t_maze(distance=9,arm=1)";
  other.episodes.pop_back();
  report.players.insert(report.players.begin(), other);
  EXPECT_TRUE(drawing(report, "t_maze.svg") == right);
}

TEST_F(Figures, ShowTheMazeWithTheRewardOnTheLeft) {
  Report report = full_report();
  const std::string right = drawing(report, "t_maze.svg");
  std::ranges::reverse(report.players[1].episodes);
  EXPECT_TRUE(drawing(report, "t_maze.svg") == right);
  report.players[1].episodes[0].traces[1] = trace_through("PCR, belief horizon sampling", {1, 3, 3});
  EXPECT_FALSE(drawing(report, "t_maze.svg") == right);
}

TEST_F(Figures, ShowTheWaysInBothEnvironments) {
  const std::string right = drawing(full_report(), "t_maze.svg");
  for (const std::size_t environment : {0U, 1U}) {
    for (const std::size_t method : {0U, 1U}) {
      Report report = full_report();
      report.players[1].episodes[environment].traces[method].steps.back().state = 0;
      EXPECT_FALSE(drawing(report, "t_maze.svg") == right) << environment << " " << method;
    }
  }
}

TEST_F(Figures, ShowTheLossesOfSingleRuns) {
  Report report = full_report();
  const std::string without = drawing(report, "t_maze.svg");
  CurveSeries& series = report.curves[0].series[0];
  series.loss_singles = {series.loss};
  EXPECT_FALSE(drawing(report, "t_maze.svg") == without);
}

TEST_F(Figures, ShowTheLargestMap) {
  Report report = full_report();
  const std::string small = drawing(report, "treasure_map.svg");
  Player larger = grid_player(5, 5);
  report.players.push_back(larger);  // without an episode
  EXPECT_TRUE(drawing(report, "treasure_map.svg") == small);
  larger.episodes = report.players[0].episodes;
  report.players.push_back(larger);
  EXPECT_FALSE(drawing(report, "treasure_map.svg") == small);
}

TEST_F(Figures, DrawABarForEveryCellOfTheSweep) {
  Report report = full_report();
  const std::string blue = "fill:rgb(0%,44.7%,69.8%)";
  const std::string two = drawing(report, "maze_sizes.svg");
  report.sweep->rows[1].cells[0] = SweepCell{3, 15, 10};
  const std::string three = drawing(report, "maze_sizes.svg");
  EXPECT_EQ(count(three, blue), count(two, blue) + 1);
}

TEST_F(Figures, LeaveOutRowsWithoutAMiddle) {
  Report report = full_report();
  const std::string right = drawing(report, "ablation.svg");
  report.ablation->rows.push_back({"unknown", "", kFigureNan, 1, 2, 0, 3, 0, 5});
  EXPECT_TRUE(drawing(report, "ablation.svg") == right);
}

/// Holes of every kind in everything that may have them.
Report damaged_report() {
  Report report = full_report();
  for (CurveChart& chart : report.curves) {
    CurveSeries& first = chart.series[0];
    first.middle[3] = kFigureNan;
    first.low[7] = kFigureInfinity;
    first.high[9] = -kFigureInfinity;
    first.epoch[11] = kFigureNan;
    first.singles[0].resize(4);
    first.singles[1].clear();
    first.loss.clear();
    first.loss_high.resize(2);
    chart.series[1].middle.resize(1);
    chart.series[1].low[2] = 1e305;
    chart.series[1].singles.clear();
    chart.series.push_back({});
  }
  for (Player& player : report.players) {
    PlayedEpisode& episode = player.episodes.back();  // the one that is shown
    episode.truth[2] = kFigureNan;
    episode.truth.pop_back();
    episode.traces.push_back({});
    for (Trace& trace : episode.traces) {
      trace.undiscounted = kFigureNan;
      for (TraceStep& step : trace.steps) step.at = {kFigureNan, kFigureInfinity, 1, kFigureNan};
      if (trace.steps.empty()) continue;
      trace.steps[0].state = -5;
      trace.steps.back().state = 1000;
      trace.steps.back().cashed = kFigureNan;
    }
    player.landmarks.pop_back();
    player.cells[1] = player.cells[0];  // two states in one place
  }
  report.ablation->rows.push_back(
      {"", "", kFigureNan, kFigureNan, kFigureNan, kFigureNan, kFigureNan, kFigureNan, 0});
  report.ablation->rows.push_back({"", "", 5, kFigureNan, 6, -kFigureInfinity, 7, kFigureNan, 0});
  report.sweep->rows.push_back({"", "", kFigureNan, kFigureInfinity, {}});
  report.sweep->rows.push_back(
      {"", "", 1e200, 1, {SweepCell{3, 0, kFigureNan}, SweepCell{-1, -1, -5}, SweepCell{}}});
  return report;
}

TEST_F(Figures, SayWhatDiverged) {
  Report report = full_report();
  const std::string before = drawing(report, "ablation.svg");
  report.ablation->rows[1].diverged = 2;
  const std::string two = drawing(report, "ablation.svg");
  EXPECT_TRUE(two != before);
  report.ablation->rows[1].difference = 3;
  EXPECT_TRUE(drawing(report, "ablation.svg") == two) << "it stands in place of the difference";
  report.ablation->rows[1].diverged = 1;
  EXPECT_TRUE(drawing(report, "ablation.svg") != two);
}

TEST_F(Figures, NameTheValueOfCurrentInformationAsTheMethodHasIt) {
  Report report = full_report();
  const std::string before = drawing(report, "treasure_map.svg");
  report.players[0].episodes[0].traces[0].mean_plan = true;
  EXPECT_TRUE(drawing(report, "treasure_map.svg") != before);
}

TEST_F(Figures, HaveGapsWhereTheReportHas) { EXPECT_EQ(written(damaged_report()), kAllFiles); }

TEST_F(Figures, OfOnePointAreDrawn) {
  Report report = full_report();
  for (CurveChart& chart : report.curves) {
    for (CurveSeries& s : chart.series) {
      for (auto* values : {&s.epoch, &s.middle, &s.low, &s.high, &s.loss, &s.loss_low, &s.loss_high}) {
        values->resize(1);
      }
      s.singles = {{1}, {}};
    }
  }
  for (Player& player : report.players) {
    for (PlayedEpisode& episode : player.episodes) {
      for (Trace& trace : episode.traces) trace.steps.resize(1);
    }
  }
  EXPECT_EQ(written(report), kAllFiles);
}

TEST_F(Figures, OfHugeAndTinyNumbersAreDrawn) {
  for (const double size : {1e299, 1e-310}) {
    Report report = full_report();
    for (CurveChart& chart : report.curves) {
      for (CurveSeries& s : chart.series) {
        for (auto* values : {&s.middle, &s.low, &s.high, &s.loss, &s.singles[0]}) {
          for (double& v : *values) v *= size;
        }
      }
    }
    for (IntervalRow& row : report.ablation->rows)
      row = {row.label, "", size, size, size, -size, size, size, 5};
    report.sweep->rows[0].exact = size;
    EXPECT_EQ(written(report), kAllFiles);
  }
}

TEST_F(Figures, TakeStringsThatHoldAnything) {
  std::string all_bytes;
  for (int i = 0; i < 256; ++i) all_bytes += static_cast<char>(i);
  for (const std::string& text :
       {std::string("</svg><script>alert(1)</script>&\"'"), all_bytes, std::string(100'000, 'W'),
        std::string("{} %s \\ ^ ^^ v^"), std::string("\xF0\x9F\x98\x80 漢字 مرحبا"), std::string()}) {
    Report report = full_report();
    report.title = text;
    for (CurveChart& chart : report.curves) {
      chart.title = text;
      for (CurveSeries& s : chart.series) {
        s.statistic = text;
        s.label += text;
      }
    }
    for (Player& player : report.players) {
      player.title = text;
      player.landmarks = text;
      for (PlayedEpisode& episode : player.episodes) {
        for (Trace& trace : episode.traces) trace.label += text;
      }
    }
    for (IntervalRow& row : report.ablation->rows) row.label = text;
    for (std::string& method : report.sweep->methods) method = text;
    for (SweepRow& row : report.sweep->rows) row.label = text;
    EXPECT_EQ(written(report), kAllFiles);
    EXPECT_EQ(count(drawing(report, "maze_sizes.svg"), "script"), 0U);
  }
}

TEST_F(Figures, ThatCannotBeWrittenAreAnError) {
  write_file(folder_, "a file, not a folder");
  EXPECT_THROW(write_figures(full_report(), folder_), UsageError);
  EXPECT_TRUE(fs::is_regular_file(folder_));
}

}  // namespace
}  // namespace assay
