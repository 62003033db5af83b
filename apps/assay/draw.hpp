// Small pictures out of characters.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "assay/problem/problem.hpp"

namespace assay::cli {

/// The problem's cells, each as the character that `glyph(state)` gives; blanks where there is no cell.
std::vector<std::string> draw_cells(const Problem& problem, const std::function<char(int)>& glyph);

/// Pictures of the same height next to each other.
std::vector<std::string> side_by_side(const std::vector<std::string>& left,
                                      const std::vector<std::string>& right);

/// low |------*-----| high, with the mark at `at`.
std::string draw_scale(double low, double at, double high, std::size_t width);

}  // namespace assay::cli
