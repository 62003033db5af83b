// Figures of reports with gaps, with one point, with huge and tiny numbers, and with arbitrary bytes as
// text.
#include <gtest/gtest.h>

#include "support/some_figures.hpp"

namespace assay {
namespace {

using OddFigures = test::Figures;
using test::full_report;
using test::kAllFiles;
using test::kFigureInfinity;
using test::kFigureNan;

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
  report.intervals->rows.push_back(
      {"", "", kFigureNan, kFigureNan, kFigureNan, kFigureNan, kFigureNan, kFigureNan, 0});
  report.intervals->rows.push_back({"", "", 5, kFigureNan, 6, -kFigureInfinity, 7, kFigureNan, 0});
  report.sweep->rows.push_back({"", "", kFigureNan, kFigureInfinity, {}});
  report.sweep->rows.push_back(
      {"", "", 1e200, 1, {SweepCell{3, 0, kFigureNan}, SweepCell{-1, -1, -5}, SweepCell{}}});
  return report;
}

TEST_F(OddFigures, HaveGapsWhereTheReportHas) { EXPECT_EQ(written(damaged_report()), kAllFiles); }

TEST_F(OddFigures, OfOnePointAreDrawn) {
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

TEST_F(OddFigures, OfHugeAndTinyNumbersAreDrawn) {
  for (const double size : {1e299, 1e-310}) {
    Report report = full_report();
    for (CurveChart& chart : report.curves) {
      for (CurveSeries& s : chart.series) {
        for (auto* values : {&s.middle, &s.low, &s.high, &s.loss, &s.singles[0]}) {
          for (double& v : *values) v *= size;
        }
      }
    }
    for (IntervalRow& row : report.intervals->rows)
      row = {row.label, "", size, size, size, -size, size, size, 5};
    report.sweep->rows[0].exact = size;
    EXPECT_EQ(written(report), kAllFiles);
  }
}

TEST_F(OddFigures, TakeStringsThatHoldAnything) {
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
    for (IntervalRow& row : report.intervals->rows) row.label = text;
    for (std::string& method : report.sweep->methods) method = text;
    for (SweepRow& row : report.sweep->rows) row.label = text;
    EXPECT_EQ(written(report), kAllFiles);
    EXPECT_EQ(count(drawing(report, "maze_sizes.svg"), "script"), 0U);
  }
}

}  // namespace
}  // namespace assay
