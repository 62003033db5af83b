// Where the states of a problem without a map are drawn: as a graph whose columns are the numbers of moves
// from a start.
#pragma once

#include "assay/problem/problem.hpp"
#include "report/report.hpp"

namespace assay {

/// Fills in the player's cells, rows, columns and moves. The row of a cell counts halves of a node's height,
/// so that columns of different sizes can be centred. Of large problems only the states of the episodes are
/// drawn; the others are at row -1.
void place_in_graph(const Problem& problem, Player& player);

}  // namespace assay
