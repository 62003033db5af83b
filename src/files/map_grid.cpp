#include "files/map_grid.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "assay/core/detail/spec.hpp"
#include "assay/core/error.hpp"
#include "core/utf8.hpp"

namespace assay::files {
namespace {

std::string place_name(const Cell& cell) { return fmt::format("row {} column {}", cell.row, cell.column); }

}  // namespace

const MapLetter* MapGrid::Version::letter(const Cell& cell) const {
  const char c = map.at(cell);
  if (is_wall(c)) return nullptr;
  const auto found = legend.find(c);
  return found->second.wall ? nullptr : &found->second;
}

MapGrid::MapGrid(TableReader& problem) : problem_(problem) {
  common_.map = read_drawing(problem);
  const std::optional<HiddenLetter> hidden = read_hidden(problem, common_.map);
  if (hidden) {
    for (const Cell& cell : hidden->among)
      environments_.push_back({fmt::format("{} at {}", hidden->name, place_name(cell)), 1, nullptr});
  } else {
    environments_ = read_environments(problem);
  }
  if (const toml::node* node = problem.find("legend")) {
    if (!node->is_table()) problem.fail(*node, "legend is a table of letters: [legend]");
    read_legend(*node->as_table(), problem.where(), "[legend]", environments_, common_.legend, warnings_);
  }
  common_.legend.try_emplace('.');
  versions_.assign(environments_.size(), common_);
  if (hidden) {
    hide(*hidden);
  } else {
    read_environment_maps();
  }
  for (Version& version : versions_) check_letters(version, *version.map.node);
  if (const toml::node* node = problem.find("legend")) {
    std::vector<const DrawnMap*> maps = {&common_.map};
    for (const Version& version : versions_) maps.push_back(&version.map);
    warn_of_unused(*node->as_table(), "[legend]", maps);
  }
  // The legend of an environment may explain a letter that only the common map draws.
  for (const Version& version : versions_)
    common_.legend.insert(version.legend.begin(), version.legend.end());
  check_letters(common_, *common_.map.node);
  number_cells();
  name_cells();
}

void MapGrid::hide(const HiddenLetter& hidden) {
  common_.legend.try_emplace(hidden.drawn_as, common_.legend.at('.'));
  for (std::size_t e = 0; e < versions_.size(); ++e) {
    const Cell& cell = hidden.among[e];
    versions_[e].legend = common_.legend;
    versions_[e].map.rows[static_cast<std::size_t>(cell.row)][static_cast<std::size_t>(cell.column)] =
        hidden.letter;
  }
}

void MapGrid::read_environment_maps() {
  for (std::size_t e = 0; e < environments_.size(); ++e) {
    if (environments_[e].table == nullptr) continue;
    Version& own = versions_[e];
    TableReader reader(*environments_[e].table, problem_.where(),
                       fmt::format("environment '{}'", printable(environments_[e].name)));
    reader.find("name");
    reader.find("weight");
    if (reader.find("map") != nullptr) own.map = read_drawing(reader);
    if (const toml::node* node = reader.find("legend")) {
      if (!node->is_table()) reader.fail(*node, "legend is a table of letters");
      read_legend(*node->as_table(), problem_.where(), reader.what(), environments_, own.legend, warnings_);
    }
    reader.finish();
    if (own.map.rows.size() != common_.map.rows.size()) {
      reader.fail(*own.map.node, fmt::format("this map has {} lines, the first one {}; maps are of one size",
                                             own.map.rows.size(), common_.map.rows.size()));
    }
    if (const toml::node* node = reader.find("legend"))
      warn_of_unused(*node->as_table(), reader.what(), {&own.map});
  }
}

void MapGrid::check_letters(Version& version, const toml::node& place) const {
  for (std::size_t r = 0; r < version.map.rows.size(); ++r) {
    for (std::size_t c = 0; c < version.map.rows[r].size(); ++c) {
      const char letter = version.map.rows[r][c];
      if (is_wall(letter) || version.legend.contains(letter)) continue;
      fail_unknown(version.map.rows[r], r, c, place);
    }
  }
}

void MapGrid::fail_unknown(std::string_view row, std::size_t r, std::size_t c,
                           const toml::node& place) const {
  std::size_t before = 0;  // characters before the cell
  for (std::size_t at = 0; at < c; ++before)
    at += std::max<std::size_t>(1, first_character(row.substr(at)).length);
  const Character character = first_character(row.substr(c));
  const std::string shown = printable(row.substr(c, std::max<std::size_t>(1, character.length)));
  const std::string found =
      fmt::format("the map has {} in its line {}, character {}",
                  row[c] == '\t' ? "a tab" : fmt::format("a '{}'", shown), r + 1, before + 1);
  if (character.length != 1) problem_.fail(place, found + ": letters of a map are ASCII; draw another one");
  problem_.fail(
      place, fmt::format("{}, which the legend does not explain; {}add [legend] {} = {{ }}", found,
                         row[c] == '\t' ? "write blanks for walls, or " : "", written_key(row.substr(c, 1))));
}

void MapGrid::warn_of_unused(const toml::table& legend, const std::string& what,
                             const std::vector<const DrawnMap*>& maps) {
  for (const auto& [key, node] : legend) {
    const std::string_view letter = key.str();
    const bool drawn =
        std::ranges::any_of(maps, [&](const DrawnMap* map) { return !map->drawn_with(letter).empty(); });
    if (drawn) continue;
    warnings_.push_back(
        placed(problem_.where(), key.source(),
               fmt::format("{} {}: no cell is drawn with this letter", what, written_key(key.str()))));
  }
}

void MapGrid::number_cells() {
  std::size_t columns = 0;
  for (const Version& version : versions_) {
    for (const std::string& row : version.map.rows) columns = std::max(columns, row.size());
  }
  for (int r = 0; r < rows(); ++r) {
    for (int c = 0; c < static_cast<int>(columns); ++c) {
      const Cell cell{r, c};
      if (!std::ranges::any_of(versions_, [&](const Version& v) { return v.letter(cell) != nullptr; }))
        continue;
      number_[{r, c}] = static_cast<int>(cells_.size());
      cells_.push_back(cell);
    }
  }
}

void MapGrid::name_cells() {
  std::map<std::string, int> used;
  for (int x = 0; x < static_cast<int>(cells_.size()); ++x) {
    const std::string place = place_name(cells_[static_cast<std::size_t>(x)]);
    const std::string& said = common_letter(x).name;
    std::string name = said.empty() ? place : said;
    if (used[name]++ > 0) name += ", " + place;
    names_.push_back(name);
  }
}

const MapGrid::Version& MapGrid::seen_version(const Cell& cell) const {
  if (common_.letter(cell) != nullptr) return common_;
  return *std::ranges::find_if(versions_, [&](const Version& v) { return v.letter(cell) != nullptr; });
}

const MapLetter* MapGrid::letter(int x, int e) const {
  return versions_[static_cast<std::size_t>(e)].letter(cells_[static_cast<std::size_t>(x)]);
}

const MapLetter& MapGrid::common_letter(int x) const {
  const Cell& cell = cells_[static_cast<std::size_t>(x)];
  return *seen_version(cell).letter(cell);
}

char MapGrid::landmark(int x) const {
  const Cell& cell = cells_[static_cast<std::size_t>(x)];
  return seen_version(cell).map.at(cell);
}

bool MapGrid::terminal(int x) const {
  for (std::size_t e = 0; e < versions_.size(); ++e) {
    const MapLetter* there = letter(x, static_cast<int>(e));
    if (there != nullptr && there->terminal) return true;
  }
  return false;
}

int MapGrid::cell_at(int row, int column) const {
  const auto found = number_.find({row, column});
  return found == number_.end() ? -1 : found->second;
}

std::vector<int> MapGrid::drawn_with(char letter, int e) const {
  std::vector<int> all;
  for (int x = 0; x < static_cast<int>(cells_.size()); ++x) {
    if (versions_[static_cast<std::size_t>(e)].map.at(cells_[static_cast<std::size_t>(x)]) == letter)
      all.push_back(x);
  }
  return all;
}

std::vector<int> MapGrid::called(std::string_view name, int e) const {
  if (name.size() == 1) {
    std::vector<int> drawn = drawn_with(name.front(), e);
    if (!drawn.empty()) return drawn;
  }
  std::vector<int> all;
  for (int x = 0; x < static_cast<int>(cells_.size()); ++x) {
    const MapLetter* there = letter(x, e);
    if (names_[static_cast<std::size_t>(x)] == name || (there != nullptr && there->name == name) ||
        place_name(cells_[static_cast<std::size_t>(x)]) == name) {
      all.push_back(x);
    }
  }
  return all;
}

}  // namespace assay::files
