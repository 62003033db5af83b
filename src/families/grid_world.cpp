// grid_world: the agent goes from one corner to the opposite one, which pays and leads back; moves slip to
// the sides.
#include "families/register_rows.hpp"

namespace assay {
namespace {

struct GridWorldSettings {
  int size = 5;
  double slip = 0.2;
  int horizon = 1000;
  double discount = 1;
  double planning_discount = 0.95;
  RowPrior prior = RowPrior::kSparse;
  double alpha = 1;
  double sparsity = 0.5;
  RowTruth truth = RowTruth::kFixed;
};

RowFamily make_grid_world(const GridWorldSettings& s) {
  const int states = s.size * s.size;
  const auto to = [&](int x, int a) {
    if (x == states - 1) return 0;
    const Cell next = grid_moved({x / s.size, x % s.size}, a);
    const bool inside = next.row >= 0 && next.row < s.size && next.column >= 0 && next.column < s.size;
    return inside ? next.row * s.size + next.column : x;
  };
  RowBuilder builder(states, 4);
  builder.horizon(s.horizon).discount(s.discount).planning_discount(s.planning_discount).start(0);
  const std::vector<int> anywhere = every_state(states);
  const RowLaw law = row_law(s.prior, s.alpha, s.sparsity, anywhere.size());
  std::vector<Cell> cells;
  std::vector<std::string> names;
  for (int x = 0; x < states; ++x) {
    cells.push_back({x / s.size, x % s.size});
    names.push_back(grid_cell_name(cells.back()));
    for (int a = 0; a < 4; ++a) {
      builder.unknown(x, a, anywhere, law);
      if (s.truth == RowTruth::kFixed)
        builder.truth(x, a, slipping(a, s.slip, [&](int taken) { return to(x, taken); }));
      if (x == states - 1) builder.reward(x, a, 1);
    }
  }
  std::string marks(anywhere.size(), '.');
  marks.back() = 'G';
  return builder.names(names, grid_move_names()).drawing(cells, marks, kGridGlyphs).build();
}

const RegisterRows<GridWorldSettings> kRegistered(
    {
        .name = "grid_world",
        .summary = "goes to the opposite corner and back; moves slip, and it is unknown where actions lead",
        .schema = {{
            integer("size", &GridWorldSettings::size, 2, 30, "cells along each side"),
            real("slip", &GridWorldSettings::slip, 0, 1, "probability that a move goes to one of the sides"),
            steps("horizon", &GridWorldSettings::horizon, 1'000'000, "steps in an episode"),
            real("discount", &GridWorldSettings::discount, 0, 1,
                 "weight of the next step relative to this one"),
            real("planning_discount", &GridWorldSettings::planning_discount, 0, 1,
                 "discount that planners use"),
            choice("prior", &GridWorldSettings::prior, {"dirichlet", "sparse"}, "prior of each row"),
            real("alpha", &GridWorldSettings::alpha, 0, 1e4,
                 "concentration of each successor; 0 stands for 1 / their number"),
            real("sparsity", &GridWorldSettings::sparsity, 1e-6, 1,
                 "sparse: P(k successors) falls by this factor"),
            choice("truth", &GridWorldSettings::truth, {"fixed", "prior"},
                   "test environments: the grid itself, or draws from the prior"),
        }},
        .small = {"grid_world(size=2,horizon=3,truth=prior)",
                  "grid_world(size=2,horizon=3,prior=dirichlet,alpha=0.5,discount=0.9,truth=prior)"},
    },
    &make_grid_world);

}  // namespace
}  // namespace assay
