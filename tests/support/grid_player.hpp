// A player with a grid and nothing in it yet.
#pragma once

#include <string>

#include "report/report.hpp"

namespace assay::test {

inline Player grid_player(int rows, int columns) {
  Player player;
  player.family = "treasure_map(size=3)";
  player.title = "3x3";
  player.rows = rows;
  player.columns = columns;
  for (int x = 0; x < rows * columns; ++x) player.cells.push_back({x / columns, x % columns});
  player.landmarks = std::string(player.cells.size(), '.');
  return player;
}

}  // namespace assay::test
