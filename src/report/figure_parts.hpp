// The figures one by one. Each is empty if the report has no data for it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/drawing_sheet.hpp"
#include "report/report.hpp"

namespace assay::figures {

constexpr double kOneColumn = 89;  // in millimetres, as in journals
constexpr double kTwoColumns = 183;

struct Figure {
  std::string name;  // of the file
  double width = kTwoColumns, height = 0;
  std::function<void(Sheet&)> draw;  // the report must still exist
};

std::optional<Figure> planned_figure(const Report& report, const FigurePlan& plan, const MazeFigure& figure);
std::optional<Figure> planned_figure(const Report& report, const FigurePlan& plan,
                                     const LearningFigure& figure);
std::optional<Figure> planned_figure(const Report& report, const FigurePlan& plan,
                                     const IntervalFigure& figure);
std::optional<Figure> planned_figure(const Report& report, const FigurePlan& plan, const SweepFigure& figure);
/// One figure for each problem on which methods were compared.
std::vector<Figure> comparison_figures(const Report& report);

/// The letter at the top left of a panel, with a title beside it.
void panel_letter(Sheet& sheet, Point at, std::string_view letter, std::string_view title = {},
                  double width = 0);

Colour colour_of(FigureColour colour);
Dash dash_of(FigureLine line);

/// Does a table belong to the experiment that the plan draws? A table without an experiment belongs to any.
bool is_of(const std::string& experiment, const FigurePlan& plan);

// Tables have a row every few millimetres, grey headers, and a dash for what is unknown.
constexpr double kTableRow = 4.6;
constexpr Lettering kHeader{.points = 6.5, .colour = kGrey};
Lettering header(Align align);
double table_height(std::size_t rows);
std::string number_or_dash(double value, int decimals, bool with_sign = false);

}  // namespace assay::figures
