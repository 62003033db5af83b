// T-mazes: the two environments, how methods learn, and what they have learned to do.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/figure_chart.hpp"
#include "report/figure_grid.hpp"
#include "report/figure_parts.hpp"
#include "report/figure_scale.hpp"

namespace assay::figures {
namespace {

constexpr double kMazeHeight = 80;
constexpr double kMazeTop = 7;  // below the letters of the panels
constexpr double kMazeBottom = kMazeHeight - 6;
constexpr double kMazeGap = 2;
constexpr double kEnvironmentsWidth = 26;
constexpr double kLearningWidth = 46;
constexpr double kPoliciesWidth = 2 * kEnvironmentsWidth + kMazeGap;
constexpr double kLargestMazeCell = 5;

/// The method that a plan means: by the label in the experiment, or by the beginning of a label or name.
template <class Labelled, class Usable>
const Labelled* find_learner(const std::vector<Labelled>& all, const MazeFigure::Method& learner,
                             Usable usable) {
  const auto matches = [&](const Labelled& one, int how) {
    if (how == 0) return one.label.starts_with(learner.label);
    return one.label.starts_with(learner.brief) || one.method.starts_with(learner.method);
  };
  for (const int how : {0, 1}) {
    for (const Labelled& one : all) {
      if (matches(one, how) && usable(one)) return &one;
    }
  }
  return nullptr;
}

using MazeCurves = std::vector<const CurveSeries*>;  // [method of the figure], as for the next
using MazeTraces = std::vector<const Trace*>;

template <class Pointers>
bool any_of(const Pointers& all) {
  return std::ranges::any_of(all, [](const auto* one) { return one != nullptr; });
}

/// The data of the figure; null where there are none.
struct MazeData {
  MazeFigure words;
  const Player* player = nullptr;
  std::vector<const PlayedEpisode*> environments;  // the one with the reward on the left first
  MazeCurves curves;
  std::vector<MazeTraces> traces;  // [environment]

  [[nodiscard]] bool has_curves() const { return any_of(curves); }
  [[nodiscard]] bool has_traces() const { return std::ranges::any_of(traces, any_of<MazeTraces>); }
};

enum class RewardSide { kNone, kLeft, kRight };

RewardSide reward_side(const Player& player, const PlayedEpisode& episode) {
  for (std::size_t x = 0; x < std::min(player.cells.size(), episode.truth.size()); ++x) {
    if (!(episode.truth[x] > 0)) continue;
    return 2 * player.cells[x].column + 1 < player.columns ? RewardSide::kLeft : RewardSide::kRight;
  }
  return RewardSide::kNone;
}

MazeTraces learner_traces(const PlayedEpisode& episode, const MazeFigure& figure) {
  MazeTraces traces;
  for (const MazeFigure::Method& learner : figure.methods) {
    traces.push_back(find_learner(episode.traces, learner, [](const Trace& t) { return !t.steps.empty(); }));
  }
  return traces;
}

/// The first episode of each environment that has traces of all learners, or else of most of them.
void find_episodes(const Player& player, MazeData& data) {
  data.player = &player;
  for (const RewardSide side : {RewardSide::kLeft, RewardSide::kRight}) {
    const PlayedEpisode* shown = nullptr;
    MazeTraces traces;
    const auto count = [](const MazeTraces& t) {
      return std::ranges::count_if(t, [](const Trace* one) { return one != nullptr; });
    };
    for (const PlayedEpisode& episode : player.episodes) {
      if (reward_side(player, episode) != side) continue;
      const MazeTraces found = learner_traces(episode, data.words);
      if (shown && count(found) <= count(traces)) continue;
      shown = &episode;
      traces = found;
    }
    if (!shown) continue;
    data.environments.push_back(shown);
    data.traces.push_back(traces);
  }
}

MazeData maze_data(const Report& report, const FigurePlan& plan, const MazeFigure& figure) {
  MazeData data;
  data.words = figure;
  data.curves.resize(figure.methods.size());
  std::string family;
  for (const CurveChart& chart : report.curves) {
    if (data.has_curves() || !chart.family.starts_with(plan.problems)) continue;
    family = chart.family;
    for (std::size_t i = 0; i < figure.methods.size(); ++i) {
      data.curves[i] = find_learner(chart.series, figure.methods[i], has_curve);
    }
  }
  // The maze of the curves, or else any maze.
  for (const bool same : {true, false}) {
    for (const Player& player : report.players) {
      const bool meant = same ? player.family == family : player.family.starts_with(plan.problems);
      if (meant && data.environments.empty() && GridView::fits(player)) find_episodes(player, data);
    }
  }
  return data;
}

void draw_environments(Sheet& sheet, const MazeData& data, const Box& panel) {
  panel_letter(sheet, {panel.x, 3}, "A", data.words.environments, panel.width);
  const double each = (kMazeBottom - kMazeTop) / 2;
  double top = kMazeTop;
  for (const PlayedEpisode* episode : data.environments) {
    const GridView view(*data.player, {panel.x, top, panel.width, each - 8}, kLargestMazeCell);
    draw_maze(sheet, view, episode->truth, Marks::kMiddle);
    top += each;
  }
  const Lettering key{.points = 5.5, .colour = kGrey};
  double y = kMazeHeight + 1 - 3 * static_cast<double>(data.words.marks.size());
  for (const std::string& line : data.words.marks) {
    sheet.text({panel.x, y}, line, key);
    y += 3;
  }
}

/// The letters of the panels: the environments, each learner, and what they learned.
std::string letter_of(std::size_t panel) { return std::string(1, static_cast<char>('A' + panel)); }

/// The path of each learner in every environment, one below the other, in two columns of mazes.
void draw_policies(Sheet& sheet, const MazeData& data, const Box& panel) {
  panel_letter(sheet, {panel.x, 3}, letter_of(data.words.methods.size() + 1), data.words.policies,
               panel.width);
  const double each = (kMazeBottom - kMazeTop) / static_cast<double>(data.words.methods.size());
  const auto columns = static_cast<double>(data.environments.size());
  const double width = (panel.width - kMazeGap * (columns - 1)) / columns;
  for (std::size_t i = 0; i < data.words.methods.size(); ++i) {
    const double top = kMazeTop + each * static_cast<double>(i);
    for (std::size_t e = 0; e < data.environments.size(); ++e) {
      const Trace* trace = data.traces[e][i];
      if (!trace) continue;
      const double x = panel.x + (width + kMazeGap) * static_cast<double>(e);
      const GridView view(*data.player, {x, top, width, each - 8}, kLargestMazeCell);
      draw_maze(sheet, view, data.environments[e]->truth, Marks::kCorner);
      draw_path(sheet, view, visited_states(*trace), kInk);
      const std::string text =
          fmt::format("{}: {}", data.words.methods[i].brief,
                      drawable(trace->undiscounted) ? fmt::format("{:.4g}", trace->undiscounted) : "unknown");
      sheet.text({view.frame().centre().x, view.frame().bottom() + 2.6}, sheet.shortened(text, width),
                 {.align = Align::kCentre});
    }
  }
  const Lettering key{.points = 5.5, .colour = kGrey};
  sheet.text({panel.x, kMazeHeight - 2}, data.words.policies_note, key);
}

/// What is drawn as a function of the epoch for one learner.
struct MazeQuantity {
  std::span<const double> middle, low, high;
  std::span<const std::vector<double>> singles;
};

MazeQuantity returns_of(const CurveSeries& s) { return {s.middle, s.low, s.high, s.singles}; }
MazeQuantity losses_of(const CurveSeries& s) { return {s.loss, s.loss_low, s.loss_high, s.loss_singles}; }

/// The first epochs of a few runs are extreme and would leave no room for the rest.
constexpr double kOutliers = 0.005;

Range most_of(const MazeCurves& curves, MazeQuantity (*quantity)(const CurveSeries&)) {
  Range range;
  for (const CurveSeries* series : curves) {
    if (!series) continue;
    const MazeQuantity q = quantity(*series);
    std::vector<double> around;
    for (const std::vector<double>& one : q.singles) around.insert(around.end(), one.begin(), one.end());
    range.add(q.middle);
    range.add_most({q.low.begin(), q.low.end()}, kOutliers);
    range.add_most({q.high.begin(), q.high.end()}, kOutliers);
    range.add_most(std::move(around), kOutliers);
  }
  return range;
}

void draw_quantity(const Chart& chart, const CurveSeries& series, const MazeQuantity& q,
                   const Colour& colour) {
  chart.band(series.epoch, q.low, q.high, colour.faded(0.25));
  for (const std::vector<double>& one : q.singles) {
    chart.line(series.epoch, one, {.colour = colour.faded(0.3), .width = 0.12});
  }
  chart.line(series.epoch, q.middle, {.colour = colour, .width = 0.4});
}

/// The figure states what lies outside the frame.
std::string beyond_note(const Axis& axis, const MazeQuantity& q) {
  Range all;
  for (const std::vector<double>& one : q.singles) all.add(one);
  if (all.empty()) return {};
  const double slack = 1e-9 * (axis.high() - axis.low());
  if (all.low < axis.low() - slack) return fmt::format("single runs down to −{:.4g}", -all.low);
  if (all.high > axis.high() + slack) return fmt::format("single runs up to {:.4g}", all.high);
  return {};
}

void draw_learning(Sheet& sheet, const MazeData& data, std::size_t which, const Box& panel) {
  const CurveSeries& series = *data.curves[which];
  const Colour colour = colour_of(data.words.methods[which].colour);
  panel_letter(sheet, {panel.x, 3}, letter_of(which + 1), series.label, panel.width);
  Range epochs;
  epochs.add(0);
  for (const CurveSeries* one : data.curves) {
    if (one) epochs.add(one->epoch);
  }
  const double left = panel.x + 11;
  const Box top{left, kMazeTop, panel.right() - left - 2.5, 29};
  const Box bottom{left, top.bottom() + 5, top.width, kMazeBottom - 7 - top.bottom() - 5};
  const Range losses = most_of(data.curves, losses_of);
  const Axis up = axis_up(top, with_margin(most_of(data.curves, returns_of)), 4, Ends::kValues);
  const Chart returns(sheet, top, axis_across(top, epochs), up);
  draw_quantity(returns, series, returns_of(series), colour);
  returns.axes(losses.empty() ? data.words.axes.across : "", data.words.axes.up);
  const std::string beyond = beyond_note(up, returns_of(series));
  sheet.text({top.right(), top.bottom() + 2.4}, losses.empty() ? "" : beyond,
             {.points = 5.5, .align = Align::kRight, .colour = kGrey});
  if (losses.empty()) return;
  const Chart loss(sheet, bottom, axis_across(bottom, epochs),
                   axis_up(bottom, with_margin(losses), 4, Ends::kValues));
  draw_quantity(loss, series, losses_of(series), colour);
  loss.axes(data.words.axes.across, data.words.loss);
}

/// What line and band are, in the words of the report.
void draw_statistic(Sheet& sheet, const MazeData& data, double x, double width) {
  const CurveSeries* series =
      *std::ranges::find_if(data.curves, [](const CurveSeries* s) { return s != nullptr; });
  std::string text = "line and band: " + series->statistic;
  if (!series->singles.empty()) text += "; thin lines: single runs";
  if (series->unfinished > 0) text += fmt::format("; {} not finished", series->unfinished);
  const Lettering how{.points = 5.5, .colour = kGrey};
  if (!series->statistic.empty()) sheet.text({x, kMazeHeight - 2}, sheet.shortened(text, width, how), how);
}

}  // namespace

std::optional<Figure> planned_figure(const Report& report, const FigurePlan& plan, const MazeFigure& figure) {
  const MazeData data = maze_data(report, plan, figure);
  if (data.environments.empty() && !data.has_curves()) return std::nullopt;
  const auto draw = [data](Sheet& sheet) {
    double x = kMazeGap;
    const auto next = [&](double width) {
      return Box{std::exchange(x, x + width + kMazeGap), 0, width, kMazeHeight};
    };
    if (!data.environments.empty()) draw_environments(sheet, data, next(kEnvironmentsWidth));
    const double curves_begin = x;
    for (std::size_t i = 0; i < data.curves.size(); ++i) {
      if (data.curves[i]) draw_learning(sheet, data, i, next(kLearningWidth));
    }
    if (data.has_curves()) draw_statistic(sheet, data, curves_begin + 2, x - curves_begin - 4);
    if (data.has_traces()) draw_policies(sheet, data, next(kPoliciesWidth));
  };
  double width = kMazeGap;
  for (const CurveSeries* curve : data.curves) width += curve ? kLearningWidth + kMazeGap : 0;
  width += data.environments.empty() ? 0 : kEnvironmentsWidth + kMazeGap;
  width += data.has_traces() ? kPoliciesWidth + kMazeGap : 0;
  const bool narrow = width <= kOneColumn;
  return Figure{plan.name, narrow ? kOneColumn : kTwoColumns, kMazeHeight, draw};
}

}  // namespace assay::figures
