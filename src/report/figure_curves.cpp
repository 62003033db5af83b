#include "report/figure_curves.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace assay::figures {
namespace {

/// Epochs with few episodes are noisy. A small panel can show 40 means.
std::size_t smoothing(const CurveSeries& series) {
  return std::max<std::size_t>(1, series.epoch.size() / 40);
}

}  // namespace

void draw_series(const Chart& chart, std::span<const StyledSeries> all) {
  for (const auto& [s, style] : all) chart.band(s->epoch, s->low, s->high, style.colour.faded(0.16));
  for (const auto& [s, style] : all) {
    chart.line(s->epoch, running_mean(s->middle, smoothing(*s)),
               {.colour = style.colour, .width = 0.35, .dash = style.dash});
  }
}

Range returns_of(std::span<const StyledSeries> all) {
  Range range;
  for (const StyledSeries& one : all) {
    range.add(one.series->middle);
    range.add_most(one.series->low, 0.005);
    range.add_most(one.series->high, 0.005);
  }
  return range;
}

Range epochs_of(std::span<const StyledSeries> all) {
  Range epochs;
  epochs.add(0);
  for (const StyledSeries& one : all) epochs.add(one.series->epoch);
  return epochs;
}

std::vector<LegendEntry> legend_entries(std::span<const StyledSeries> all) {
  std::vector<LegendEntry> entries;
  for (const StyledSeries& one : all) {
    const bool known = std::ranges::any_of(
        entries, [&](const LegendEntry& e) { return e.label == printable(one.series->label); });
    if (!known) entries.push_back({printable(one.series->label), one.style});
  }
  return entries;
}

std::string statistics_note(std::span<const StyledSeries> all) {
  std::vector<std::pair<std::string, std::vector<std::string>>> notes;  // (statistic, methods)
  std::size_t widest = 1;
  for (const auto& [s, style] : all) {
    widest = std::max(widest, smoothing(*s));
    if (s->statistic.empty()) continue;
    auto note =
        std::ranges::find(notes, s->statistic, &std::pair<std::string, std::vector<std::string>>::first);
    if (note == notes.end()) note = notes.insert(notes.end(), {s->statistic, {}});
    if (std::ranges::find(note->second, s->label) == note->second.end()) note->second.push_back(s->label);
  }
  std::string text = widest > 1 ? fmt::format("lines: running means of {} points; ", widest) : "";
  text += widest > 1 ? "points and bands: " : "lines and bands: ";
  for (std::size_t i = 0; i < notes.size(); ++i) {
    text += (i > 0 ? "; " : "") + printable(notes[i].first);
    if (notes.size() > 1)
      text += fmt::format(" ({})", printable(fmt::format("{}", fmt::join(notes[i].second, ", "))));
  }
  return notes.empty() ? "" : text;
}

}  // namespace assay::figures
