// The lines of a map.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/core/model.hpp"
#include "files/toml_reader.hpp"

namespace assay::files {

struct DrawnMap {
  std::vector<std::string> rows;
  const toml::node* node = nullptr;  // its place in the file

  /// The letter at a place; a wall where nothing is drawn.
  [[nodiscard]] char at(const Cell& cell) const;
  /// The letters, in reading order.
  [[nodiscard]] std::vector<Cell> drawn_with(std::string_view letters) const;
};

inline bool is_wall(char letter) { return letter == '#' || letter == ' '; }

/// The key `map` of a table.
DrawnMap read_drawing(TableReader& table);

/// [hidden]: the letter is on exactly one of the cells that are drawn with the others, and it is unknown on
/// which.
struct HiddenLetter {
  char letter = 0;
  std::vector<Cell> among;
  char drawn_as = 0;
  std::string name;  // the name that people see
};

std::optional<HiddenLetter> read_hidden(TableReader& problem, const DrawnMap& map);

}  // namespace assay::files
