// Among equally good actions, every agent takes the one that earns earlier.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "assay/advice/explanation.hpp"
#include "assay/core/policy.hpp"
#include "assay/problem/registry.hpp"
#include "assay/solver/detail/mdp.hpp"
#include "assay/solver/exact_solution.hpp"
#include "solver/search_policy.hpp"
#include "support/problem_text.hpp"
#include "support/random_mdp.hpp"

namespace assay {
namespace {

TEST(FirstBest, TakesTheEarlierOfEqualValuesThenTheLowest) {
  const std::vector<double> values = {1, 2, 2, 2, 0};
  EXPECT_EQ(first_best(values, {}, 2), 1);
  EXPECT_EQ(first_best(values, std::vector<double>{0, 5, 3, 3, 0}, 2), 2);
  EXPECT_EQ(first_best(values, std::vector<double>{0, 3, 3 + 1e-12, 3 - 1e-12, 0}, 2), 1);
  const std::vector<double> nearly = {0.3, 0.1 + 0.2, 0.3 + 1e-6};
  EXPECT_EQ(first_best(nearly, std::vector<double>{1, 0, 9}, 1), 2) << "a better value comes first";
  EXPECT_EQ(first_best(std::span(nearly).first(2), std::vector<double>{1, 0}, 1), 1);
}

/// Rewards from a coarse set, so that many actions are equally good.
Mdp tied_mdp(std::uint64_t seed) {
  support::RandomMdps random(Rng(seed, 77), {.form = Dynamics::Form::kArcs,
                                             .pays = Dynamics::Pays::kChoice,
                                             .rows = 2,
                                             .columns = 2,
                                             .dyadic = true});
  Mdp mdp = random.draw();
  Rng rng(seed, 78);
  for (double& r : mdp.reward) {
    if (std::isfinite(r)) r = static_cast<double>(uniform_index(rng, 3)) - 1;
  }
  mdp.discount = seed % 2 == 0 ? 1 : 0.5;
  return mdp;
}

double followed_at(Mdp mdp, const Plan& plan, double discount, int steps, std::size_t x) {
  mdp.discount = discount;
  return plan_value(mdp, plan, steps).back()[x];
}

TEST(EarlyPlans, AreWorthTheSameAndMoreUnderASmallerDiscount) {
  constexpr int kSteps = 5;
  constexpr double kLess = 1e-4;
  int better = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Mdp mdp = tied_mdp(seed);
    const Plan lowest = optimal_plan(mdp, kSteps);
    const Plan early = optimal_plan(mdp, kSteps, Ties::kEarliest);
    EXPECT_EQ(early.value, lowest.value) << seed;
    for (std::size_t x = 0; x < early.value.back().size(); ++x) {
      const double here = early.value.back()[x];
      EXPECT_NEAR(followed_at(mdp, early, mdp.discount, kSteps, x), here, 1e-12) << seed;
      const double less = followed_at(mdp, early, mdp.discount - kLess, kSteps, x);
      // The delay is gamma times the derivative.
      const double more = followed_at(mdp, early, mdp.discount + kLess, kSteps, x);
      EXPECT_NEAR(early.delay.back()[x], mdp.discount * (more - less) / (2 * kLess), 1e-5) << seed;
      const double other = followed_at(mdp, lowest, mdp.discount - kLess, kSteps, x);
      EXPECT_GE(less, other - 1e-6) << seed;  // second order: 1e-8 times what the second derivative can be
      better += less > other + kLess / 10 ? 1 : 0;
    }
  }
  EXPECT_GT(better, 20);
}

const std::string kCoin = R"(
horizon = 8
map = """
S..C
"""
[[environment]]
name = "gold"
legend = { C = { reward = 3 } }
[[environment]]
name = "silver"
legend = { C = { reward = 2 } }
[legend]
S = { start = true }
C = { once = true }
)";

constexpr int kGoRight = 4;

std::vector<int> actions_played(const Problem& problem, Policy& policy) {
  std::vector<int> actions;
  const auto note = [&](const Situation&, const StepRecord& step) { actions.push_back(step.action); };
  play_episode(problem, policy, Rng(5), {.acted = note});
  return actions;
}

TEST(Ties, WhoeverActsFetchesTheCoinAtOnceThoughThereIsTime) {
  const auto problem = written_problem("coin", read_problem(kCoin, "coin").family);
  ASSERT_EQ(problem->action_name(kGoRight), "right");
  for (const char* name : {"exact", "search(trials=50)", "vi_greedy", "vi_greedy(clock=remaining)",
                           "vi_thompson", "bayes_greedy", "thompson", "oracle"}) {
    const auto method = make_method(name);
    ASSERT_EQ(method->objection(*problem), "") << name;
    const auto policy = method->policy(*problem, "", 1);
    const std::vector<int> actions = actions_played(*problem, *policy);
    EXPECT_EQ(std::vector(actions.begin(), actions.begin() + 3), std::vector(3, kGoRight)) << name;
  }
}

TEST(Ties, ExplainNamesTheEarlierActionFirst) {
  const auto problem = written_problem("coin", read_problem(kCoin, "coin").family);
  const Situation start = situation_after(*problem, "");
  const Explanation e = explain(*problem, start, {});
  ASSERT_GE(e.actions.size(), 2U);
  EXPECT_EQ(e.actions[0].action, kGoRight);
  EXPECT_NEAR(e.actions[0].value.lower, 2.5, 1e-9);
  EXPECT_NEAR(e.actions[1].value.lower, 2.5, 1e-9) << "staying is as good";
  EXPECT_NEAR(e.actions[0].delay, 3 * 2.5, 1e-9) << "paid on arriving, three steps from here";
}

/// Without a search, where environments are infinitely many: an arm that pays 1/2 on average at steps 0,
/// 1, 2.
TEST(Ties, ExplainSaysHowLateUnknownRewardsAreEarned) {
  const auto problem = make_problem("bandit(arms=1,horizon=3,discount=1)");
  const Explanation e = explain(*problem, situation_after(*problem, ""), {});
  EXPECT_TRUE(e.exact);
  EXPECT_NEAR(e.actions[0].value.lower, 1.5, 1e-12);
  EXPECT_NEAR(e.actions[0].delay, (0 + 1 + 2) * 0.5, 1e-12);
}

TEST(Ties, ExactPoliciesShowTheEarlierAction) {
  const auto problem = written_problem("coin", read_problem(kCoin, "coin").family);
  const BeliefPolicies policies = problem->exact({})->policy(8);
  const auto& first = policies.shown.front().choices;
  const auto start = std::ranges::find(first, problem->starts().front().state, &BeliefPolicy::Choice::state);
  ASSERT_NE(start, first.end());
  EXPECT_EQ(start->action, kGoRight);
}

}  // namespace
}  // namespace assay
