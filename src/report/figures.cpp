#include "report/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "lab/atomic_file.hpp"
#include "report/drawing_sheet.hpp"
#include "report/figure_parts.hpp"
#include "report/figure_scale.hpp"

namespace assay {
namespace figures {

void panel_letter(Sheet& sheet, Point at, std::string_view letter, std::string_view title, double width) {
  constexpr double kIndent = 4;
  sheet.text(at, letter, {.points = 9, .bold = true});
  if (!title.empty()) sheet.text({at.x + kIndent, at.y}, sheet.shortened(title, width - kIndent));
}

Colour colour_of(FigureColour colour) {
  constexpr std::array kColours = {kInk, kGrey, kOrange, kSky, kGreen, kBlue, kVermilion, kPurple};
  return kColours.at(static_cast<std::size_t>(colour));
}

Dash dash_of(FigureLine line) {
  constexpr std::array kDashes = {Dash::kSolid, Dash::kDashed, Dash::kDotted, Dash::kDashDot};
  return kDashes.at(static_cast<std::size_t>(line));
}

bool is_of(const std::string& experiment, const FigurePlan& plan) {
  return experiment.empty() || experiment == plan.experiment;
}

Lettering header(Align align) {
  Lettering how = kHeader;
  how.align = align;
  return how;
}

double table_height(std::size_t rows) { return kTableRow * static_cast<double>(rows); }

std::string number_or_dash(double value, int decimals, bool with_sign) {
  if (!drawable(value)) return "–";
  if (std::max(value, -value) >= 1e6) return fmt::format("{:.3g}", value);
  return (with_sign && value > 0 ? "+" : "") + decimal(value, decimals);
}

namespace {

/// The figures by kind: mazes, learning, intervals, sweeps, comparisons.
std::vector<Figure> all_figures(const Report& report) {
  std::vector<Figure> all;
  for (std::size_t kind = 0; kind < std::variant_size_v<decltype(FigurePlan::kind)>; ++kind) {
    for (const FigurePlan& plan : report.figures) {
      if (plan.kind.index() != kind) continue;
      std::optional<Figure> figure =
          std::visit([&](const auto& what) { return planned_figure(report, plan, what); }, plan.kind);
      if (figure) all.push_back(std::move(*figure));
    }
  }
  for (Figure& figure : comparison_figures(report)) all.push_back(std::move(figure));
  return all;
}

}  // namespace
}  // namespace figures

std::vector<std::filesystem::path> write_figures(const Report& report, const std::filesystem::path& folder) {
  using figures::Sheet;
  constexpr std::array kFormats = {std::pair{Sheet::Format::kSvg, ".svg"},
                                   std::pair{Sheet::Format::kPdf, ".pdf"}};
  std::vector<std::filesystem::path> files;
  for (const figures::Figure& figure : figures::all_figures(report)) {
    create_folder(folder);  // not if the report has no figures
    for (const auto& [format, ending] : kFormats) {
      Sheet sheet(format, figure.name, figure.width, figure.height);
      figure.draw(sheet);
      write_file(files.emplace_back(folder / (figure.name + ending)), sheet.finish());
    }
  }
  return files;
}

}  // namespace assay
