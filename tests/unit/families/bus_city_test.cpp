// bus_city: values by hand, the sign, the added lines that are of no use, and the two episodes.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "support/solved.hpp"

namespace assay {
namespace {

using test::optimum;
using test::optimum_without;

int action_called(const Problem& problem, const std::string& name) {
  for (int a = 0; a < problem.actions(); ++a) {
    if (problem.action_name(a) == name) return a;
  }
  ADD_FAILURE() << "no action " << name;
  return 0;
}

TEST(BusCity, WithEverythingKnownTheGoalIsTwoStepsAway) {
  // One step to the stop and one by bus: 1 - 2 * 0.1.
  const InformationValues known =
      make_problem("bus_city")->information({.seed = 1, .samples = 1, .threads = 1});
  EXPECT_NEAR(known.full.value, 0.8, 1e-9);
}

TEST(BusCity, FourStepsReachTheSignAndThreeOneBus) {
  EXPECT_NEAR(optimum("bus_city(horizon=4)"), 0.8, 1e-9);
  // Three steps try one of the buses. If the goal is where it goes, that pays 0.8. Otherwise one of three
  // buses is right, and after a wrong one there is time for one more step, for nothing.
  EXPECT_NEAR(optimum("bus_city(horizon=3)"), 0.25 * 0.8 + 0.75 * (0.8 / 3 - 0.3 * 2 / 3), 1e-9);
  // So it is with four steps if there is no sign, and a wrong bus costs one step more.
  EXPECT_NEAR(optimum_without("bus_city(horizon=4)", "sign"), 0.25 * 0.8 + 0.75 * (0.8 / 3 - 0.4 * 2 / 3),
              1e-9);
}

TEST(BusCity, AWholeExplorationTriesThreeBuses) {
  // Forth and back by three buses, from stop to stop: then the fourth is known, too. The sign is not needed.
  const auto search = make_method("search");
  const auto problem = make_problem("bus_city(horizon=12)");
  for (const Silenced& silenced : problem->sources()) {
    const Solved solved = search->solve(*silenced.problem, {.rng = Rng(1), .resources = 1, .episodes = 2});
    ASSERT_TRUE(solved.bounds.has_value());
    EXPECT_NEAR(solved.bounds->lower, 0.8, 1e-6);
  }
}

TEST(BusCity, DistractionAddsFourLinesThatTheSignDoesNotShow) {
  const auto plain = make_problem("bus_city(horizon=3)");
  const auto problem = make_problem("bus_city(horizon=3,distraction=on)");
  EXPECT_EQ(plain->prior()->weights().size(), 24U);
  EXPECT_EQ(problem->prior()->weights().size(), 576U);
  std::set<std::string> names;
  for (int e = 0; e < 576; ++e) names.insert(problem->environment_name(e));
  EXPECT_EQ(names.size(), 576U);

  const int ride = action_called(*problem, "ride");
  int stops = 0;
  int idle_stops = 0;
  for (int x = 0; x < 81; ++x) {  // the first step of the exploration
    stops += plain->prior()->allowed(x, ride) ? 1 : 0;
    idle_stops += problem->prior()->allowed(x, ride) ? 1 : 0;
  }
  EXPECT_EQ(stops, 8);
  EXPECT_EQ(idle_stops, 16);

  const auto belief = problem->prior();
  const int above = 6 * 9 + 3;  // the cell above the sign
  const auto seen = belief->predict(above, action_called(*problem, "down"), 100);
  EXPECT_EQ(seen.size(), 24U);
  belief->observe(above, action_called(*problem, "down"), seen.front().outcome);
  int possible = 0;
  for (const double w : belief->weights()) possible += w > 0 ? 1 : 0;
  EXPECT_EQ(possible, 24) << "the idle lines are still unknown";
}

TEST(BusCity, BusesGoForthAndBack) {
  const auto problem = make_problem("bus_city(horizon=3,distraction=on)");
  const int ride = action_called(*problem, "ride");
  for (const std::size_t e : {std::size_t{0}, std::size_t{100}, std::size_t{575}}) {
    const Mdp known = problem->prior()->environment(e);
    for (int x = 0; x < 81; ++x) {
      if (!problem->prior()->allowed(x, ride)) continue;
      const auto next = [&](int from) {
        return known.arcs[known.first_arc[static_cast<std::size_t>(from * known.actions + ride)]].next;
      };
      EXPECT_EQ(next(x) / 81, 1) << "the second step";
      EXPECT_NE(next(x) % 81, x);
      EXPECT_EQ(next(next(x)) % 81, x);
    }
  }
}

TEST(BusCity, TheGoalIsToldAfterTheExplorationAndEndsItAll) {
  const auto problem = make_problem("bus_city(horizon=1)");
  const auto prior = problem->prior();
  const auto told = prior->predict(problem->starts().front().state, action_called(*problem, "up"), 100);
  ASSERT_EQ(told.size(), 4U);
  std::set<std::string> names;
  for (const Belief::Prediction& one : told) {
    EXPECT_NEAR(one.probability, 0.25, 1e-12);
    EXPECT_EQ(one.outcome.reward, 0);
    names.insert(problem->state_name(one.outcome.next));
  }
  EXPECT_TRUE(names.contains("row 4 column 4, the goal is top left"));
  EXPECT_EQ(names.size(), 4U);
  for (int x = 0; x < problem->states(); ++x) {
    if (problem->state_name(x) != "row 0 column 1, the goal is top left") continue;
    for (int a = 0; a < problem->actions(); ++a) {
      const auto after = prior->predict(x, a, 100);
      ASSERT_EQ(after.size(), 1U);
      EXPECT_EQ(after[0].outcome, (Outcome{x, 0, {}}));
    }
  }
}

}  // namespace
}  // namespace assay
