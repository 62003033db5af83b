// Learning on problems of several sizes, and the path of one trained agent to the information and from it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

#include "report/figure_chart.hpp"
#include "report/figure_curves.hpp"
#include "report/figure_grid.hpp"
#include "report/figure_parts.hpp"
#include "report/figure_scale.hpp"

namespace assay::figures {
namespace {

constexpr std::size_t kPanels = 3;  // in a row
constexpr double kPanelRow = 50;
constexpr double kExampleHeight = 66;
constexpr double kNoteHeight = 6;
constexpr double kLegendHeight = 5;  // one line of it, with the letters

/// The lines of methods that the plan does not name, if none of those it names is there.
constexpr std::array<LineStyle, 4> kOtherStyles = {
    {{kOrange, Dash::kSolid}, {kSky, Dash::kDashed}, {kPurple, Dash::kDashDot}, {kGrey, Dash::kDotted}}};

std::vector<StyledSeries> styled_series(const CurveChart& chart, const LearningFigure& figure) {
  std::vector<StyledSeries> all;
  for (const LearningFigure::Method& known : figure.methods) {
    const auto found = std::ranges::find_if(
        chart.series, [&](const CurveSeries& s) { return s.label == known.label && has_curve(s); });
    if (found != chart.series.end()) all.push_back({&*found, {colour_of(known.colour), dash_of(known.line)}});
  }
  if (!all.empty()) return all;
  for (const CurveSeries& s : chart.series) {
    if (all.size() < kOtherStyles.size() && has_curve(s)) all.push_back({&s, kOtherStyles[all.size()]});
  }
  return all;
}

struct PlayedExample {
  const Player* player = nullptr;
  const PlayedEpisode* episode = nullptr;
  const Trace* trace = nullptr;
  LearningFigure::Trajectory words;

  [[nodiscard]] bool is_landmark(int state) const {
    const auto x = static_cast<std::size_t>(state);
    return state >= 0 && x < player->landmarks.size() && words.landmark == player->landmarks.substr(x, 1);
  }
};

struct LearningData {
  LearningFigure words;
  std::vector<std::pair<const CurveChart*, std::vector<StyledSeries>>> charts;
  PlayedExample example;  // pointers are null if there is none
};

PlayedExample first_trace_of(const LearningFigure::Trajectory& words, const Player& player) {
  for (const PlayedEpisode& episode : player.episodes) {
    for (const Trace& trace : episode.traces) {
      const bool meant = trace.method.starts_with(words.method) || trace.label.starts_with(words.method);
      if (meant && !trace.steps.empty()) return {&player, &episode, &trace, words};
    }
  }
  return {};
}

LearningData learning_data(const Report& report, const FigurePlan& plan, const LearningFigure& figure) {
  LearningData data;
  data.words = figure;
  for (const CurveChart& chart : report.curves) {
    if (!chart.family.starts_with(plan.problems)) continue;
    std::vector<StyledSeries> series = styled_series(chart, figure);
    if (!series.empty()) data.charts.emplace_back(&chart, std::move(series));
  }
  if (figure.trajectory.method.empty()) return data;
  int largest = 0;
  for (const Player& player : report.players) {
    if (!player.family.starts_with(plan.problems) || !GridView::fits(player)) continue;
    const PlayedExample example = first_trace_of(figure.trajectory, player);
    if (!example.trace || player.rows * player.columns <= largest) continue;
    largest = player.rows * player.columns;
    data.example = example;
  }
  return data;
}

/// The range of all panels.
std::vector<StyledSeries> all_series(const LearningData& data) {
  std::vector<StyledSeries> all;
  for (const auto& [chart, series] : data.charts) all.insert(all.end(), series.begin(), series.end());
  return all;
}

void draw_learning(Sheet& sheet, const LearningData& data, double bottom) {
  panel_letter(sheet, {2, 3}, "A");
  const std::vector<StyledSeries> all = all_series(data);
  draw_legend(sheet, {13, 3}, kTwoColumns - 15, legend_entries(all));
  const Range returns = with_margin(returns_of(all));
  for (std::size_t i = 0; i < data.charts.size(); ++i) {
    const auto& [chart, series] = data.charts[i];
    const double left = 13 + 57.0 * static_cast<double>(i % kPanels);
    const std::size_t row = i / kPanels;
    const double top = kLegendHeight + 5 + kPanelRow * static_cast<double>(row);
    const Box plot{left, top, 50, kPanelRow - 15};
    const Chart drawn(sheet, plot, axis_across(plot, epochs_of(series)),
                      axis_up(plot, returns, 6, Ends::kValues));
    draw_series(drawn, series);
    drawn.axes(data.words.axes.across, i % kPanels == 0 ? data.words.axes.up : "");
    sheet.text({plot.centre().x, top - 2.5}, sheet.shortened(chart->title, plot.width),
               {.align = Align::kCentre});
  }
  const Lettering how{.points = 5.5, .colour = kGrey};
  double y = bottom - 5;
  for (const std::string& line : sheet.wrapped(statistics_note(all), kTwoColumns - 15, 2, how)) {
    sheet.text({13, y}, line, how);
    y += 2.6;
  }
}

/// The steps at which each state is visited, such as "1, 4–9"; [state].
std::vector<std::string> visit_labels(const std::vector<int>& visited, int states) {
  std::vector<std::string> labels(static_cast<std::size_t>(states));
  for (std::size_t begin = 0; begin < visited.size();) {
    std::size_t end = begin + 1;
    while (end < visited.size() && visited[end] == visited[begin]) ++end;
    if (visited[begin] >= 0 && visited[begin] < states) {
      std::string& label = labels[static_cast<std::size_t>(visited[begin])];
      if (!label.empty()) label += ",";
      label += end - begin == 1 ? fmt::format("{}", begin + 1) : fmt::format("{}–{}", begin + 1, end);
    }
    begin = end;
  }
  return labels;
}

Colour shade(double share) {
  const double full = 0.75 * std::clamp(share, 0.0, 1.0);
  return {1 - full * (1 - kSky.red), 1 - full * (1 - kSky.green), 1 - full * (1 - kSky.blue)};
}

void draw_shades(Sheet& sheet, const Box& bar, const Axis& axis, const std::string& title) {
  constexpr int kShades = 40;
  for (int i = 0; i < kShades; ++i) {
    const double width = bar.width / kShades;
    sheet.rectangle({bar.x + i * width, bar.y, width + 0.05, bar.height}, shade((i + 0.5) / kShades));
  }
  sheet.outline(bar, {.colour = kGrey, .width = 0.15});
  for (const double tick : {axis.low(), axis.high()}) {
    sheet.text({axis.at(tick), bar.bottom() + 2}, axis.label(tick), {.points = 6.5, .align = Align::kCentre});
  }
  sheet.text({bar.centre().x, bar.bottom() + 2}, title, {.points = 6.5, .align = Align::kCentre});
}

/// The corners of cells that the path passes. Coordinates are doubled, so that the corners of diagonal moves
/// are whole numbers.
class CrossedCorners {
 public:
  CrossedCorners(const GridView& view, const std::vector<int>& visited) : view_(view) {
    for (std::size_t i = 1; i < visited.size(); ++i) {
      if (!view.has(visited[i - 1]) || !view.has(visited[i])) continue;
      const Point from = view.box(visited[i - 1]).centre();
      const Point to = view.box(visited[i]).centre();
      crossed_.insert(key({(from.x + to.x) / 2, (from.y + to.y) / 2}));
    }
  }

  /// The first of these corners that is free, otherwise the last.
  [[nodiscard]] std::size_t free(const Box& box, std::span<const std::size_t> corners) const {
    for (const std::size_t corner : corners) {
      const Point at{corner % 2 == 0 ? box.x : box.right(), corner < 2 ? box.y : box.bottom()};
      if (!crossed_.contains(key(at))) return corner;
    }
    return corners.back();
  }

 private:
  [[nodiscard]] std::pair<long, long> key(Point p) const {
    return {std::lround(2 * (p.x - view_.frame().x) / view_.cell()),
            std::lround(2 * (p.y - view_.frame().y) / view_.cell())};
  }

  const GridView& view_;
  std::set<std::pair<long, long>> crossed_;
};

/// Text in a corner of a cell: 0 and 1 are above, 2 and 3 below, even numbers left.
void corner_text(Sheet& sheet, const Box& box, std::size_t corner, std::string_view text, Lettering how) {
  const double cell = box.width;
  const bool left = corner % 2 == 0;
  how.align = left ? Align::kLeft : Align::kRight;
  const std::string label = sheet.shortened(text, 0.92 * cell, how);
  if (label.empty()) return;
  const double width = sheet.text_width(label, how) + 0.06 * cell;
  const double y = corner < 2 ? box.y + 0.16 * cell : box.bottom() - 0.16 * cell;
  // The path must not cross the text.
  sheet.rectangle(
      {left ? box.x + 0.02 * cell : box.right() - 0.02 * cell - width, y - 0.13 * cell, width, 0.26 * cell},
      kWhite.faded(0.7));
  sheet.text({left ? box.x + 0.05 * cell : box.right() - 0.05 * cell, y}, label, how);
}

/// The start, the landmark and the numbers of the steps.
void draw_marks(Sheet& sheet, const GridView& view, const PlayedExample& example,
                const std::vector<int>& visited) {
  constexpr std::array<std::size_t, 4> kNumberCorners = {3, 2, 1, 0};
  const std::vector<std::string> labels = visit_labels(visited, view.states());
  const CrossedCorners crossed(view, visited);
  const double points = std::min(6.0, 0.9 * view.cell());
  for (int x = 0; x < view.states(); ++x) {
    if (!view.has(x)) continue;
    const Box box = view.box(x);
    const std::string& label = labels[static_cast<std::size_t>(x)];
    const std::size_t number = crossed.free(box, kNumberCorners);
    if (!label.empty()) corner_text(sheet, box, number, label, {.points = points});
    std::vector<std::size_t> others = {0, 1, 2, 3};
    std::erase(others, number);
    // They go to another row of the cell where possible, because the number may be long.
    std::stable_partition(others.begin(), others.end(), [&](std::size_t c) { return c / 2 != number / 2; });
    const std::string_view mark = example.is_landmark(x) ? std::string_view(example.words.landmark)
                                  : x == visited.front() ? "S"
                                                         : "";
    corner_text(sheet, box, crossed.free(box, others), mark, {.points = points * 1.2, .bold = true});
  }
}

void draw_trajectory(Sheet& sheet, const PlayedExample& example, const Box& area) {
  const GridView view(*example.player, {area.x, area.y, area.width, area.height - 6}, 12);
  Range pays;
  pays.add(0);
  pays.add(example.episode->truth);
  const Box bar{area.x + 4, view.frame().bottom() + 1.5, area.width - 8, 1.6};
  const Axis axis(pays, bar.x, bar.right(), 2);
  const std::vector<int> visited = visited_states(*example.trace);
  for (int x = 0; x < view.states(); ++x) {
    if (!view.has(x)) continue;
    const Box box = view.box(x);
    const double truth = value_at(example.episode->truth, x);
    if (drawable(truth)) {
      sheet.rectangle(box, shade((axis.at(truth) - bar.x) / bar.width));
    }
    sheet.outline(box, {.colour = kGrey, .width = 0.15});
  }
  draw_path(sheet, view, visited, kInk);
  draw_marks(sheet, view, example, visited);
  if (!pays.empty() && pays.high > pays.low) draw_shades(sheet, bar, axis, example.words.reward);
}

/// The step at which most was cashed, counted from 0; none if nothing was.
std::optional<std::size_t> most_cashed(const Trace& trace) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const double cashed = trace.steps[i].cashed;
    if (drawable(cashed) && cashed > (best ? trace.steps[*best].cashed : 0)) best = i;
  }
  return best;
}

void draw_worths(Sheet& sheet, const PlayedExample& example, const Box& plot) {
  std::vector<double> step, current, future, bound;
  for (const TraceStep& s : example.trace->steps) {
    step.push_back(static_cast<double>(step.size() + 1));
    current.push_back(s.at.current);
    future.push_back(s.at.future);
    bound.push_back(s.at.bound);
  }
  Range values;
  values.add(0);
  for (const auto* one : {&current, &future, &bound}) values.add(*one);
  Range steps;
  steps.add(0);
  steps.add(step);
  const Chart chart(sheet, plot, axis_across(plot, steps, 5), axis_up(plot, values));
  const char* known = example.trace->mean_plan ? "v^m, current information" : "v^c, current information";
  const std::array<LegendEntry, 3> entries = {{{known, {kVermilion, Dash::kSolid}},
                                               {"v^f, future information", {kBlue, Dash::kDashed}},
                                               {"B, bound of v^f", {kInk, Dash::kDotted}}}};
  draw_legend(sheet, {plot.x, plot.y - 4.5}, plot.width, entries);
  if (const std::optional<std::size_t> most = most_cashed(*example.trace)) {
    const double x = chart.x_at(step[*most]);
    const bool there = example.is_landmark(example.trace->steps[*most].state);
    sheet.line({x, plot.y}, {x, plot.bottom()}, {.colour = kGrey, .width = 0.25, .dash = Dash::kDashed});
    const bool left = x > plot.centre().x;
    sheet.text({x + (left ? -1 : 1), plot.y + 1.5},
               there ? example.words.landmark_note : example.words.other_note,
               {.align = left ? Align::kRight : Align::kLeft, .colour = kGrey});
  }
  const auto& [c, f, b] = entries;
  chart.line(step, current, {.colour = c.style.colour, .width = 0.4, .dash = c.style.dash});
  chart.line(step, future, {.colour = f.style.colour, .width = 0.4, .dash = f.style.dash});
  chart.line(step, bound, {.colour = b.style.colour, .width = 0.4, .dash = b.style.dash});
  chart.axes(example.words.values.across, example.words.values.up);
}

void draw_example(Sheet& sheet, const PlayedExample& example, double top) {
  const std::string title =
      fmt::format("{}: {}", printable(example.player->title), printable(example.trace->label));
  panel_letter(sheet, {2, top + 3}, "B", title, kTwoColumns / 3);
  const double height = kExampleHeight - 8;
  draw_trajectory(sheet, example, {4, top + 7, 52, height});
  draw_worths(sheet, example, {75, top + 9, kTwoColumns - 75 - 5, height - 12});
}

}  // namespace

std::optional<Figure> planned_figure(const Report& report, const FigurePlan& plan,
                                     const LearningFigure& figure) {
  const LearningData data = learning_data(report, plan, figure);
  if (data.charts.empty() && !data.example.trace) return std::nullopt;
  const std::size_t rows = (data.charts.size() + kPanels - 1) / kPanels;
  const double learning = rows == 0 ? 0 : kLegendHeight + kPanelRow * static_cast<double>(rows) + kNoteHeight;
  const double height = learning + (data.example.trace ? kExampleHeight : 0);
  const auto draw = [data, learning](Sheet& sheet) {
    if (!data.charts.empty()) draw_learning(sheet, data, learning);
    if (data.example.trace) draw_example(sheet, data.example, learning);
  };
  return Figure{plan.name, kTwoColumns, height, draw};
}

}  // namespace assay::figures
