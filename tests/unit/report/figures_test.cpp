#include "report/figures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "assay/core/error.hpp"
#include "lab/atomic_file.hpp"
#include "support/some_figures.hpp"

namespace assay {
namespace {

using test::Figures;
using test::full_report;
using test::grid_player;
using test::kAllFiles;
using test::kFigureNan;
using test::maze_player;
using test::paper_figures;
using test::some_series;
using test::trace_through;

namespace fs = std::filesystem;

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
  hollow.figures = paper_figures();
  hollow.curves = {{"", "t_maze", {CurveSeries{}}}, {"", "treasure_map", {}}};
  hollow.players = {Player{}, Player{}};
  hollow.players[0].family = "t_maze";
  hollow.players[1].family = "treasure_map(size=7)";
  hollow.intervals = IntervalTable{};
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
  report.figures = full.figures;
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
  report.intervals->rows.push_back({"unknown", "", kFigureNan, 1, 2, 0, 3, 0, 5});
  EXPECT_TRUE(drawing(report, "ablation.svg") == right);
}

TEST_F(Figures, SayWhatDiverged) {
  Report report = full_report();
  const std::string before = drawing(report, "ablation.svg");
  report.intervals->rows[1].diverged = 2;
  const std::string two = drawing(report, "ablation.svg");
  EXPECT_TRUE(two != before);
  report.intervals->rows[1].difference = 3;
  EXPECT_TRUE(drawing(report, "ablation.svg") == two) << "it stands in place of the difference";
  report.intervals->rows[1].diverged = 1;
  EXPECT_TRUE(drawing(report, "ablation.svg") != two);
}

TEST_F(Figures, NameTheValueOfCurrentInformationAsTheMethodHasIt) {
  Report report = full_report();
  const std::string before = drawing(report, "treasure_map.svg");
  report.players[0].episodes[0].traces[0].mean_plan = true;
  EXPECT_TRUE(drawing(report, "treasure_map.svg") != before);
}

TEST_F(Figures, AreThoseThatArePlanned) {
  Report report = full_report();
  std::erase_if(report.figures, [](const FigurePlan& plan) { return plan.name != "treasure_map"; });
  EXPECT_EQ(written(report), (std::vector<std::string>{"treasure_map.svg", "treasure_map.pdf"}));
  report.figures.front().name = "mine";
  EXPECT_EQ(written(report), (std::vector<std::string>{"mine.svg", "mine.pdf"}));
  const std::string before = drawing(report, "mine.svg");
  std::get<LearningFigure>(report.figures.front().kind).methods.front().colour = FigureColour::kPurple;
  EXPECT_TRUE(drawing(report, "mine.svg") != before);
  report.figures.front().problems = "nothing_is_called_so";
  EXPECT_TRUE(written(report).empty());
  report.figures.clear();
  EXPECT_TRUE(written(report).empty());
}

TEST_F(Figures, OfIntervalsAndSweepsAreOfTheirOwnExperiment) {
  Report report = full_report();
  const std::size_t all = written(report).size();
  report.intervals->experiment = "ablation";
  report.sweep->experiment = "t_maze";
  EXPECT_EQ(written(report).size(), all);
  report.intervals->experiment = "another";
  EXPECT_EQ(written(report).size(), all - 2);
  report.sweep->experiment = "another";
  EXPECT_EQ(written(report).size(), all - 4);
}

TEST_F(Figures, OfMazesHaveAPanelForEachMethod) {
  Report report = full_report();
  auto& figure = std::get<MazeFigure>(report.figures.front().kind);
  const std::string two = drawing(report, "t_maze.svg");
  figure.methods.push_back({"nobody", "nobody", "nobody"});
  EXPECT_FALSE(drawing(report, "t_maze.svg") == two) << "room for its ways";
  figure.methods.resize(1);
  EXPECT_EQ(written(report).size(), kAllFiles.size());
}

TEST_F(Figures, ThatCannotBeWrittenAreAnError) {
  write_file(folder_, "a file, not a folder");
  EXPECT_THROW(write_figures(full_report(), folder_), UsageError);
  EXPECT_TRUE(fs::is_regular_file(folder_));
}

}  // namespace
}  // namespace assay
