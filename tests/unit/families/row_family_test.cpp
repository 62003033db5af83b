// Families of unknown rows: what can be built, the benchmarks' ceilings, and the oracle that reaches them.
#include "families/row_family.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/core/error.hpp"
#include "assay/core/policy.hpp"
#include "assay/problem/registry.hpp"
#include "assay/solver/detail/mdp.hpp"
#include "assay/solver/exact_solution.hpp"
#include "solver/long_plan.hpp"

namespace assay {
namespace {

/// What full information earns on average.
double ceiling(const std::string& spec, std::uint64_t seed = 1) {
  const auto problem = make_problem(spec);
  Episode episode = problem->episode(Rng(seed));
  const Plan plan = optimal_plan(episode.truth().tabulate(), problem->horizon());
  return plan.value.back()[static_cast<std::size_t>(episode.situation().state())];
}

using Arcs = std::vector<std::pair<double, int>>;

/// Where an action leads, and how often.
Arcs arcs_of(const Mdp& mdp, int state, int action) {
  const auto row = static_cast<std::size_t>(state * mdp.actions + action);
  Arcs all;
  for (std::size_t i = mdp.first_arc[row]; i < mdp.first_arc[row + 1]; ++i) {
    all.emplace_back(mdp.arcs[i].probability, mdp.arcs[i].next);
  }
  return all;
}

TEST(RowFamilies, HaveTheCeilingsOfTheBenchmarks) {
  EXPECT_NEAR(ceiling("double_loop"), 400, 1e-9);
  EXPECT_NEAR(ceiling("grid_world"), 92.10, 0.005);
  EXPECT_NEAR(ceiling("grid_world(size=10)"), 43.21, 0.005);
  EXPECT_NEAR(ceiling("maze"), 1825.96, 0.005);
  // Without slipping, the two ends of the chain are worth 10 a step after four, or 2 a step.
  EXPECT_NEAR(ceiling("chain(slip=0)"), 9960, 1e-9);
  // Always forward: 0.2 * 2 + 0.8^5 * 10 a step in the long run.
  EXPECT_NEAR(ceiling("chain(horizon=2000)") - ceiling("chain"), 3676.8, 0.05);
  EXPECT_NEAR(ceiling("chain(rewards=normal)"), ceiling("chain"), 1e-9);
}

TEST(RowFamilies, TheChainSlipsBothWays) {
  Episode episode = make_problem("chain")->episode(Rng(1));
  const Mdp truth = episode.truth().tabulate();
  EXPECT_EQ(arcs_of(truth, 2, 0), (Arcs{{1 - 0.8, 0}, {0.8, 3}}));
  EXPECT_EQ(arcs_of(truth, 2, 1), (Arcs{{1 - 0.2, 0}, {0.2, 3}}));
  EXPECT_NEAR(episode.truth().expected_reward(4, 1), 0.8 * 2 + 0.2 * 10, 1e-12);
}

TEST(RowFamilies, PlanWithTheirOwnDiscount) {
  for (const char* spec : {"chain", "double_loop", "grid_world", "maze"}) {
    EXPECT_EQ(make_problem(spec)->discount(), 1) << spec;
    EXPECT_EQ(make_problem(spec)->planning_discount(), 0.95) << spec;
  }
  EXPECT_EQ(make_problem("bbrl_chain")->planning_discount(), 0.95);
  EXPECT_EQ(make_problem("bbrl_chain(discount=0.9)")->planning_discount(), 0.9);
}

TEST(RowFamilies, TheMazeIsDrawnAsOneBoardForEachSetOfFlags) {
  const auto maze = make_problem("maze");
  ASSERT_EQ(maze->states(), 264);
  std::set<std::pair<int, int>> taken;
  int flags = 0;
  int goals = 0;
  for (int x = 0; x < maze->states(); ++x) {
    EXPECT_TRUE(taken.emplace(maze->cell(x).row, maze->cell(x).column).second);
    flags += maze->landmark(x) == '$' ? 1 : 0;
    goals += maze->landmark(x) == 'G' ? 1 : 0;
  }
  EXPECT_EQ(goals, 8);
  EXPECT_EQ(flags, 3 * 4) << "a flag is there unless it is held";
  EXPECT_EQ(maze->state_name(0), "row 0 column 0");
}

TEST(RowFamilies, TruthsAreFixedOrDrawnAsTheParameterSays) {
  EXPECT_EQ(ceiling("grid_world(horizon=50)", 1), ceiling("grid_world(horizon=50)", 2));
  EXPECT_NE(ceiling("grid_world(horizon=50,truth=prior)", 1),
            ceiling("grid_world(horizon=50,truth=prior)", 2));
}

TEST(RowFamilies, MismatchedPriorsAreTestedOnTheSameEnvironments) {
  for (const char* name : {"bbrl_chain", "bbrl_double_loop", "bbrl_grid"}) {
    const auto full = make_problem(std::string(name) + "(prior=full)");
    const auto matched = make_problem(name);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const Mdp tested = full->episode(Rng(seed)).truth().tabulate();
      const Mdp drawn = matched->episode(Rng(seed)).truth().tabulate();
      EXPECT_EQ(tested.reward, drawn.reward) << name;
      for (int x = 0; x < full->states(); ++x) {
        for (int a = 0; a < full->actions(); ++a) {
          EXPECT_EQ(arcs_of(tested, x, a), arcs_of(drawn, x, a)) << name;
          EXPECT_LE(arcs_of(tested, x, a).size(), 2U);
        }
      }
    }
    // The agent holds everything possible: rewards it can only expect are spread over all states.
    const auto arcs = full->prior()->expected();
    EXPECT_EQ(arcs.arcs.size(), arcs.reward.size() * static_cast<std::size_t>(full->states()));
  }
}

TEST(RowFamilies, RefuseParametersOutOfRange) {
  for (const char* spec :
       {"chain(states=1)", "chain(slip=1.5)", "chain(prior=none)", "chain(alpha=-1)", "chain(sparsity=0)",
        "double_loop(horizon=0)", "double_loop(truth=maybe)", "grid_world(size=1)", "grid_world(discount=2)",
        "maze(map=large)", "bbrl_chain(prior=sparse)", "bbrl_grid(size=1)", "bbrl_double_loop(size=3)"}) {
    EXPECT_THROW((void)make_problem(spec), UsageError) << spec;
  }
}

RowBuilder two_row_states() {
  RowBuilder builder(2, 1);
  builder.start(0).unknown(0, 0, {0, 1}, RowLaw{}).known(1, 0, {{0, 1}});
  return builder;
}

TEST(RowBuilder, SaysWhatIsWrong) {
  EXPECT_NO_THROW((void)two_row_states().build());
  EXPECT_THROW(RowBuilder(0, 1), UsageError);
  EXPECT_THROW(RowBuilder(1'000'000, 2), UsageError);
  EXPECT_THROW(two_row_states().unknown(2, 0, {0}, RowLaw{}), UsageError);
  EXPECT_THROW(two_row_states().unknown(0, 1, {0}, RowLaw{}), UsageError);
  EXPECT_THROW(two_row_states().unknown(0, 0, {}, RowLaw{}), UsageError);
  EXPECT_THROW(two_row_states().unknown(0, 0, {2}, RowLaw{}), UsageError);
  EXPECT_THROW(two_row_states().unknown(0, 0, {0, 1}, {.alpha = 0}), UsageError);
  EXPECT_THROW(two_row_states().unknown(0, 0, {0, 1}, {.alpha = std::nan("")}), UsageError);
  EXPECT_THROW(two_row_states().unknown(0, 0, {0, 1}, {RowLaw::Kind::kSparse, 1, 2}), UsageError);
  EXPECT_THROW(two_row_states().known(0, 0, {{0, 0.5}}), UsageError);
  EXPECT_THROW(two_row_states().known(0, 0, {{0, 1.5}, {1, -0.5}}), UsageError);
  EXPECT_THROW(two_row_states().horizon(0), UsageError);
  EXPECT_THROW(two_row_states().discount(-0.1), UsageError);
  EXPECT_THROW(two_row_states().start(0, 0), UsageError);
  EXPECT_THROW(two_row_states().reward(0, 0, HUGE_VAL), UsageError);
  EXPECT_THROW(two_row_states().pays(0, 0, 0), UsageError);
  EXPECT_THROW(two_row_states().names({"a"}, {"go"}), UsageError);
  EXPECT_THROW((void)two_row_states().landing(1, 0, 1, 3).build(), UsageError);
  EXPECT_THROW((void)RowBuilder(1, 1).known(0, 0, {{0, 1}}).build(), UsageError) << "no start";
  EXPECT_THROW((void)RowBuilder(2, 1).start(0).known(0, 0, {{0, 1}}).build(), UsageError) << "no action";
}

TEST(RowBuilder, RefusesTruthsThatThePriorHoldsImpossible) {
  RowBuilder listed(3, 1);
  listed.start(0).unknown(0, 0, {0, 1}, RowLaw{}).known(1, 0, {{0, 1}}).known(2, 0, {{0, 1}});
  EXPECT_THROW((void)RowBuilder(listed).truth(0, 0, {{2, 1}}).build(), UsageError);
  EXPECT_THROW((void)RowBuilder(listed).truth(0, 0, {{1, 1}}).truth(1, 0, {{2, 1}}).build(), UsageError);
  EXPECT_THROW((void)RowBuilder(listed).truth(1, 0, {{0, 1}}).build(), UsageError) << "a row is missing";
  Rng rng(1);
  const RowFamily family = RowBuilder(listed).truth(0, 0, {{1, 0.25}, {0, 0.5}, {1, 0.25}, {2, 0}}).build();
  const auto truth = family.truth(rng);
  ASSERT_TRUE(truth);
  EXPECT_EQ(truth->row(0).size(), 2U);
  EXPECT_EQ(truth->row(0)[1], (RowArc{1, 0.5}));
  RowBuilder wide(3, 1);
  wide.start(0).unknown(0, 0, {0, 2}, RowLaw{}).known(1, 0, {{0, 1}}).known(2, 0, {{0, 1}});
  EXPECT_THROW((void)RowBuilder(listed).truth(wide.build()).build(), UsageError);
  RowBuilder other(2, 1);
  other.start(0).known(0, 0, {{0, 1}}).known(1, 0, {{0, 1}});
  EXPECT_THROW((void)RowBuilder(listed).truth(other.build()).build(), UsageError);
}

TEST(RowBuilder, ASingleSuccessorIsKnown) {
  RowBuilder builder(2, 1);
  builder.start(0).unknown(0, 0, {1}, RowLaw{}).unknown(1, 0, {0, 0}, RowLaw{});
  const RowFamily family = builder.build();
  EXPECT_TRUE(family.known_transitions());
  EXPECT_EQ(RowBelief(family).words(), 0U);
}

TEST(RowFamilies, NormalRewardsAreSampledButNotEnumerated) {
  const auto problem = make_problem("chain(rewards=normal,horizon=20)");
  EXPECT_THROW((void)problem->exact({}), UsageError);
  Episode episode = problem->episode(Rng(1));
  const Belief& belief = episode.situation().belief();
  episode.arrive();
  EXPECT_NEAR(episode.act(0).reward, 0.4, 0.6) << "a noise of 0.1 around 0.2 * 2";
  episode.arrive();
  EXPECT_EQ(belief.expected_reward(3, 1), 0) << "never tried";
  EXPECT_NEAR(belief.expected_reward(0, 0), 0.4, 0.6);
  EXPECT_GT(belief.reward_spread(3, 1), 9.9);
  EXPECT_LT(belief.reward_spread(0, 0), 0.11);
}

TEST(LongPlan, SaysWhatTheWholePlanSays) {
  for (const char* spec : {"grid_world(horizon=37)", "bbrl_chain(horizon=100)", "chain(horizon=1)"}) {
    const auto problem = make_problem(spec);
    const Mdp mdp = problem->episode(Rng(3)).truth().tabulate();
    const Plan plan = optimal_plan(mdp, problem->horizon(), Ties::kEarliest);
    LongPlan rolling(mdp, problem->horizon());
    for (int h = problem->horizon(); h > 0; --h) {
      for (int x = 0; x < mdp.states; ++x)
        ASSERT_EQ(rolling.best(x, h), plan.action[static_cast<std::size_t>(h)][static_cast<std::size_t>(x)]);
    }
  }
}

TEST(RowFamilies, TheOracleReachesTheCeiling) {
  const auto oracle = make_method("oracle");
  const auto problem = make_problem("double_loop");
  EXPECT_EQ(oracle->objection(*problem), "");
  const auto policy = oracle->solve(*problem, {.rng = Rng(1), .resources = 1}).policy;
  EXPECT_EQ(play_episode(*problem, *policy, Rng(2)).undiscounted, 400);
  EXPECT_EQ(play_episode(*problem, *policy, Rng(3)).undiscounted, 400);
}

TEST(RowFamilies, DrawnEnvironmentsKeepToTheTruthAsItIsLearned) {
  const auto problem = make_problem("double_loop(horizon=3000)");
  Episode episode = problem->episode(Rng(1));
  Rng rng(2);
  while (episode.situation().remaining() > 1) {
    episode.arrive();
    episode.act(static_cast<int>(uniform_index(rng, 2)));
  }
  const auto drawn = problem->prior()->environment();
  drawn->draw_from(episode.situation().belief());
  int differs = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    drawn->draw(Rng(seed));
    differs += drawn->step(0, 0, false).next == 1 ? 0 : 1;
  }
  // About 300 times 0 led to 1; 8/9 of one prior count speak for the others.
  EXPECT_LE(differs, 10);
}

}  // namespace
}  // namespace assay
