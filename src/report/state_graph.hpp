// Where the states of a problem that has no map are drawn: as a graph, in columns by how many moves away they
// are.
#pragma once

#include "assay/problem/problem.hpp"
#include "report/report.hpp"

namespace assay {

/// Fills the player's cells, rows, columns and moves. A cell's row counts halves of a node's height, so that
/// columns of different sizes are centred. Of large problems only the states are drawn that its episodes come
/// to; the others are at row -1.
void place_in_graph(const Problem& problem, Player& player);

}  // namespace assay
