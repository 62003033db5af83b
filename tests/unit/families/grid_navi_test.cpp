// grid_navi: its values against the best walk and against the same task as a problem file, its episodes, its
// names.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "assay/core/episode.hpp"
#include "source_dir.hpp"
#include "support/complaint.hpp"
#include "support/goal_walk.hpp"
#include "support/solved.hpp"

namespace assay {
namespace {

using test::complaint;
using test::contains;
using test::optimum;

double best_walk(int size, int horizon, int episodes) {
  test::GoalWalk::Task task{.size = size,
                            .start = {size - 1, 0},
                            .goals = {},
                            .on_goal = 1,
                            .elsewhere = -0.1,
                            .horizon = horizon,
                            .episodes = episodes};
  for (int row = 0; row < size; ++row) {
    for (int column = 0; column < size; ++column) {
      if (std::max(size - 1 - row, column) >= 2) task.goals.emplace_back(row, column);
    }
  }
  return test::GoalWalk(task).best();
}

TEST(GridNavi, AnEpisodeIsWorthFour) {
  EXPECT_NEAR(best_walk(5, 15, 1), 4, 1e-9);
  EXPECT_NEAR(optimum("grid_navi"), 4, 1e-9);
}

TEST(GridNavi, EveryFurtherEpisodeAddsWhatAKnownGoalIsWorth) {
  // A goal that is known is d steps away and pays 16 - d times 1, after d - 1 times -0.1.
  double known = 0;
  int goals = 0;
  for (int up = 0; up < 5; ++up) {
    for (int right = 0; right < 5; ++right) {
      if (std::max(up, right) < 2) continue;
      known += 16 - (up + right) - 0.1 * (up + right - 1);
      ++goals;
    }
  }
  known /= goals;
  EXPECT_EQ(goals, 21);
  EXPECT_NEAR(best_walk(5, 15, 2), 4 + known, 1e-9);
  const auto search = make_method("search");
  for (const int episodes : {2, 3}) {
    const auto problem = make_problem("grid_navi(episodes=" + std::to_string(episodes) + ")");
    const Solved solved = search->solve(*problem, {.rng = Rng(1), .resources = 1, .episodes = 2});
    ASSERT_TRUE(solved.bounds.has_value());
    EXPECT_NEAR(solved.bounds->lower, 4 + (episodes - 1) * known, 1e-6) << episodes;
    EXPECT_NEAR(solved.bounds->upper, 4 + (episodes - 1) * known, 1e-6) << episodes;
  }
}

TEST(GridNavi, SmallGridsAgreeWithTheBestWalk) {
  for (const auto& [size, horizon, episodes] :
       {std::tuple(3, 6, 1), {3, 4, 2}, {3, 3, 3}, {4, 7, 1}, {4, 4, 2}, {3, 2, 4}}) {
    const std::string spec = "grid_navi(size=" + std::to_string(size) +
                             ",horizon=" + std::to_string(horizon) + ",episodes=" + std::to_string(episodes) +
                             ")";
    EXPECT_NEAR(optimum(spec), best_walk(size, horizon, episodes), 1e-9) << spec;
  }
}

TEST(GridNavi, IsTheProblemOfTheFile) {
  const std::string file = ASSAY_SOURCE_DIR "/examples/problems/goal_search.toml";
  const auto written = make_problem(file);
  const auto family = make_problem("grid_navi");
  EXPECT_EQ(family->states(), written->states());
  EXPECT_EQ(family->horizon(), written->horizon());
  EXPECT_EQ(family->prior()->weights().size(), written->prior()->weights().size());
  EXPECT_NEAR(written->information({.seed = 1, .samples = 1, .threads = 1}).current.value,
              family->information({.seed = 1, .samples = 1, .threads = 1}).current.value, 1e-9);
}

TEST(GridNavi, TheLastStepOfAnEpisodeLeadsBackAndTheBeliefStays) {
  const auto problem = make_problem("grid_navi(size=4,horizon=3,episodes=2)");
  Episode episode = problem->episode(Rng(1));
  const int start = episode.situation().state();
  EXPECT_EQ(problem->state_name(start), "row 3 column 0, step 0");
  for (const char* name : {"up", "up", "stay"}) {
    episode.arrive();
    int action = 0;
    while (problem->action_name(action) != name) ++action;
    episode.act(action);
  }
  EXPECT_EQ(episode.situation().state(), start);
  EXPECT_FALSE(episode.done());
  // Row 1 column 0 was stepped on: the goal is known to be there, or not to be there.
  const auto weights = episode.situation().belief().weights();
  const auto possible = std::ranges::count_if(weights, [](double w) { return w > 0; });
  EXPECT_TRUE(possible == 1 || possible == 11) << possible;
}

TEST(GridNavi, IsDrawnWithItsStartAtTheLowerLeft) {
  const auto problem = make_problem("grid_navi(size=3)");
  std::vector<std::string> drawn(3, "   ");
  for (int x = 0; x < problem->states(); ++x) {
    const Cell cell = problem->cell(x);
    drawn[static_cast<std::size_t>(cell.row)][static_cast<std::size_t>(cell.column)] = problem->landmark(x);
  }
  EXPECT_EQ(drawn, (std::vector<std::string>{"???", "..?", "S.?"}));
}

TEST(GridNavi, SaysWhatIsTooMuch) {
  EXPECT_TRUE(contains(complaint([] { make_problem("grid_navi(size=2)"); }), "from 3 to 30"));
  EXPECT_TRUE(contains(complaint([] { make_problem("grid_navi(size=30,horizon=1000,episodes=2)"); }),
                       "at most 100000 states"));
  EXPECT_NO_THROW(make_problem("grid_navi(size=30,horizon=1000)"));
}

}  // namespace
}  // namespace assay
