// Learning curves of several methods in one chart: lines, bands, and what they are.
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

/// Bands below lines. Noisy lines are smoothed.
void draw_series(const Chart& chart, std::span<const StyledSeries> all);

/// Of the returns, without the few most extreme ends of bands.
Range returns_of(std::span<const StyledSeries> all);
/// From 0 on.
Range epochs_of(std::span<const StyledSeries> all);

/// Each label once.
std::vector<LegendEntry> legend_entries(std::span<const StyledSeries> all);

/// What lines and bands are, as the report says it of each series.
std::string statistics_note(std::span<const StyledSeries> all);

}  // namespace assay::figures
