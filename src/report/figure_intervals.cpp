// A table of intervals as a figure, such as that of the variants of a method.
#include <fmt/format.h>

#include <algorithm>

#include "report/figure_chart.hpp"
#include "report/figure_parts.hpp"
#include "report/figure_scale.hpp"

namespace assay::figures {
namespace {

std::vector<const IntervalRow*> interval_rows(const Report& report, const FigurePlan& plan) {
  std::vector<const IntervalRow*> rows;
  if (!report.intervals || !is_of(report.intervals->experiment, plan)) return rows;
  for (const IntervalRow& row : report.intervals->rows) {
    if (drawable(row.middle)) rows.push_back(&row);
  }
  return rows;
}

/// One row: whisker, bar and dot, each if its numbers exist.
void draw_interval(Sheet& sheet, const IntervalRow& row, const Axis& axis, double y) {
  if (drawable(row.low) && drawable(row.high)) {
    sheet.line({axis.at(row.low), y}, {axis.at(row.high), y}, {.colour = kSky, .width = 1.3});
  }
  if (drawable(row.worst) && drawable(row.best)) {
    sheet.line({axis.at(row.worst), y}, {axis.at(row.best), y}, {.colour = kInk, .width = 0.2});
    for (const double end : {row.worst, row.best}) {
      sheet.line({axis.at(end), y - 0.6}, {axis.at(end), y + 0.6}, {.colour = kInk, .width = 0.2});
    }
  }
  sheet.disc({axis.at(row.middle), y}, 0.75, kWhite);
  sheet.disc({axis.at(row.middle), y}, 0.6, kInk);
}

void draw_intervals(Sheet& sheet, const std::vector<const IntervalRow*>& rows,
                    const std::string& axis_title) {
  constexpr double kTop = 5;
  constexpr double kValue = kOneColumn - 13.5;
  constexpr double kDifference = kOneColumn - 2;
  double labels = 0;
  Range values;
  for (const IntervalRow* row : rows) {
    labels = std::max(labels, sheet.text_width(row->label));
    for (const double v : {row->middle, row->low, row->high, row->worst, row->best}) values.add(v);
  }
  labels = std::min(labels, 38.0);
  const Box plot{2 + labels + 2.5, kTop, kValue - 9.5 - labels - 4.5, table_height(rows.size())};
  const Axis axis(values, plot.x, plot.right(), 4);
  sheet.text({kValue, 2.5}, "mean", header(Align::kRight));
  sheet.text({kDifference, 2.5}, "diff.", header(Align::kRight));
  axis_below(sheet, plot, axis);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const IntervalRow& row = *rows[i];
    const double y = kTop + kTableRow * (static_cast<double>(i) + 0.5);
    sheet.text({2, y}, sheet.shortened(row.label, labels + 0.01));
    draw_interval(sheet, row, axis, y);
    sheet.text({kValue, y}, number_or_dash(row.middle, 2), {.align = Align::kRight});
    const std::string beside = row.diverged > 0      ? fmt::format("div. {}/{}", row.diverged, row.seeds)
                               : row.difference == 0 ? ""
                                                     : number_or_dash(row.difference, 2, true);
    sheet.text({kDifference, y}, beside, {.align = Align::kRight});
  }
  sheet.text({plot.centre().x, plot.bottom() + 6}, axis_title, {.align = Align::kCentre});
  sheet.text({kOneColumn / 2, plot.bottom() + 9.8},
             fmt::format("dot: mean of {} seeds; bar: its interval; line: worst to best; div.: diverged",
                         rows.front()->seeds),
             {.points = 5.5, .align = Align::kCentre, .colour = kGrey});
}

}  // namespace

std::optional<Figure> planned_figure(const Report& report, const FigurePlan& plan,
                                     const IntervalFigure& figure) {
  const std::vector<const IntervalRow*> rows = interval_rows(report, plan);
  if (rows.empty()) return std::nullopt;
  return Figure{plan.name, kOneColumn, table_height(rows.size()) + 17,
                [rows, figure](Sheet& sheet) { draw_intervals(sheet, rows, figure.axis); }};
}

}  // namespace assay::figures
