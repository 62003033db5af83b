#include "assay/draw.hpp"

#include <algorithm>
#include <cmath>

namespace assay::cli {

std::vector<std::string> draw_cells(const Problem& problem, const std::function<char(int)>& glyph) {
  std::vector<std::string> rows;
  for (int x = 0; x < problem.states(); ++x) {
    const Cell cell = problem.cell(x);
    const auto row = static_cast<std::size_t>(cell.row);
    const auto column = 2 * static_cast<std::size_t>(cell.column);  // a blank between cells makes them square
    if (rows.size() <= row) rows.resize(row + 1);
    if (rows[row].size() <= column) rows[row].resize(column + 1, ' ');
    rows[row][column] = glyph(x);
  }
  return rows;
}

std::vector<std::string> side_by_side(const std::vector<std::string>& left,
                                      const std::vector<std::string>& right) {
  std::size_t width = 0;
  for (const std::string& row : left) width = std::max(width, row.size());
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    std::string row = i < left.size() ? left[i] : "";
    row.resize(width + 4, ' ');
    rows.push_back(row + (i < right.size() ? right[i] : ""));
  }
  return rows;
}

std::string draw_scale(double low, double at, double high, std::size_t width) {
  std::string bar(width, '-');
  const double share = high > low ? std::clamp((at - low) / (high - low), 0.0, 1.0) : 1.0;
  bar[static_cast<std::size_t>(std::lround(share * static_cast<double>(width - 1)))] = '*';
  return "|" + bar + "|";
}

}  // namespace assay::cli
