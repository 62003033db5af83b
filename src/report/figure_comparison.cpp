// The methods on any problem: what each of them earned in the test, and the learning curves of those that
// learn.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "assay/core/detail/spec.hpp"
#include "lab/statistics.hpp"
#include "problem/problem_identity.hpp"
#include "report/figure_chart.hpp"
#include "report/figure_curves.hpp"
#include "report/figure_parts.hpp"
#include "report/figure_scale.hpp"

namespace assay::figures {
namespace {

constexpr double kComparedRow = 4.6;
constexpr double kComparedTop = 11;  // of the panels, below the title and their letters
constexpr double kComparedCurves = 44;
constexpr double kComparedSample = 6;

constexpr std::array<Colour, 8> kComparedColours = {kInk,    kVermilion, kBlue,   kGreen,
                                                    kOrange, kSky,       kPurple, kGrey};
constexpr std::array<Dash, 4> kComparedDashes = {Dash::kSolid, Dash::kDashed, Dash::kDashDot, Dash::kDotted};

/// The line of a method: it differs from that of every other method as long as there are at most 32.
LineStyle compared_style(std::size_t method) {
  return {kComparedColours[method % kComparedColours.size()],
          kComparedDashes[(method + method / kComparedColours.size()) % kComparedDashes.size()]};
}

struct ComparedRow {
  const ResultRow* result = nullptr;
  std::optional<MeanEstimate> earned;  // in the measure that the methods maximise; none: not finished
  bool learns = false;                 // does it have a curve?
  LineStyle style;
};

struct ComparedProblem {
  const ResultTable* table = nullptr;
  std::vector<ComparedRow> rows;
  std::vector<StyledSeries> curves;

  [[nodiscard]] std::string axis() const { return table->columns.front(); }
};

/// The tables of one problem, as `compare` and `run` make them.
bool is_comparison(const ResultTable& table) {
  return !table.columns.empty() && table.columns.back() == "return" && !table.families.empty();
}

ComparedProblem compared_problem(const Report& report, const ResultTable& table) {
  ComparedProblem problem{&table, {}, {}};
  const auto chart = std::ranges::find_if(report.curves, [&](const CurveChart& c) {
    return c.title == table.title && c.family == table.families.front();
  });
  for (const ResultRow& result : table.rows) {
    ComparedRow row{&result, std::nullopt, false, compared_style(problem.rows.size())};
    if (!result.cells.empty() && result.cells.front() && drawable(result.cells.front()->mean)) {
      const ResultCell& cell = *result.cells.front();
      row.earned = MeanEstimate{cell.mean, cell.standard_error, static_cast<std::size_t>(cell.count)};
    }
    if (chart != report.curves.end()) {
      for (const CurveSeries& series : chart->series) {
        if (series.label != result.label || series.method != result.method || !has_curve(series)) continue;
        problem.curves.push_back({&series, row.style});
        row.learns = true;
      }
    }
    problem.rows.push_back(row);
  }
  return problem;
}

/// Student's interval, where it can be computed.
Interval earned_interval(const MeanEstimate& earned) {
  if (earned.count < 2 || !drawable(earned.standard_error)) return {earned.mean, earned.mean};
  return mean_interval(earned);
}

/// As many decimals as the standard error justifies, at most 4.
std::string earned_text(const MeanEstimate& earned) {
  int decimals = 2;
  for (double error = earned.standard_error; error > 0 && error < 0.01 && decimals < 4; error *= 10)
    ++decimals;
  return std::abs(earned.mean) >= 1e6 ? fmt::format("{:.4g}", earned.mean) : decimal(earned.mean, decimals);
}

/// One line for each method: its line in the chart, its name, its mean with an interval, and the number of
/// episodes.
void draw_earned(Sheet& sheet, const ComparedProblem& problem, const Box& box) {
  constexpr double kNumbers = 11;
  const double sample = problem.curves.empty() ? 0 : kComparedSample + 1.5;
  double labels = 0;
  Range values;
  for (const ComparedRow& row : problem.rows) {
    labels = std::max(labels, sheet.text_width(row.result->label));
    if (!row.earned) continue;
    const Interval interval = earned_interval(*row.earned);
    for (const double v : {row.earned->mean, interval.low, interval.high}) values.add(v);
  }
  labels = std::min(labels, 0.45 * box.width);
  const double left = box.x + sample + labels + 3;
  const Box plot{left, box.y, box.right() - kNumbers - left, box.height};
  const Axis axis(with_margin(values), plot.x, plot.right(), 4, Ends::kValues);
  axis_below(sheet, plot, axis);
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    const ComparedRow& row = problem.rows[i];
    const double y = box.y + kComparedRow * (static_cast<double>(i) + 0.5);
    if (row.learns) {
      sheet.line({box.x, y}, {box.x + kComparedSample, y},
                 {.colour = row.style.colour, .width = 0.4, .dash = row.style.dash});
    }
    sheet.text({box.x + sample, y}, sheet.shortened(row.result->label, labels + 0.01));
    if (!row.earned) {
      sheet.text({plot.x, y}, "not finished", {.points = 6.5, .colour = kGrey});
      continue;
    }
    const Interval interval = earned_interval(*row.earned);
    sheet.line({axis.at(interval.low), y}, {axis.at(interval.high), y}, {.colour = kSky, .width = 1.3});
    sheet.disc({axis.at(row.earned->mean), y}, 0.75, kWhite);
    sheet.disc({axis.at(row.earned->mean), y}, 0.6, kInk);
    sheet.text({box.right(), y}, earned_text(*row.earned), {.align = Align::kRight});
  }
  sheet.text({plot.centre().x, plot.bottom() + 6}, problem.axis(), {.align = Align::kCentre});
}

/// Only letters, digits and a few signs are kept, because a problem may have any name.
std::string comparison_name(const std::string& family) {
  constexpr std::size_t kLongest = 60;
  std::string name = short_name(family).substr(0, kLongest);
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
    if (!plain) c = '_';
  }
  return "comparison_" + name;
}

/// The name of a file without its folders.
std::string problem_title(const ResultTable& table) {
  return is_problem_file(table.title) ? table.title.substr(table.title.rfind('/') + 1) : table.title;
}

double comparison_height(const ComparedProblem& problem) {
  const double rows = kComparedRow * static_cast<double>(problem.rows.size());
  return problem.curves.empty() ? rows : std::max(rows, kComparedCurves);
}

void draw_comparison(Sheet& sheet, const ComparedProblem& problem, double width) {
  sheet.text({2, 3}, sheet.shortened(problem_title(*problem.table), width - 4), {.bold = true});
  const double height = comparison_height(problem);
  std::string note = "dot: mean of the test; bar: its 95 % interval; " + printable(problem.table->note);
  Box earned{2, kComparedTop - 4, width - 4, kComparedRow * static_cast<double>(problem.rows.size())};
  if (!problem.curves.empty()) {
    const Box plot{14, kComparedTop, 76, height};
    panel_letter(sheet, {2, 7.5}, "A", "learning", plot.width);
    const Chart chart(sheet, plot, axis_across(plot, epochs_of(problem.curves)),
                      axis_up(plot, with_margin(returns_of(problem.curves)), 5, Ends::kValues));
    draw_series(chart, problem.curves);
    chart.axes("epoch", "return in training");
    earned = {plot.right() + 8, kComparedTop, width - plot.right() - 10, earned.height};
    panel_letter(sheet, {earned.x, 7.5}, "B", "test", earned.width);
    note = "A: " + statistics_note(problem.curves) + ". B: " + note;
  }
  draw_earned(sheet, problem, earned);
  const Lettering how{.points = 5.5, .colour = kGrey};
  double y = kComparedTop + height + (problem.curves.empty() ? 6 : 10);
  for (const std::string& line : sheet.wrapped(note, width - 4, 3, how)) {
    sheet.text({2, y}, line, how);
    y += 2.6;
  }
}

}  // namespace

std::vector<Figure> comparison_figures(const Report& report) {
  std::vector<Figure> all;
  std::set<std::string> names;
  for (const ResultTable& table : report.tables) {
    if (!is_comparison(table)) continue;
    const ComparedProblem problem = compared_problem(report, table);
    const bool any =
        std::ranges::any_of(problem.rows, [](const ComparedRow& r) { return r.earned || r.learns; });
    if (!any) continue;
    const std::string base = comparison_name(table.families.front());
    std::string name = base;
    for (int i = 2; !names.insert(name).second; ++i) name = fmt::format("{}_{}", base, i);
    const double width = problem.curves.empty() ? kOneColumn : kTwoColumns;
    const double height = kComparedTop + comparison_height(problem) + (problem.curves.empty() ? 14 : 18);
    all.push_back(
        {name, width, height, [problem, width](Sheet& sheet) { draw_comparison(sheet, problem, width); }});
  }
  return all;
}

}  // namespace assay::figures
