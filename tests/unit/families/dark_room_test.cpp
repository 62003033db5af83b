// dark_room: its values in closed form, and against the best walk where there are several episodes.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "support/goal_walk.hpp"
#include "support/solved.hpp"

namespace assay {
namespace {

using test::optimum;

/// The value if every step looks at a new cell, from the start's own on.
double one_cell_a_step(int cells, int horizon, double discount) {
  double sum = 0;
  double weight = 1;  // of step t
  for (int t = 1; t <= horizon; ++t, weight *= discount) sum += weight * std::min(t, cells);
  return sum / cells;
}

std::string spec_of(int size, int horizon, const std::string& more = "") {
  return "dark_room(size=" + std::to_string(size) + ",horizon=" + std::to_string(horizon) + more + ")";
}

TEST(DarkRoom, IsWorthOneNewCellAStep) {
  for (const auto& [size, horizon] : {std::pair(1, 3), {2, 3}, {2, 7}, {3, 5}, {3, 12}, {4, 16}}) {
    EXPECT_NEAR(optimum(spec_of(size, horizon)), one_cell_a_step(size * size, horizon, 1), 1e-9)
        << size << ' ' << horizon;
  }
  EXPECT_NEAR(optimum(spec_of(3, 10, ",start=centre")), one_cell_a_step(9, 10, 1), 1e-9);
  EXPECT_NEAR(optimum(spec_of(3, 10, ",discount=0.9")), one_cell_a_step(9, 10, 0.9), 1e-9);
  EXPECT_NEAR(one_cell_a_step(81, 100, 1), 60, 1e-12);  // the default room
}

TEST(DarkRoom, AnEvenRoomHasItsCentreBelowAndRightOfTheMiddle) {
  EXPECT_EQ(make_problem("dark_room(size=4,start=centre)")
                ->state_name(make_problem("dark_room(size=4,start=centre)")->starts().front().state),
            "row 2 column 2");
}

TEST(DarkRoom, SeveralEpisodesAgreeWithTheBestWalk) {
  for (const auto& [size, horizon, episodes] : {std::tuple(2, 2, 2), {2, 1, 3}, {3, 3, 2}, {3, 2, 3}}) {
    test::GoalWalk::Task task{.size = size,
                              .start = {0, 0},
                              .goals = {},
                              .on_goal = 1,
                              .elsewhere = 0,
                              .horizon = horizon,
                              .episodes = episodes};
    for (int i = 0; i < size * size; ++i) task.goals.emplace_back(i / size, i % size);
    EXPECT_NEAR(optimum(spec_of(size, horizon, ",episodes=" + std::to_string(episodes))),
                test::GoalWalk(task).best(), 1e-9)
        << size << ' ' << horizon << ' ' << episodes;
  }
}

TEST(DarkRoom, ShowsNothingOfWhereTheGoalIs) {
  const auto problem = make_problem("dark_room(size=3)");
  for (int x = 1; x < problem->states(); ++x) EXPECT_EQ(problem->landmark(x), '.');
  EXPECT_EQ(problem->landmark(0), 'S');
}

}  // namespace
}  // namespace assay
