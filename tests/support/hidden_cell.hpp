// A small search problem: one of the cells of a block, nobody knows which, pays differently from the others.
#pragma once

#include <string>
#include <vector>

#include "assay/families/builders.hpp"

namespace assay::support {

struct HiddenCell {
  double pays = 1;      // a step on it; -0.1 off it
  double first = -0.1;  // a step on the first cell
  double weight_step = 0;
  double slip = 0;       // the chance that a move fails
  bool at_once = false;  // paid with the move, not on arrival
};

/// The start is in the first cell, which is an ordinary one.
inline TableFamily hidden_cell(int rows, int columns, int horizon, const HiddenCell& kind) {
  const int count = rows * columns;
  std::vector<std::string> cells;
  for (int c = 0; c < count; ++c) cells.push_back("c" + std::to_string(c));
  TableBuilder builder(cells, {"left", "right", "up", "down"});
  builder.horizon(horizon).start(0);
  for (int e = 0; e + 1 < count; ++e) {
    builder.environment("e" + std::to_string(e), 1 + kind.weight_step * e);
    const auto paid = [&](int cell) { return cell == e + 1 ? kind.pays : cell == 0 ? kind.first : -0.1; };
    for (int c = 0; c < count; ++c) {
      if (!kind.at_once) builder.outcome(c, kArrive, {{1, {c, paid(c), {}}}}, e);
      const int to[] = {c % columns > 0 ? c - 1 : c, c % columns < columns - 1 ? c + 1 : c,
                        c >= columns ? c - columns : c, c < columns * (rows - 1) ? c + columns : c};
      for (int a = 0; a < 4; ++a) {
        builder.outcome(c, a,
                        {{1 - kind.slip, {to[a], kind.at_once ? paid(to[a]) : 0, {}}},
                         {kind.slip, {c, kind.at_once ? paid(c) : 0, {}}}},
                        e);
      }
    }
  }
  return builder.build();
}

}  // namespace assay::support
