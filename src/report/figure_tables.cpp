// Tables as figures: the ablation's intervals, and how often each method reaches the optimum on which maze.
#include <fmt/format.h>

#include <algorithm>

#include "report/figure_chart.hpp"
#include "report/figure_parts.hpp"
#include "report/figure_scale.hpp"

namespace assay::figures {
namespace {

constexpr double kTableRow = 4.6;
constexpr Lettering kHeader{.points = 6.5, .colour = kGrey};

Lettering header(Align align) {
  Lettering how = kHeader;
  how.align = align;
  return how;
}

double table_height(std::size_t rows) { return kTableRow * static_cast<double>(rows); }

std::string number_or_dash(double value, int decimals, bool with_sign = false) {
  if (!drawable(value)) return "–";
  if (std::max(value, -value) >= 1e6) return fmt::format("{:.3g}", value);
  return (with_sign && value > 0 ? "+" : "") + decimal(value, decimals);
}

std::vector<const IntervalRow*> interval_rows(const Report& report) {
  std::vector<const IntervalRow*> rows;
  if (!report.ablation) return rows;
  for (const IntervalRow& row : report.ablation->rows) {
    if (drawable(row.middle)) rows.push_back(&row);
  }
  return rows;
}

/// One row: whisker, bar and dot, each if its numbers are there.
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

void draw_ablation(Sheet& sheet, const std::vector<const IntervalRow*>& rows) {
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
  sheet.text({plot.centre().x, plot.bottom() + 6}, "return", {.align = Align::kCentre});
  sheet.text({kOneColumn / 2, plot.bottom() + 9.8},
             fmt::format("dot: mean of {} seeds; bar: its interval; line: worst to best; div.: diverged",
                         rows.front()->seeds),
             {.points = 5.5, .align = Align::kCentre, .colour = kGrey});
}

constexpr double kSweepTop = 11.5;
constexpr double kSweepBar = 0.9;  // its height, below the numbers

/// Where the sweep's columns are.
struct SweepLayout {
  double labels = 40, exact = 0, pays = 0, methods = 0, each = 0;
};

SweepLayout sweep_layout(const Sheet& sheet, const SweepTable& sweep) {
  SweepLayout layout;
  double widest = 10;
  for (const SweepRow& row : sweep.rows) widest = std::max(widest, sheet.text_width(row.label));
  layout.labels = std::min(widest, 46.0);
  layout.exact = 2 + layout.labels + 11;  // right end
  layout.pays = layout.exact + 8;         // middle
  layout.methods = layout.pays + 8;
  layout.each = (kTwoColumns - 2 - layout.methods) / static_cast<double>(sweep.methods.size());
  return layout;
}

void draw_sweep_cell(Sheet& sheet, const SweepCell& cell, double x, double y, double width) {
  const Box bar{x, y + 1.2, width - 2, kSweepBar};
  const double share = cell.of > 0 ? std::clamp(static_cast<double>(cell.reached) / cell.of, 0.0, 1.0) : 0;
  sheet.text({x, y - 0.2}, fmt::format("{}/{}", cell.reached, cell.of), {.points = 6.5});
  sheet.text({bar.right(), y - 0.2}, number_or_dash(cell.collected, 1),
             {.points = 6.5, .align = Align::kRight});
  sheet.rectangle({bar.x, bar.y, bar.width * share, bar.height}, kBlue);
  sheet.outline(bar, {.colour = kGrey, .width = 0.15});
}

void draw_sweep_header(Sheet& sheet, const SweepTable& sweep, const SweepLayout& at) {
  constexpr double kLine = 3;
  constexpr double kNames = 2.5;
  constexpr double kBelow = kNames + 2 * kLine + 0.5;
  sheet.text({2, kBelow}, "maze", kHeader);
  sheet.text({at.exact, kBelow}, "v^*", header(Align::kRight));
  sheet.text({at.pays, kBelow}, "cue pays", header(Align::kCentre));
  for (std::size_t m = 0; m < sweep.methods.size(); ++m) {
    const double x = at.methods + at.each * static_cast<double>(m);
    const std::vector<std::string> lines = sheet.wrapped(sweep.methods[m], at.each - 1, 3);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      sheet.text({x, kNames + kLine * static_cast<double>(i)}, lines[i]);
    }
  }
}

void draw_sweep(Sheet& sheet, const SweepTable& sweep) {
  const SweepLayout at = sweep_layout(sheet, sweep);
  draw_sweep_header(sheet, sweep, at);
  sheet.line({2, kSweepTop}, {kTwoColumns - 2, kSweepTop}, {.colour = kInk, .width = 0.18});
  for (std::size_t i = 0; i < sweep.rows.size(); ++i) {
    const SweepRow& row = sweep.rows[i];
    const double y = kSweepTop + kTableRow * (static_cast<double>(i) + 0.6);
    sheet.text({2, y}, sheet.shortened(row.label, at.labels + 0.01));
    sheet.text({at.exact, y}, number_or_dash(row.exact, 3), {.align = Align::kRight});
    const bool known = drawable(row.exact) && drawable(row.without_cue);
    sheet.text({at.pays, y}, !known ? "–" : row.cue_pays() ? "yes" : "no", {.align = Align::kCentre});
    for (std::size_t m = 0; m < sweep.methods.size(); ++m) {
      const double x = at.methods + at.each * static_cast<double>(m);
      if (m < row.cells.size() && row.cells[m]) {
        draw_sweep_cell(sheet, *row.cells[m], x, y, at.each);
      } else {
        sheet.text({x, y}, "not finished", kHeader);
      }
    }
  }
  sheet.text(
      {2, kSweepTop + table_height(sweep.rows.size()) + 4},
      "left and bar: repetitions that end at the exact optimum; right: what the greedy policy collects, mean "
      "of both environments, median of the repetitions",
      {.points = 5.5, .colour = kGrey});
}

}  // namespace

std::optional<Figure> ablation_figure(const Report& report) {
  const std::vector<const IntervalRow*> rows = interval_rows(report);
  if (rows.empty()) return std::nullopt;
  return Figure{"ablation", kOneColumn, table_height(rows.size()) + 17,
                [rows](Sheet& sheet) { draw_ablation(sheet, rows); }};
}

std::optional<Figure> maze_sizes_figure(const Report& report) {
  if (!report.sweep || report.sweep->methods.empty()) return std::nullopt;
  const SweepTable& sweep = *report.sweep;
  const bool any = std::ranges::any_of(sweep.rows, [](const SweepRow& row) {
    return std::ranges::any_of(row.cells, [](const auto& cell) { return cell.has_value(); });
  });
  if (!any) return std::nullopt;
  return Figure{"maze_sizes", kTwoColumns, kSweepTop + table_height(sweep.rows.size()) + 7,
                [&sweep](Sheet& sheet) { draw_sweep(sheet, sweep); }};
}

}  // namespace assay::figures
