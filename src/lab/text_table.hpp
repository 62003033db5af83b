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
  /// The header, a rule and the rows, each line indented by two blanks. A table wider than `width` is
  /// printed in pieces below each other that repeat the first column; 0 stands for any width.
  [[nodiscard]] std::string text(std::size_t width = 0) const;

 private:
  [[nodiscard]] std::string piece(const std::vector<std::size_t>& widths, std::size_t from,
                                  std::size_t to) const;

  std::vector<std::vector<std::string>> rows_;
};

/// Seconds as milliseconds, with at least three digits.
std::string milliseconds_text(double seconds);

}  // namespace assay
