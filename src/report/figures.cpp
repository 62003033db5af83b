#include "assay/report/figures.hpp"

#include <array>
#include <utility>

#include "assay/lab/atomic_file.hpp"
#include "report/drawing_sheet.hpp"
#include "report/figure_parts.hpp"

namespace assay {
namespace figures {

void panel_letter(Sheet& sheet, Point at, std::string_view letter, std::string_view title, double width) {
  constexpr double kIndent = 4;
  sheet.text(at, letter, {.points = 9, .bold = true});
  if (!title.empty()) sheet.text({at.x + kIndent, at.y}, sheet.shortened(title, width - kIndent));
}

}  // namespace figures

std::vector<std::filesystem::path> write_figures(const Report& report, const std::filesystem::path& folder) {
  using figures::Sheet;
  constexpr std::array kFormats = {std::pair{Sheet::Format::kSvg, ".svg"},
                                   std::pair{Sheet::Format::kPdf, ".pdf"}};
  std::vector<figures::Figure> all;
  for (const auto make : {figures::t_maze_figure, figures::treasure_map_figure, figures::ablation_figure,
                          figures::maze_sizes_figure}) {
    if (std::optional<figures::Figure> figure = make(report)) all.push_back(std::move(*figure));
  }
  for (figures::Figure& figure : figures::comparison_figures(report)) all.push_back(std::move(figure));
  std::vector<std::filesystem::path> files;
  for (const figures::Figure& figure : all) {
    create_folder(folder);  // not for a report without any
    for (const auto& [format, ending] : kFormats) {
      Sheet sheet(format, figure.name, figure.width, figure.height);
      figure.draw(sheet);
      write_file(files.emplace_back(folder / (figure.name + ending)), sheet.finish());
    }
  }
  return files;
}

}  // namespace assay
