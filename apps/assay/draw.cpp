#include "assay/draw.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace assay::cli {

void Picture::add_line(std::string text, std::size_t columns) {
  lines_.push_back(std::move(text));
  columns_.push_back(columns);
}

std::size_t Picture::width() const { return columns_.empty() ? 0 : std::ranges::max(columns_); }

Picture Picture::beside(const Picture& right) const {
  constexpr std::size_t kGap = 3;
  Picture both;
  const std::size_t left_width = width() + kGap;
  for (std::size_t i = 0; i < std::max(lines_.size(), right.lines_.size()); ++i) {
    std::string line = i < lines_.size() ? lines_[i] : "";
    std::size_t columns = i < lines_.size() ? columns_[i] : 0;
    if (i < right.lines_.size()) {
      line += std::string(left_width - columns, ' ') + right.lines_[i];
      columns = left_width + right.columns_[i];
    }
    both.add_line(std::move(line), columns);
  }
  return both;
}

void Picture::append(const Picture& below) {
  lines_.insert(lines_.end(), below.lines_.begin(), below.lines_.end());
  columns_.insert(columns_.end(), below.columns_.begin(), below.columns_.end());
}

Picture draw_grid(const Problem& problem, std::size_t columns, const std::function<std::string(int)>& cell,
                  int here) {
  const std::string blank(columns, ' ');
  std::vector<std::vector<std::string>> rows;
  for (int x = 0; x < problem.states(); ++x) {
    const auto row = static_cast<std::size_t>(problem.cell(x).row);
    const auto column = static_cast<std::size_t>(problem.cell(x).column);
    if (rows.size() <= row) rows.resize(row + 1);
    if (rows[row].size() <= column) rows[row].resize(column + 1, blank);
    if (x == here || rows[row][column] == blank) rows[row][column] = cell(x);
  }
  Picture picture;
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (const std::string& text : row) line += text;
    picture.add_line(line, columns * row.size());
  }
  return picture;
}

void print_lines(const Picture& picture, std::ostream& out, std::string_view margin,
                 std::string_view line_end) {
  for (const std::string& line : picture.lines()) {
    const bool coloured = line.find('\033') != std::string::npos;
    const std::size_t end = coloured ? line.size() : line.find_last_not_of(' ') + 1;
    fmt::print(out, "{}{}{}", margin, line.substr(0, end), line_end);
  }
}

std::string draw_scale(double low, double at, double high, std::size_t width) {
  std::string bar(width, '-');
  const double share = high > low ? std::clamp((at - low) / (high - low), 0.0, 1.0) : 1.0;
  bar[static_cast<std::size_t>(std::lround(share * static_cast<double>(width - 1)))] = '*';
  return "|" + bar + "|";
}

std::string shaded(const std::string& text, double share) {
  constexpr std::array<int, 9> kShades = {17, 18, 19, 54, 90, 126, 166, 208, 220};
  const auto shade = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * (kShades.size() - 1) + 0.5);
  // A colour for letters that can be read on this ground.
  return fmt::format("\033[48;5;{};38;5;{}m{}\033[0m", kShades[shade], shade >= 6 ? 16 : 255, text);
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  constexpr std::size_t kLeast = 20;  // columns; in fewer than that, text cannot be read
  if (width == 0) return std::string(text);
  const std::size_t room = std::max(width, indent + kLeast);
  std::string out;
  std::size_t used = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' ', 1), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    if (used > 0 && used + word.size() > room) {
      out += "\n" + std::string(indent, ' ');
      used = indent;
      word.remove_prefix(word.starts_with(' ') ? 1 : 0);
    }
    out += word;
    used += word.size();
  }
  return out;
}

std::string shortened(const std::string& text, std::size_t width) {
  if (width == 0 || text.size() <= width) return text;
  return width <= 3 ? text.substr(0, width) : text.substr(0, width - 3) + "...";
}

std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-+=./,:") == std::string::npos;
  if (plain) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

}  // namespace assay::cli
