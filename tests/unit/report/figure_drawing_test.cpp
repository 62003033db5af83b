// What the figures are drawn with: scales, text, grids, lines.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "report/drawing_sheet.hpp"
#include "report/figure_chart.hpp"
#include "report/figure_grid.hpp"
#include "report/figure_scale.hpp"
#include "support/grid_player.hpp"

namespace assay {
namespace {

using test::grid_player;

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
      SCOPED_TRACE(::testing::Message() << range.low << " to " << range.high << " by " << intervals);
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

}  // namespace
}  // namespace assay
