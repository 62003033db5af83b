// Small pictures made of characters.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "assay/problem/problem.hpp"

namespace assay::cli {

/// Lines of text whose width is counted without the characters that set colours.
class Picture {
 public:
  void add_line(std::string text, std::size_t columns);
  void add_line(const std::string& text) { add_line(text, text.size()); }

  [[nodiscard]] std::size_t width() const;
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
  /// Puts the other block to the right of this one.
  [[nodiscard]] Picture beside(const Picture& right) const;
  /// Puts the other block below this one.
  void append(const Picture& below);

 private:
  std::vector<std::string> lines_;
  std::vector<std::size_t> columns_;
};

/// The problem's cells, each as `cell(state)` writes it, `columns` wide; blanks where there is no cell. Two
/// characters are about as wide as a line is high. If several states are in one cell (what was used up is
/// part of a state), `here` is drawn, or else the first that is not blank.
Picture draw_grid(const Problem& problem, std::size_t columns, const std::function<std::string(int)>& cell,
                  int here = -1);

/// The lines, without blanks at their ends.
void print_lines(const Picture& picture, std::ostream& out, std::string_view margin = "",
                 std::string_view line_end = "\n");

/// A line low |------*-----| high, with the mark at `at`.
std::string draw_scale(double low, double at, double high, std::size_t width);

/// The text on a background between dark blue (0) and yellow (1), in the terminal's 256 colours.
std::string shaded(const std::string& text, double share);

/// The text in lines of at most `width` characters, broken at blanks; all but the first begin with `indent`
/// blanks. One line if `width` is 0.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

/// A word in quotes, if a shell needs them to read it as one word.
std::string quoted(const std::string& word);

/// At most `width` characters, cut with "..."; the whole text if `width` is 0.
std::string shortened(const std::string& text, std::size_t width);

}  // namespace assay::cli
