// Rows of text as aligned columns.
#pragma once

#include <string>
#include <vector>

namespace assay {

class TextTable {
 public:
  /// The first column is aligned to the left, all others to the right.
  explicit TextTable(std::vector<std::string> header) : rows_{std::move(header)} {}

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  /// Header, a rule, rows; each line indented by two blanks.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace assay
