#include "files/map_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assay/core/detail/spec.hpp"

namespace assay::files {
namespace {

char one_letter(TableReader& hidden, const char* key, const char* example) {
  const toml::node& node = hidden.need(key, example);
  const std::string text = hidden.text(key, "");
  if (text.size() != 1 || is_wall(text.front())) {
    hidden.fail(node, fmt::format("[hidden]: {} = \"{}\" is no letter of the map; a letter is one character",
                                  key, printable(text)));
  }
  return text.front();
}

}  // namespace

char DrawnMap::at(const Cell& cell) const {
  if (cell.row < 0 || cell.row >= static_cast<int>(rows.size())) return '#';
  const std::string& line = rows[static_cast<std::size_t>(cell.row)];
  if (cell.column < 0 || cell.column >= static_cast<int>(line.size())) return '#';
  return line[static_cast<std::size_t>(cell.column)];
}

std::vector<Cell> DrawnMap::drawn_with(std::string_view letters) const {
  std::vector<Cell> cells;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      if (letters.find(rows[r][c]) != std::string_view::npos)
        cells.push_back({static_cast<int>(r), static_cast<int>(c)});
    }
  }
  return cells;
}

DrawnMap read_drawing(TableReader& table) {
  DrawnMap map;
  map.node = table.find("map");
  std::string line;
  for (const char c : table.text("map", "") + "\n") {
    if (c != '\n') {
      if (c != '\r') line += c;
      continue;
    }
    map.rows.push_back(std::move(line));
    line.clear();
  }
  while (!map.rows.empty() && map.rows.back().find_first_not_of(' ') == std::string::npos)
    map.rows.pop_back();
  if (map.rows.empty()) table.fail(*map.node, "the map is empty; draw at least one cell");
  constexpr std::size_t kMostCells = 1'000'000;
  std::size_t longest = 0;
  for (const std::string& row : map.rows) longest = std::max(longest, row.size());
  if (longest > kMostCells / map.rows.size()) {
    table.fail(*map.node, fmt::format("a map of {} lines, the longest with {} characters: at most {} cells",
                                      map.rows.size(), longest, kMostCells));
  }
  return map;
}

std::optional<HiddenLetter> read_hidden(TableReader& problem, const DrawnMap& map) {
  const toml::node* node = problem.find("hidden");
  if (node == nullptr) return std::nullopt;
  if (!node->is_table()) {
    problem.fail(*node, "hidden is a table: [hidden] letter = \"G\", among = \"?\"");
  }
  if (const toml::node* environments = problem.find("environment")) {
    problem.fail(*environments,
                 "there are environments and something hidden; [hidden] makes an environment of each cell");
  }
  TableReader table(*node->as_table(), problem.where(), "[hidden]");
  HiddenLetter hidden;
  hidden.letter = one_letter(table, "letter", "letter = \"G\"");
  hidden.drawn_as = one_letter(table, "among", "among = \"?\"");
  table.finish();
  hidden.among = map.drawn_with(std::string(1, hidden.drawn_as));
  if (hidden.among.empty()) {
    table.fail(*table.find("among"),
               fmt::format("[hidden]: no cell of the map is drawn '{}'; draw the cells where it could be",
                           printable(std::string(1, hidden.drawn_as))));
  }
  const std::string key(1, hidden.letter);
  hidden.name = problem.table()["legend"][key]["name"].value_or(key);
  return hidden;
}

}  // namespace assay::files
