// Small pictures out of characters.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "assay/problem/problem.hpp"

namespace assay::cli {

/// Lines of text that know how wide they look: colours take characters, but no room.
class Picture {
 public:
  void add_line(std::string text, std::size_t columns);
  void add_line(const std::string& text) { add_line(text, text.size()); }

  [[nodiscard]] std::size_t width() const;
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
  /// The other one to the right of this.
  [[nodiscard]] Picture beside(const Picture& right) const;
  /// Below this.
  void append(const Picture& below);

 private:
  std::vector<std::string> lines_;
  std::vector<std::size_t> columns_;
};

/// The problem's cells, each as what `cell(state)` gives, `columns` wide; blanks where there is no cell.
/// Two are about as wide as a line is high. Of several states in one cell (what was used up is part of a
/// state) `here` is drawn, or else the first that is not blank.
Picture draw_grid(const Problem& problem, std::size_t columns, const std::function<std::string(int)>& cell,
                  int here = -1);

/// Line by line, without the blanks at their ends.
void print_lines(const Picture& picture, std::ostream& out, std::string_view margin = "",
                 std::string_view line_end = "\n");

/// low |------*-----| high, with the mark at `at`.
std::string draw_scale(double low, double at, double high, std::size_t width);

/// The text on a ground from dark blue (0) to yellow (1) in the terminal's 256 colours.
std::string shaded(const std::string& text, double share);

/// The text in lines of at most `width` characters, broken at blanks; all but the first begin with `indent`
/// blanks. One line if `width` is 0.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

/// A word as a shell reads it back.
std::string quoted(const std::string& word);

/// At most `width` characters, cut with "..."; all if `width` is 0.
std::string shortened(const std::string& text, std::size_t width);

}  // namespace assay::cli
