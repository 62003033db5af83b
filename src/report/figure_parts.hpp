// The figures one by one. Each is nothing if the report has no data for it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "assay/report/report.hpp"
#include "report/drawing_sheet.hpp"

namespace assay::figures {

constexpr double kOneColumn = 89;  // millimetres, as journals have them
constexpr double kTwoColumns = 183;

struct Figure {
  std::string name;  // of the file
  double width = kTwoColumns, height = 0;
  std::function<void(Sheet&)> draw;  // the report must be there still
};

std::optional<Figure> t_maze_figure(const Report& report);
std::optional<Figure> treasure_map_figure(const Report& report);
std::optional<Figure> ablation_figure(const Report& report);
std::optional<Figure> maze_sizes_figure(const Report& report);
/// One for each problem that methods were compared on.
std::vector<Figure> comparison_figures(const Report& report);

/// At the top left of a panel, with what it shows beside it.
void panel_letter(Sheet& sheet, Point at, std::string_view letter, std::string_view title = {},
                  double width = 0);

}  // namespace assay::figures
