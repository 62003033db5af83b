// Many environments that move alike, solved side by side, and what the plan of one collects in another.
#include "cashing/known_moves.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/belief_models.hpp"

namespace assay::test {
namespace {

TEST(KnownMoves, SolveManyEnvironmentsAsTheReferenceDoes) {
  for (const auto& problem : known_moves_problems()) {
    SCOPED_TRACE(problem->name());
    const int most = 7;
    const Situation now = walked(*problem, 3, 2);
    const Belief& knowledge = now.belief();
    std::vector<Plan> plans;
    KnownMoves moves(knowledge, problem->discount());
    moves.resize(6);
    moves.set(0, knowledge);
    plans.push_back(optimal_plan(knowledge.mean(), most));
    const auto drawn = knowledge.environment();
    for (std::size_t lane = 1; lane < moves.lanes(); ++lane) {
      drawn->draw(Rng(lane));
      moves.set(lane, *drawn);
      plans.push_back(optimal_plan(drawn->tabulate(), most));
    }
    std::vector<float> all;
    moves.solve_all(most, all);
    const auto states = static_cast<std::size_t>(problem->states());
    for (int level = 0; level <= most; ++level) {
      moves.solve(level);
      for (std::size_t x = 0; x < states; ++x) {
        for (std::size_t lane = 0; lane < moves.lanes(); ++lane) {
          const double right = plans[lane].value[static_cast<std::size_t>(level)][x];
          const double slack = float_slack(level, 2, 2);
          EXPECT_NEAR(moves.value(static_cast<int>(x), lane), right, slack);
          EXPECT_NEAR(all[(static_cast<std::size_t>(level) * states + x) * moves.lanes() + lane], right,
                      slack);
        }
      }
    }
    for (int x = 0; x < problem->states(); ++x) {
      std::vector<int> allowed;
      for (int a = 0; a < problem->actions(); ++a) {
        if (knowledge.allowed(x, a)) allowed.push_back(a);
      }
      EXPECT_TRUE(std::ranges::equal(moves.allowed(x), allowed));
    }
  }
}

/// The same moves, each paying 1.
Mdp discounted_ones(Mdp mdp) {
  for (double& reward : mdp.reward) reward = std::isfinite(reward) ? 1 : reward;
  return mdp;
}

TEST(KnownMoves, NeedMovesThatAreKnown) {
  const auto chain = make_problem("bbrl_chain(horizon=3)");
  EXPECT_THROW(KnownMoves(*chain->prior(), 1), UsageError);
}

TEST(KnownMoves, CountWhatThePlanCollects) {
  for (const auto& problem : known_moves_problems()) {
    SCOPED_TRACE(problem->name());
    const auto known = walked(*problem, 3, 2).belief().clone();
    const auto other = walked(*problem, 4, 2).belief().clone();
    KnownMoves moves(*known, problem->discount());
    moves.resize(1);
    moves.set(0, *known);
    for (int left = 1; left < 6; ++left) {
      const Plan best = optimal_plan(known->mean(), left);
      const Plan best_of_other = optimal_plan(other->mean(), left);
      const Plan all_alike = optimal_plan(discounted_ones(known->mean()), left);
      for (int x = 0; x < problem->states(); ++x) {
        const auto at = static_cast<std::size_t>(x);
        const std::vector<double> often = moves.collections(x, left);
        const double slack = float_slack(left, 2, 2);
        EXPECT_NEAR(moves.paid(often, *known), best.value.back()[at], slack);
        EXPECT_LE(moves.paid(often, *other), best_of_other.value.back()[at] + slack);
        double sum = 0;
        for (const double one : often) sum += one;
        EXPECT_NEAR(sum, all_alike.value.back()[at], slack) << "one collection a step";
      }
    }
  }
}

TEST(KnownMoves, APlanCollectsElsewhereWhatItsCrossValueSays) {
  // Means without coincidences, so that there is one best plan.
  const auto problem = cell_problem("slippery", slippery_cells(5, 0.9));
  const auto known = walked(*problem, 3, 3).belief().clone();
  KnownMoves moves(*known, 0.9);
  moves.resize(1);
  moves.set(0, *known);
  const Plan best = optimal_plan(known->mean(), 5);
  int differ = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const auto other = walked(*problem, seed, 4).belief().clone();
    const auto cross = plan_value(other->mean(), best, 5);
    for (int x = 0; x < problem->states(); ++x) {
      const auto at = static_cast<std::size_t>(x);
      EXPECT_NEAR(moves.paid(moves.collections(x, 5), *other), cross.back()[at], float_slack(5, 2, 2));
      differ += std::abs(cross.back()[at] - best.value.back()[at]) > 0.01 ? 1 : 0;
    }
  }
  EXPECT_GT(differ, 0);
}

}  // namespace
}  // namespace assay::test
