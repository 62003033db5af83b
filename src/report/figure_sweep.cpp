// Methods on several problems as a table: how often each of them reaches the exact optimum.
#include <fmt/format.h>

#include <algorithm>

#include "report/figure_parts.hpp"
#include "report/figure_scale.hpp"

namespace assay::figures {
namespace {

constexpr double kSweepTop = 11.5;
constexpr double kSweepBar = 0.9;  // the height of a bar, below the numbers

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

void draw_sweep_header(Sheet& sheet, const SweepTable& sweep, const SweepFigure& words,
                       const SweepLayout& at) {
  constexpr double kLine = 3;
  constexpr double kNames = 2.5;
  constexpr double kBelow = kNames + 2 * kLine + 0.5;
  sheet.text({2, kBelow}, words.problem, kHeader);
  sheet.text({at.exact, kBelow}, "v^*", header(Align::kRight));
  sheet.text({at.pays, kBelow}, words.pays, header(Align::kCentre));
  for (std::size_t m = 0; m < sweep.methods.size(); ++m) {
    const double x = at.methods + at.each * static_cast<double>(m);
    const std::vector<std::string> lines = sheet.wrapped(sweep.methods[m], at.each - 1, 3);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      sheet.text({x, kNames + kLine * static_cast<double>(i)}, lines[i]);
    }
  }
}

void draw_sweep(Sheet& sheet, const SweepTable& sweep, const SweepFigure& words) {
  const SweepLayout at = sweep_layout(sheet, sweep);
  draw_sweep_header(sheet, sweep, words, at);
  sheet.line({2, kSweepTop}, {kTwoColumns - 2, kSweepTop}, {.colour = kInk, .width = 0.18});
  for (std::size_t i = 0; i < sweep.rows.size(); ++i) {
    const SweepRow& row = sweep.rows[i];
    const double y = kSweepTop + kTableRow * (static_cast<double>(i) + 0.6);
    sheet.text({2, y}, sheet.shortened(row.label, at.labels + 0.01));
    sheet.text({at.exact, y}, number_or_dash(row.exact, 3), {.align = Align::kRight});
    const bool known = drawable(row.exact) && drawable(row.without_source);
    sheet.text({at.pays, y}, !known ? "–" : row.source_pays() ? "yes" : "no", {.align = Align::kCentre});
    for (std::size_t m = 0; m < sweep.methods.size(); ++m) {
      const double x = at.methods + at.each * static_cast<double>(m);
      if (m < row.cells.size() && row.cells[m]) {
        draw_sweep_cell(sheet, *row.cells[m], x, y, at.each);
      } else {
        sheet.text({x, y}, "not finished", kHeader);
      }
    }
  }
  sheet.text({2, kSweepTop + table_height(sweep.rows.size()) + 4}, words.note,
             {.points = 5.5, .colour = kGrey});
}

}  // namespace

std::optional<Figure> planned_figure(const Report& report, const FigurePlan& plan,
                                     const SweepFigure& figure) {
  if (!report.sweep || !is_of(report.sweep->experiment, plan)) return std::nullopt;
  if (report.sweep->methods.empty()) return std::nullopt;
  const SweepTable& sweep = *report.sweep;
  const bool any = std::ranges::any_of(sweep.rows, [](const SweepRow& row) {
    return std::ranges::any_of(row.cells, [](const auto& cell) { return cell.has_value(); });
  });
  if (!any) return std::nullopt;
  return Figure{plan.name, kTwoColumns, kSweepTop + table_height(sweep.rows.size()) + 7,
                [&sweep, figure](Sheet& sheet) { draw_sweep(sheet, sweep, figure); }};
}

}  // namespace assay::figures
