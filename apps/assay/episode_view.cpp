#include "assay/episode_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/search_text.hpp"

namespace assay::cli {
namespace {

constexpr std::size_t kCellWidth = 2;  // two characters are about as wide as a line is high

std::string happened_text(const Problem& problem, int state, int action, const Outcome& o) {
  std::string text = o.reward != 0 ? fmt::format("reward {}", o.reward) : "";
  if (!o.observation.empty()) {
    text += fmt::format("{}sees {}", text.empty() ? "" : ", ",
                        problem.observation_text(state, action, o.observation));
  }
  return text.empty() ? "nothing" : text;
}

bool is_something(const Outcome& o) { return o.reward != 0 || !o.observation.empty(); }

const char* current_symbol(const Trace& trace) { return trace.mean_plan ? "v^m" : "v^c"; }

/// A text like "v^c 4.41, v^f 5.20 of at most 6.54"; empty if nothing is known.
std::string worth_text(const Trace& trace, const Worth& worth) {
  if (std::isnan(worth.current)) return "";
  std::string text = fmt::format("{} {:.2f}", current_symbol(trace), worth.current);
  if (!std::isnan(worth.future)) text += fmt::format(", v^f {:.2f}", worth.future);
  if (!std::isnan(worth.bound)) {
    text += fmt::format("{} at most {:.2f}", std::isnan(worth.future) ? ", more knowledge adds" : " of",
                        worth.bound);
  }
  return text;
}

}  // namespace

EpisodeView::EpisodeView(const Problem& problem, const Trace& trace, std::size_t width, bool colour,
                         bool tree)
    : problem_(problem), trace_(trace), width_(width), colour_(colour), tree_(tree) {
  for (const TraceStep& step : trace.steps) searches_ = searches_ || !step.search.empty();
  if (!problem.drawable()) return;
  bool future = false;
  for (const TraceStep& step : trace.steps) future = future || !step.future.empty();
  shadings_ = {{"E[reward]", &TraceStep::mean}, {current_symbol(trace), &TraceStep::current}};
  shadings_.push_back(future ? Shading{"v^f", &TraceStep::future} : Shading{"B", &TraceStep::bound});
  for (Shading& s : shadings_) {
    s.low = std::numeric_limits<double>::infinity();
    s.high = -s.low;
    for (const TraceStep& step : trace.steps) {
      for (const double v : step.*s.values) {
        if (!std::isfinite(v)) continue;
        s.low = std::min(s.low, v);
        s.high = std::max(s.high, v);
      }
    }
  }
  std::erase_if(shadings_, [](const Shading& s) { return s.low > s.high; });
}

Picture EpisodeView::legend() const {
  Picture lines;
  for (const Shading& s : shadings_) {
    const std::string low = fmt::format("{:.3f}", s.low);
    const std::string high = fmt::format("{:.3f}", s.high);
    std::string scale;
    constexpr int kSteps = 10;
    for (int i = 0; i < kSteps; ++i) {
      scale += colour_ ? shaded(" ", i / (kSteps - 1.0)) : fmt::format("{}", i);
    }
    lines.add_line(fmt::format("  {:<10} {:>8} {} {}", s.title, low, scale, high),
                   fmt::formatted_size("  {:<10} {:>8} {:10} {}", s.title, low, "", high));
  }
  return lines;
}

std::string EpisodeView::cell(const Shading& shading, const TraceStep& step, int state) const {
  const std::vector<double>& values = step.*shading.values;
  const double value =
      values.empty() ? std::numeric_limits<double>::quiet_NaN() : values[static_cast<std::size_t>(state)];
  if (!std::isfinite(value)) return std::string("-") + std::string(kCellWidth - 1, ' ');
  const double share =
      shading.high > shading.low ? (value - shading.low) / (shading.high - shading.low) : 0.5;
  if (colour_) return shaded(std::string(kCellWidth, ' '), share);
  return fmt::format("{:<{}}", std::min(9, static_cast<int>(10 * share)), kCellWidth);
}

/// Puts the blocks next to each other as far as there is room, and the rest below.
Picture EpisodeView::grids(const TraceStep& step) const {
  const auto titled = [](const std::string& title, const Picture& grid) {
    Picture picture;
    picture.add_line(title);
    picture.append(grid);
    return picture;
  };
  Picture row = titled("", draw_grid(
                               problem_, kCellWidth,
                               [&](int x) {
                                 const bool agent = x == step.state;
                                 return std::string(1, agent ? '@' : problem_.landmark(x)) +
                                        std::string(kCellWidth - 1, ' ');
                               },
                               step.state));
  Picture all;
  for (const Shading& s : shadings_) {
    const Picture next =
        titled(s.title, draw_grid(
                            problem_, kCellWidth, [&](int x) { return cell(s, step, x); }, step.state));
    const Picture wider = row.beside(next);
    if (width_ > 0 && wider.width() + 4 > width_) {
      all.append(row);
      row = next;
    } else {
      row = wider;
    }
  }
  all.append(row);
  const Picture margin = [&] {
    Picture blanks;
    for (std::size_t i = 0; i < all.lines().size(); ++i) blanks.add_line(" ");
    return blanks;
  }();
  return margin.beside(all);
}

std::vector<std::string> EpisodeView::sentences(std::size_t number, bool framed) const {
  const TraceStep& step = trace_.steps[number];
  const std::string before = number == 0 ? "" : trace_.steps[number - 1].belief_after;
  std::vector<std::string> all;
  const auto say = [&](bool something, const std::string& text) {
    if (something) {
      all.push_back(text);
    } else if (framed) {
      all.emplace_back();
    }
  };
  say(is_something(step.arrival),
      "  arriving: " + happened_text(problem_, step.state, kArrive, step.arrival));
  say(framed || step.belief != before, "  belief: " + step.belief);
  const std::string worth = worth_text(trace_, step.at);
  say(!worth.empty(), "  next worth: " + worth);
  const bool searched = !step.search.empty();
  if (searches_) say(searched, "  searched: " + search_summary(step.search, step.action));
  if (tree_ && searched) {
    for (std::string& line : search_tree_lines(problem_, step.search, step.state, step.action)) {
      all.push_back(std::move(line));
    }
  }
  all.push_back("  does: " + problem_.action_name(step.action));
  say(is_something(step.outcome) || step.belief_after != step.belief,
      "  outcome: " + happened_text(problem_, step.state, step.action, step.outcome));
  say(!framed && step.belief_after != step.belief, "  belief: " + step.belief_after);
  say(std::abs(step.cashed) >= 0.005,
      fmt::format("  cashed: {:+.2f}, what this step's news is worth", step.cashed));
  return all;
}

Picture EpisodeView::step(std::size_t number, bool framed) const {
  const TraceStep& step = trace_.steps[number];
  Picture picture;
  picture.add_line(fmt::format("step {}: at {}", number, problem_.state_name(step.state)));
  if (problem_.drawable()) picture.append(grids(step));
  for (const std::string& sentence : sentences(number, framed)) {
    picture.add_line(framed && width_ > 0 ? shortened(sentence, width_ - 1) : sentence);
  }
  return picture;
}

}  // namespace assay::cli
