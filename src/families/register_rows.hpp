// What the files of families with unknown rows share: how they register, and how moves on grids work.
#pragma once

#include <array>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "assay/core/model.hpp"
#include "assay/problem/problem.hpp"
#include "assay/problem/register_family.hpp"
#include "families/grid_places.hpp"
#include "families/row_family.hpp"

namespace assay {

/// Registers a function that makes a RowFamily from settings. All of these families have one C++ type, so
/// that their solvers are compiled once.
template <class Settings>
struct RegisterRows {
  RegisterRows(FamilyCard<Settings> card, RowFamily (*make)(const Settings&)) {
    const Schema<Settings> schema = card.schema;
    const std::string name = card.name;
    families().add({card.name, card.summary, schema.info(), card.small, [=](const Spec& spec) {
                      const Settings settings = schema.read(spec);
                      return row_problem(schema.text(name, settings), make(settings));
                    }});
  }
};

/// Where a benchmark's test environments come from.
enum class RowTruth { kFixed, kPrior };
enum class RowPrior { kDirichlet, kSparse };

/// A concentration of 0 stands for one divided by the number of successors.
inline RowLaw row_law(RowPrior prior, double alpha, double sparsity, std::size_t successors) {
  return {.kind = prior == RowPrior::kSparse ? RowLaw::Kind::kSparse : RowLaw::Kind::kDirichlet,
          .alpha = alpha > 0 ? alpha : 1 / static_cast<double>(successors),
          .sparsity = sparsity};
}

inline std::vector<int> every_state(int states) {
  std::vector<int> all(static_cast<std::size_t>(states));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// Up, down, left and right; action a ^ 2 and a ^ 3 are at right angles to a.
struct GridMove {
  int down, right;
};
inline constexpr std::array<GridMove, 4> kGridMoves = {{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}};
inline constexpr const char* kGridGlyphs = "^v<>";
inline std::vector<std::string> grid_move_names() { return {"up", "down", "left", "right"}; }
inline Cell grid_moved(Cell from, int action) {
  const GridMove& move = kGridMoves[static_cast<std::size_t>(action)];
  return {from.row + move.down, from.column + move.right};
}

/// A move that slips to each side with half of the probability `slip`. `to(action)` is the cell that it
/// leads to.
template <class To>
std::vector<RowArc> slipping(int action, double slip, const To& to) {
  return {{to(action), 1 - slip}, {to(action ^ 2), slip / 2}, {to(action ^ 3), slip / 2}};
}

}  // namespace assay
