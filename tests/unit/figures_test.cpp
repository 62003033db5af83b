#include "assay/report/figures.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "assay/core/error.hpp"
#include "assay/lab/atomic_file.hpp"
#include "report/drawing_sheet.hpp"
#include "report/figure_chart.hpp"
#include "report/figure_grid.hpp"
#include "report/figure_scale.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;
using figures::Axis;
using figures::Box;
using figures::Ends;
using figures::Point;
using figures::Range;
using figures::Sheet;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// --- Scales.

TEST(Axes, MapTheirEndsToTheEndsOnPaper) {
  const Axis up({0, 20}, 50, 10, 4);
  EXPECT_EQ(up.low(), 0);
  EXPECT_EQ(up.high(), 20);
  EXPECT_EQ(up.at(0), 50);
  EXPECT_EQ(up.at(20), 10);
  EXPECT_EQ(up.at(5), 40);
  EXPECT_EQ(up.ticks(), (std::vector<double>{0, 5, 10, 15, 20}));
}

TEST(Axes, EndAtTicksThatCoverTheValues) {
  const Axis axis({-7, 11}, 0, 100, 4);
  EXPECT_EQ(axis.ticks(), (std::vector<double>{-10, -5, 0, 5, 10, 15}));
  EXPECT_EQ(axis.at(-10), 0);
  EXPECT_EQ(axis.at(15), 100);
  EXPECT_EQ(axis.label(-5), "−5");
}

TEST(Axes, OrEndAtTheValuesWithTheTicksWithin) {
  const Axis axis({0, 250}, 0, 50, 4, Ends::kValues);
  EXPECT_EQ(axis.high(), 250);
  EXPECT_EQ(axis.at(250), 50);
  EXPECT_EQ(axis.ticks(), (std::vector<double>{0, 100, 200}));
  EXPECT_EQ(Axis({0.3, 0.9}, 0, 1, 6, Ends::kValues).ticks(),
            (std::vector<double>{0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}));
}

TEST(Axes, TicksAreRoundNumbersNotSums) {
  const Axis axis({0, 1}, 0, 1, 10);
  ASSERT_EQ(axis.ticks().size(), 11U);
  EXPECT_EQ(axis.ticks()[3], 0.3);
  EXPECT_EQ(axis.label(axis.ticks()[3]), "0.3");
  EXPECT_EQ(axis.label(0), "0.0");
}

/// One, two or five times a power of ten.
bool is_round(double step) {
  const double mantissa = step / std::pow(10.0, std::floor(std::log10(step) + 1e-9));
  return std::ranges::any_of(std::vector<double>{1, 2, 5},
                             [&](double m) { return std::abs(mantissa - m) < 1e-6; });
}

TEST(Axes, AreSoundForEverySizeOfNumber) {
  const std::vector<Range> ranges = {{1, 2000},       {-119, 17},       {0, 1e-7},         {1e12, 3e12},
                                     {-1e300, 1e300}, {1e-280, 3e-280}, {-1e-9, 1e9},      {0.1, 0.3},
                                     {999.5, 1000.5}, {-3, -2},         {123456, 123457.5}};
  for (const Range& range : ranges) {
    for (const int intervals : {1, 3, 4, 10}) {
      const Axis axis(range, 10, 60, intervals);
      const std::vector<double>& ticks = axis.ticks();
      SCOPED_TRACE(testing::Message() << range.low << " to " << range.high << " by " << intervals);
      EXPECT_LE(axis.low(), range.low);
      EXPECT_GE(axis.high(), range.high);
      ASSERT_GE(ticks.size(), 2U);
      EXPECT_LE(ticks.size(), static_cast<std::size_t>(intervals) + 3);
      EXPECT_TRUE(is_round(ticks[1] - ticks[0])) << ticks[1] - ticks[0];
      EXPECT_NEAR(axis.at(ticks.front()), 10, 1e-6);
      EXPECT_NEAR(axis.at(ticks.back()), 60, 1e-6);
      std::set<std::string> labels;
      for (std::size_t i = 0; i < ticks.size(); ++i) {
        if (i > 0) {
          EXPECT_LT(axis.at(ticks[i - 1]), axis.at(ticks[i]));
        }
        labels.insert(axis.label(ticks[i]));
      }
      EXPECT_EQ(labels.size(), ticks.size()) << "labels must differ";
    }
  }
}

TEST(Axes, OfOneNumberHaveItInTheMiddle) {
  for (const double value : {0.0, 11.0, -7.0, 1e-6, 1e300, -1e300, 1e-300, 5e-324}) {
    const Axis axis({value, value}, 0, 100, 4);
    EXPECT_LT(axis.low(), value);
    EXPECT_GT(axis.high(), value);
    EXPECT_NEAR(axis.at(value), 50, 26) << value;
    EXPECT_GE(axis.ticks().size(), 2U);
  }
  const double next = std::nextafter(11.0, 12.0);
  EXPECT_LT(Axis({11, next}, 0, 100).ticks().size(), 12U);
  EXPECT_EQ(Axis({}, 0, 100, 2).ticks(), (std::vector<double>{0, 0.5, 1}));
}

TEST(Axes, OfVerySmallOrLargeNumbersHaveShortLabels) {
  EXPECT_EQ(Axis({0, 4e6}, 0, 1, 4).label(2e6), "2e6");
  EXPECT_EQ(Axis({-4e12, 0}, 0, 1, 4).label(-2e12), "−2e12");
  EXPECT_EQ(Axis({0, 4e-7}, 0, 1, 4).label(2e-7), "2e-07");
}

TEST(Ranges, LeaveOutWhatCannotBeDrawn) {
  Range range;
  EXPECT_TRUE(range.empty());
  range.add(std::vector<double>{kNan, 3, kInfinity, -1, -kInfinity, 1e301});
  EXPECT_EQ(range.low, -1);
  EXPECT_EQ(range.high, 3);
  range.add(Range{});
  EXPECT_EQ(range.high, 3);
}

TEST(Ranges, OfMostValuesLeaveOutTheirEnds) {
  std::vector<double> values(101, 5.0);
  values[0] = -100;
  values[1] = 100;
  Range range;
  range.add_most(values, 0.01);
  EXPECT_EQ(range.low, 5);
  EXPECT_EQ(range.high, 5);
  Range whole;
  whole.add_most(values, 0.0);
  EXPECT_EQ(whole.low, -100);
  EXPECT_EQ(whole.high, 100);
  Range none;
  none.add_most({kNan}, 0.01);
  EXPECT_TRUE(none.empty());
}

TEST(Lines, AreThinnedToTheirShape) {
  std::vector<Point> points;
  for (int i = 0; i < 1000; ++i) points.push_back({i * 0.001, i == 550 ? 9.0 : i == 553 ? -9.0 : 0.0});
  const std::vector<Point> thin = figures::thinned(points, 0.1);
  EXPECT_LT(thin.size(), 20U);
  EXPECT_EQ(thin.front().x, points.front().x);
  EXPECT_EQ(thin.back().x, points.back().x);
  EXPECT_TRUE(std::ranges::any_of(thin, [](const Point& p) { return p.y == 9; }));
  EXPECT_TRUE(std::ranges::any_of(thin, [](const Point& p) { return p.y == -9; }));
  EXPECT_TRUE(std::ranges::is_sorted(thin, {}, &Point::x));
  EXPECT_TRUE(figures::thinned({}, 0.1).empty());
  EXPECT_EQ(figures::thinned(std::vector<Point>{{1, 2}}, 0.1).size(), 1U);
}

TEST(Lines, AreSmoothedAroundEachPoint) {
  EXPECT_EQ(figures::running_mean(std::vector<double>{1, 2, 6, 9}, 3),
            (std::vector<double>{1.5, 3, 17.0 / 3, 7.5}));
  EXPECT_EQ(figures::running_mean(std::vector<double>{4, 5}, 1), (std::vector<double>{4, 5}));
  EXPECT_EQ(figures::running_mean(std::vector<double>{4, 5}, 0), (std::vector<double>{4, 5}));
  const std::vector<double> holes = figures::running_mean(std::vector<double>{1, kNan, 3}, 3);
  EXPECT_EQ(holes[0], 1);
  EXPECT_TRUE(std::isnan(holes[1]));
  EXPECT_EQ(holes[2], 3);
  EXPECT_TRUE(figures::running_mean({}, 3).empty());
}

// --- Sheets.

TEST(Sheets, TakeAnyBytesAsText) {
  EXPECT_EQ(figures::printable("a<b>&\"ß→"), "a<b>&\"ß→");
  EXPECT_EQ(figures::printable(std::string_view("a\0b\n\x7f", 5)), "a b  ");
  EXPECT_EQ(figures::printable("\xff\xc3"), "\uFFFD\uFFFD");
  EXPECT_EQ(figures::printable("\xc0\x80"), "\uFFFD\uFFFD");                 // an overlong zero
  EXPECT_EQ(figures::printable("\xe0\x80\xaf"), "\uFFFD\uFFFD\uFFFD");       // and a slash
  EXPECT_EQ(figures::printable("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");       // a surrogate
  EXPECT_EQ(figures::printable("\xef\xbf\xbf"), "\uFFFD\uFFFD\uFFFD");       // no character
  EXPECT_EQ(figures::printable("\xf4\x90\x80\x80").substr(0, 3), "\uFFFD");  // beyond the last
  EXPECT_LE(figures::printable(std::string(1'000'000, 'x')).size(), 1000U);
}

TEST(Sheets, MeasureAndCutText) {
  const Sheet sheet(Sheet::Format::kSvg, "x", 50, 50);
  EXPECT_EQ(sheet.text_width(""), 0);
  EXPECT_GT(sheet.text_width("wider"), sheet.text_width("wide"));
  EXPECT_LT(sheet.text_width("v^c"), sheet.text_width("vc"));
  EXPECT_GT(sheet.text_width("2^3"), sheet.text_width("23"));
  EXPECT_EQ(sheet.shortened("short", 40), "short");
  const std::string cut = sheet.shortened(std::string(100, 'm'), 20);
  EXPECT_TRUE(cut.ends_with("…"));
  EXPECT_LE(sheet.text_width(cut), 20);
  EXPECT_GT(sheet.text_width(cut), 15);
  EXPECT_EQ(sheet.shortened("anything", 0), "");
  for (double width = 0; width < 20; width += 0.5) {  // never half a character
    const std::string greek = sheet.shortened("αβγδεζηθικλμν", width);
    EXPECT_EQ(figures::printable(greek), greek);
  }
}

TEST(Sheets, WrapAtSpaces) {
  const Sheet sheet(Sheet::Format::kSvg, "x", 50, 50);
  EXPECT_EQ(sheet.wrapped("TD", 30, 2), std::vector<std::string>{"TD"});
  const std::string text = "PCR, belief horizon sampling";
  const std::vector<std::string> lines = sheet.wrapped(text, 25, 2);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0] + " " + lines[1], text);
  EXPECT_LE(sheet.text_width(lines[0]), 25);
  EXPECT_TRUE(sheet.wrapped(std::string(200, 'x'), 10, 2).front().ends_with("…"));
  EXPECT_TRUE(sheet.wrapped("", 10, 2).empty());
}

// --- Grids.

Player grid_player(int rows, int columns) {
  Player player;
  player.family = "treasure_map(size=3)";
  player.title = "3x3";
  player.rows = rows;
  player.columns = columns;
  for (int x = 0; x < rows * columns; ++x) player.cells.push_back({x / columns, x % columns});
  player.landmarks = std::string(player.cells.size(), '.');
  return player;
}

TEST(Grids, PutCellsWhereTheyAre) {
  const Player player = grid_player(2, 4);
  const figures::GridView view(player, {10, 20, 60, 40}, 10);
  EXPECT_EQ(view.cell(), 10);  // the largest allowed
  EXPECT_EQ(view.frame().x, 20);
  EXPECT_EQ(view.box(6).x, 40);
  EXPECT_EQ(view.box(6).y, 30);
  EXPECT_EQ(figures::GridView(player, {0, 0, 20, 40}, 10).cell(), 5);
  EXPECT_FALSE(view.has(-1));
  EXPECT_FALSE(view.has(8));
}

TEST(Grids, ThatCannotBeDrawnAreRefused) {
  Player player = grid_player(2, 2);
  EXPECT_TRUE(figures::GridView::fits(player));
  player.cells[3] = {7, -1};
  EXPECT_TRUE(figures::GridView::fits(player));
  EXPECT_FALSE(figures::GridView(player, {0, 0, 9, 9}, 9).has(3));
  player.rows = 1'000'000'000;
  EXPECT_FALSE(figures::GridView::fits(player));
  EXPECT_FALSE(figures::GridView::fits(Player{}));
}

std::string path_through(const Player& player, const std::vector<int>& states) {
  Sheet sheet(Sheet::Format::kSvg, "x", 50, 50);
  figures::draw_path(sheet, figures::GridView(player, {0, 0, 40, 40}, 10), states, figures::kInk);
  return sheet.finish();
}

TEST(Paths, LeaveOutStatesThatTheGridHasNot) {
  Player player = grid_player(3, 3);
  player.cells[8] = {0, 99};
  EXPECT_TRUE(path_through(player, {-5, 0, 1000, 1, 8, 4, 4}) == path_through(player, {0, 1, 4, 4}));
  EXPECT_FALSE(path_through(player, {0, 3, 4, 4}) == path_through(player, {0, 1, 4, 4}));
  EXPECT_EQ(path_through(player, {-5}).find("<path"), std::string::npos);
}

TEST(Paths, GoOnceToAPlace) {
  Player player = grid_player(3, 3);
  player.cells[8] = player.cells[4];  // another state of the same place
  EXPECT_TRUE(path_through(player, {0, 0, 4, 8, 8}) == path_through(player, {0, 4, 4}));
}

TEST(Paths, EndInADotWhereTheAgentStays) {
  const Player player = grid_player(3, 3);
  const auto paths = [&](const std::vector<int>& states) {
    const std::string text = path_through(player, states);
    return std::ranges::count(text, '\n') - std::ranges::count(path_through(player, {-1}), '\n');
  };
  EXPECT_EQ(paths({0, 1, 1}), paths({0, 1}) + 1);  // an element a line: line, arrow and dot
  EXPECT_EQ(paths({0, 1}), 2);
  EXPECT_EQ(paths({0}), 1);
  EXPECT_EQ(paths({0, 1, 2, 2}), 4);
}

// --- Charts.

TEST(Charts, InterruptLinesAtHoles) {
  const auto lines = [](const std::vector<double>& y) {
    Sheet sheet(Sheet::Format::kSvg, "x", 50, 50);
    const Box plot{5, 5, 40, 40};
    const figures::Chart chart(sheet, plot, figures::axis_across(plot, {0, 6}),
                               figures::axis_up(plot, {0, 1}));
    chart.line(std::vector<double>{0, 1, 2, 3, 4, 5, 6}, y, {});
    const std::string text = sheet.finish();
    std::size_t found = 0;
    for (std::size_t at = text.find("<path"); at != std::string::npos; at = text.find("<path", at + 1))
      ++found;
    return found;
  };
  const std::size_t one = lines({0, 1, 0, 1, 0, 1, 0});
  EXPECT_EQ(lines({0, 1, 0, kNan, 0, 1, 0}), 2 * one);
  EXPECT_EQ(lines({kNan, 1, kInfinity, 1, 0, kNan, 0}), 3 * one);  // a single point is a dot
  EXPECT_EQ(lines({0, 1}), one);                                   // fewer values than places
  EXPECT_EQ(lines({kNan, kNan}), 0U);
}

// --- Figures.

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
  report.ablation->rows.push_back({"unknown", "", kNan, 1, 2, 0, 3, 0, 5});
  EXPECT_TRUE(drawing(report, "ablation.svg") == right);
}

/// Holes of every kind in everything that may have them.
Report damaged_report() {
  Report report = full_report();
  for (CurveChart& chart : report.curves) {
    CurveSeries& first = chart.series[0];
    first.middle[3] = kNan;
    first.low[7] = kInfinity;
    first.high[9] = -kInfinity;
    first.epoch[11] = kNan;
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
    episode.truth[2] = kNan;
    episode.truth.pop_back();
    episode.traces.push_back({});
    for (Trace& trace : episode.traces) {
      trace.undiscounted = kNan;
      for (TraceStep& step : trace.steps) step.at = {kNan, kInfinity, 1, kNan};
      if (trace.steps.empty()) continue;
      trace.steps[0].state = -5;
      trace.steps.back().state = 1000;
      trace.steps.back().cashed = kNan;
    }
    player.landmarks.pop_back();
    player.cells[1] = player.cells[0];  // two states in one place
  }
  report.ablation->rows.push_back({"", "", kNan, kNan, kNan, kNan, kNan, kNan, 0});
  report.ablation->rows.push_back({"", "", 5, kNan, 6, -kInfinity, 7, kNan, 0});
  report.sweep->rows.push_back({"", "", kNan, kInfinity, {}});
  report.sweep->rows.push_back(
      {"", "", 1e200, 1, {SweepCell{3, 0, kNan}, SweepCell{-1, -1, -5}, SweepCell{}}});
  return report;
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
