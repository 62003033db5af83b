// The learning curves of several methods in one chart, with lines, bands and a legend.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/figure_chart.hpp"

namespace assay::figures {

struct StyledSeries {
  const CurveSeries* series = nullptr;
  LineStyle style;
};

/// Draws bands below lines. Noisy lines are smoothed.
void draw_series(const Chart& chart, std::span<const StyledSeries> all);

/// The range of the returns, without the few most extreme ends of bands.
Range returns_of(std::span<const StyledSeries> all);
/// The range of the epochs, from 0.
Range epochs_of(std::span<const StyledSeries> all);

/// The entries of a legend, each label once.
std::vector<LegendEntry> legend_entries(std::span<const StyledSeries> all);

/// What lines and bands are, in the words of the report on each series.
std::string statistics_note(std::span<const StyledSeries> all);

}  // namespace assay::figures
