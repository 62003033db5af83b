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
  const toml::node* node = nullptr;  // where it stands

  /// A wall where nothing is drawn.
  [[nodiscard]] char at(const Cell& cell) const;
  /// In the order of reading.
  [[nodiscard]] std::vector<Cell> drawn_with(std::string_view letters) const;
};

inline bool is_wall(char letter) { return letter == '#' || letter == ' '; }

/// The key `map` of a table.
DrawnMap read_drawing(TableReader& table);

/// [hidden]: the letter is on exactly one of the cells drawn with the others, and nobody knows on which.
struct HiddenLetter {
  char letter = 0;
  std::vector<Cell> among;
  char drawn_as = 0;
  std::string name;  // for people
};

std::optional<HiddenLetter> read_hidden(TableReader& problem, const DrawnMap& map);

}  // namespace assay::files
