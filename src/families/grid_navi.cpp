// grid_navi: the grid navigation task of meta-reinforcement learning (variBAD). The goal is in one of the
// cells that are at least two rows or two columns from the start, which is in the lower left corner. Every
// step costs a little, and a step that ends on the goal pays 1. With several episodes the agent goes back to
// its start after each of them and keeps what it knows.
//
//   . . . . .     size=5: the 2x2 cells at the start are no goals, the other 21 are
//   . . . . .
//   . . . . .
//   x x . . .
//   S x . . .
#include "assay/problem/register_family.hpp"
#include "families/hidden_goal.hpp"

namespace assay {
namespace {

struct GridNaviSettings {
  int size = 5;
  int horizon = 15;
  int episodes = 1;
  double reward = 1;
  double cost = 0.1;
  double discount = 1;
};

HiddenGoal::Layout layout_of(const GridNaviSettings& s) {
  HiddenGoal::Layout layout{.size = s.size,
                            .start = {s.size - 1, 0},
                            .goals = {},
                            .on_goal = s.reward,
                            .elsewhere = -s.cost,
                            .horizon = s.horizon,
                            .episodes = s.episodes,
                            .discount = s.discount};
  for (int row = 0; row < s.size; ++row) {
    for (int column = 0; column < s.size; ++column) {
      if (row < s.size - 2 || column >= 2) layout.goals.push_back({row, column});
    }
  }
  return layout;
}

class GridNavi : public HiddenGoal {
 public:
  explicit GridNavi(const GridNaviSettings& settings) : HiddenGoal(layout_of(settings)) {}
};

const RegisterFamily<GridNavi, FiniteBelief<GridNavi>, GridNaviSettings> kRegistered({
    .name = "grid_navi",
    .summary = "a goal in an unknown cell of a grid, found by stepping on it, in one or several episodes",
    .schema = {{
        integer("size", &GridNaviSettings::size, 3, 30, "cells along each side"),
        integer("horizon", &GridNaviSettings::horizon, 1, 1000, "steps in each episode"),
        integer("episodes", &GridNaviSettings::episodes, 1, 1000,
                "episodes in the same grid, each from the start; what was seen is remembered"),
        real("reward", &GridNaviSettings::reward, 0, 1e6, "paid for each step that ends on the goal"),
        real("cost", &GridNaviSettings::cost, 0, 1e6, "of each step that ends elsewhere"),
        real("discount", &GridNaviSettings::discount, 0, 1, "weight of the next step relative to this one"),
    }},
    .small = {"grid_navi(size=3,horizon=4)", "grid_navi(size=3,horizon=3,episodes=2)"},
});

}  // namespace
}  // namespace assay
