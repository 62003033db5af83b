// The cells of a map: what is drawn on each cell in every environment, and the names of the cells.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/map_drawing.hpp"
#include "files/map_legend.hpp"

namespace assay::files {

class MapGrid {
 public:
  /// Reads `map`, `legend`, `hidden` and `environment`.
  explicit MapGrid(TableReader& problem);

  [[nodiscard]] const std::vector<NamedEnvironment>& environments() const { return environments_; }
  /// A cell is a state if it is free in some environment.
  [[nodiscard]] const std::vector<Cell>& cells() const { return cells_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] int rows() const { return static_cast<int>(common_.map.rows.size()); }

  /// The letter of a cell in an environment; none for a wall.
  [[nodiscard]] const MapLetter* letter(int x, int e) const;
  /// The letter of a cell without regard to the environment: that of `map`, or, where `map` has a wall, that
  /// of the first environment that has none.
  [[nodiscard]] const MapLetter& common_letter(int x) const;
  [[nodiscard]] char landmark(int x) const;
  [[nodiscard]] bool terminal(int x) const;

  /// The cell at a place: -1 for a wall in all environments.
  [[nodiscard]] int cell_at(int row, int column) const;
  /// The cells that a letter, a letter's name, a cell's name or "row R column C" stands for.
  [[nodiscard]] std::vector<int> called(std::string_view name, int e) const;
  [[nodiscard]] std::vector<int> drawn_with(char letter, int e) const;

  /// Warnings: what is allowed but hardly meant.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  /// Everything about the map in one environment.
  struct Version {
    DrawnMap map;
    MapLegend legend;

    [[nodiscard]] const MapLetter* letter(const Cell& cell) const;
  };

  void read_environment_maps();
  void hide(const HiddenLetter& hidden);
  /// Warns of letters that a legend explains and none of these maps draws.
  void warn_of_unused(const toml::table& legend, const std::string& what,
                      const std::vector<const DrawnMap*>& maps);
  [[noreturn]] void fail_unknown(std::string_view row, std::size_t r, std::size_t c,
                                 const toml::node& place) const;
  void check_letters(Version& version, const toml::node& place) const;
  void number_cells();
  void name_cells();
  [[nodiscard]] const Version& seen_version(const Cell& cell) const;

  TableReader& problem_;
  Version common_;
  std::vector<NamedEnvironment> environments_;
  std::vector<Version> versions_;  // [environment]
  std::map<std::pair<int, int>, int> number_;
  std::vector<Cell> cells_;
  std::vector<std::string> names_;
  std::vector<std::string> warnings_;
};

}  // namespace assay::files
