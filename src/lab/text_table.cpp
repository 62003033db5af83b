#include "assay/lab/text_table.hpp"

#include <algorithm>

namespace assay {

std::string TextTable::text() const {
  std::vector<std::size_t> width;
  for (const std::vector<std::string>& row : rows_) {
    width.resize(std::max(width.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  }
  std::string out;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    std::string line;
    std::string rule;
    for (std::size_t c = 0; c < rows_[r].size(); ++c) {
      const std::string& cell = rows_[r][c];
      const std::string pad(width[c] - cell.size(), ' ');
      line += "  " + (c == 0 ? cell + pad : pad + cell);
      rule += "  " + std::string(width[c], '-');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    if (r == 0) out += rule + "\n";
  }
  return out;
}

}  // namespace assay
