#include "lab/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace assay {

std::string TextTable::text(std::size_t width) const {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string out;
  std::size_t from = 1;
  do {
    std::size_t used = 2 + (widths.empty() ? 0 : widths[0]);
    std::size_t to = from;
    // At least one column is printed, however narrow the terminal is.
    while (to < widths.size() && (width == 0 || to == from || used + 2 + widths[to] <= width)) {
      used += 2 + widths[to++];
    }
    out += (out.empty() ? "" : "\n") + piece(widths, from, to);
    from = to;
  } while (from < widths.size());
  return out;
}

std::string TextTable::piece(const std::vector<std::size_t>& widths, std::size_t from, std::size_t to) const {
  std::string out;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line;
    std::string rule;
    const std::size_t end = std::min(to, rows_[r].size());
    for (std::size_t c = 0; c < end; c = c == 0 ? from : c + 1) {
      const std::string& cell = rows_[r][c];
      const std::string pad(widths[c] - cell.size(), ' ');
      line += "  " + (c == 0 ? cell + pad : pad + cell);
      rule += "  " + std::string(widths[c], '-');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    if (r == 0) out += rule + "\n";
  }
  return out;
}

std::string milliseconds_text(double seconds) {
  const double ms = 1000 * seconds;
  return fmt::format("{:.{}f}", ms, ms < 0.1 ? 5 : ms < 10 ? 3 : ms < 100 ? 1 : 0);
}

}  // namespace assay
