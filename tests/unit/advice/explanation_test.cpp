// Explanations against brute force, and against what must hold of them.
#include "assay/advice/explanation.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/core/detail/kernel.hpp"
#include "assay/problem/registry.hpp"
#include "assay/solver/exact_solution.hpp"
#include "support/complaint.hpp"
#include "support/expectimax.hpp"
#include "support/large_tiger.hpp"
#include "support/random_problem.hpp"

namespace assay {
namespace {

const ActionWorth& worth_of(const Explanation& e, const Problem& problem, const std::string& action) {
  for (const ActionWorth& worth : e.actions) {
    if (problem.action_name(worth.action) == action) return worth;
  }
  throw std::runtime_error("no action " + action);
}

/// At a state, with the prior, the arrival not looked at.
Situation prior_at(const Problem& problem, int state) { return {problem.prior(), state, 0}; }

TEST(Explanations, GiveActionsTheirBruteForceValues) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const TableFamily family = support::random_problem(Rng(seed), {});
    const auto problem = table_problem("random", family);
    const oracle::FiniteExpectimax<TableFamily> truth(family);
    for (int x = 0; x < family.states(); ++x) {
      const Explanation e = explain(*problem, prior_at(*problem, x), {});
      EXPECT_TRUE(e.exact);
      const std::vector<double> values = truth.action_values(x, truth.prior(), family.horizon());
      EXPECT_EQ(static_cast<std::ptrdiff_t>(e.actions.size()),
                std::ranges::count_if(values, [](double v) { return v > oracle::kImpossible; }));
      for (const ActionWorth& worth : e.actions) {
        EXPECT_NEAR(worth.value.lower, values[static_cast<std::size_t>(worth.action)], 1e-7) << seed;
        EXPECT_NEAR(worth.value.upper, values[static_cast<std::size_t>(worth.action)], 1e-7) << seed;
        // Whoever uses what this action shows, and nothing later, does not do better than the best.
        EXPECT_GE(worth.cashed, -1e-9) << seed;
        EXPECT_LE(worth.current + worth.cashed, worth.value.lower + 1e-7) << seed;
        if (family.horizon() == 1) {
          EXPECT_EQ(worth.cashed, 0);
          EXPECT_NEAR(worth.current, worth.value.lower, 1e-9);
        }
        // Where a move by chance leads is worth remembering if environments differ in how they go on from
        // there.
        if (worth.tells_apart.size() == 1 && problem->prior()->known_transitions()) {
          EXPECT_NEAR(worth.cashed, 0, 1e-9) << seed;
        }
        EXPECT_GE(worth.guessed, worth.guessed_before - 1e-9);
      }
      EXPECT_NEAR(e.actions.front().value.lower, *std::ranges::max_element(values), 1e-7);
    }
  }
}

/// Two environments that pay differently but move alike.
TableFamily two_lands(Rng rng) {
  TableBuilder builder({"s", "t"}, {"a", "b"});
  builder.horizon(3).discount(0.9).start(0);
  builder.environment("one", 0.3);
  builder.environment("other", 0.7);
  for (int x = 0; x < 2; ++x) {
    for (int a = 0; a < 2; ++a) {
      const int next = static_cast<int>(uniform_index(rng, 2));
      for (int e = 0; e < 2; ++e) builder.outcome(x, a, {{1, {next, uniform(rng), {}}}}, e);
    }
  }
  return builder.build();
}

/// Every plan [steps to go][state] of two steps, tried in the mixture.
double best_plan_by_trying(const TableFamily& f, int start) {
  double best = -std::numeric_limits<double>::infinity();
  for (unsigned plan = 0; plan < 16; ++plan) {
    double sum = 0;
    for (int e = 0; e < 2; ++e) {
      int x = start;
      double weight = f.prior()[static_cast<std::size_t>(e)];
      for (unsigned step = 0; step < 2; ++step) {
        const TableFamily::Possibility& p =
            f.row(x, static_cast<int>(plan >> (2 * step + static_cast<unsigned>(x)) & 1U), e)[0];
        sum += weight * p.outcome.reward;
        weight *= f.discount();
        x = p.outcome.next;
      }
    }
    best = std::max(best, sum);
  }
  return best;
}

TEST(Explanations, GoOnWithTheBestFixedPlan) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const TableFamily family = two_lands(Rng(seed));
    const auto problem = table_problem("lands", family);
    const Explanation e = explain(*problem, prior_at(*problem, 0), {});
    for (const ActionWorth& worth : e.actions) {
      double due = 0;
      double told = 0;
      for (int environment = 0; environment < 2; ++environment) {
        const TableFamily::Possibility& p = family.row(0, worth.action, environment)[0];
        const double weight = family.prior()[static_cast<std::size_t>(environment)];
        due += weight * p.outcome.reward;
        if (environment == 0) told = best_plan_by_trying(family, p.outcome.next);
      }
      EXPECT_NEAR(worth.current, due + family.discount() * told, 1e-9) << seed;
    }
  }
}

/// Rewards in the millions, where a millionth of the values is more than the last digit that is shown.
TEST(Explanations, AreExactOnlyIfEveryDigitThatIsShownAgrees) {
  const auto tiger = test::large_tiger();
  const Situation start = prior_at(*tiger, 0);
  const Explanation e = explain(*tiger, start, {});
  const std::vector<double> truth = tiger->exact({})->action_values(0, start.belief(), 30);
  EXPECT_EQ(e.decimals, 1) << "ten digits of hundred millions";
  EXPECT_TRUE(e.exact);
  for (const ActionWorth& worth : e.actions) {
    const double due = truth[static_cast<std::size_t>(worth.action)];
    EXPECT_LE(worth.value.lower, due + 1e-14 * std::abs(due));
    EXPECT_GE(worth.value.upper, due - 1e-14 * std::abs(due));
    EXPECT_EQ(fmt::format("{:.1f}", worth.value.lower), fmt::format("{:.1f}", worth.value.upper));
  }
}

TEST(Explanations, CashWhatACueTells) {
  const auto maze = make_problem("t_maze(distance=3,arm=3,discount=1)");
  const Situation before = situation_after(*maze, "down; down");
  const Explanation e = explain(*maze, before, {});
  const ActionWorth& down = worth_of(e, *maze, "down");
  // Without a cue nobody would turn: then all is known, and what is left of 20 steps is earned at an end.
  EXPECT_NEAR(down.current, 0, 1e-12);
  EXPECT_NEAR(down.cashed, 20 - 3 - 6, 1e-12);
  EXPECT_NEAR(down.value.lower, 11, 1e-7);
  EXPECT_NEAR(down.future(), down.cashed, 1e-7);
  EXPECT_EQ(down.tells_apart, (std::vector<std::vector<std::string>>{{"left"}, {"right"}}));
  EXPECT_EQ(down.guessed, 1);
  EXPECT_EQ(down.guessed_before, 0.5);
  EXPECT_EQ(e.actions.front().action, down.action);
  EXPECT_TRUE(test::contains(
      e.words, "expected to raise what can be collected from 0 to 11; it tells left from right"))
      << e.words;

  const Explanation after = explain(*maze, situation_after(*maze, "down; down; down sees right"), {});
  EXPECT_NEAR(after.actions.front().current, 11, 1e-12);
  EXPECT_TRUE(test::contains(after.words, "finding out more does not pay")) << after.words;
}

/// Environments that move differently: which of two ways leads to where it pays?
TEST(Explanations, GoOnWithTheBestPlanWhereMovesDiffer) {
  TableBuilder builder({"fork", "good", "bad"}, {"look", "left", "right"});
  builder.horizon(3).start(0);
  for (int e = 0; e < 2; ++e) {
    builder.environment(e == 0 ? "left" : "right", e == 0 ? 0.6 : 0.4);
    builder.outcome(0, 0, {{1, {0, 0, {e}}}}, e);
    builder.outcome(0, 1, {{1, {e == 0 ? 1 : 2, 0, {}}}}, e).outcome(0, 2, {{1, {e == 1 ? 1 : 2, 0, {}}}}, e);
  }
  builder.outcome(1, kArrive, {{1, {1, 1, {}}}});
  for (int x = 1; x < 3; ++x) {
    for (int a = 0; a < 3; ++a) builder.outcome(x, a, {{1, {x, 0, {}}}});
  }
  const auto problem = table_problem("fork", builder.build());
  const Explanation e = explain(*problem, prior_at(*problem, 0), {});
  const ActionWorth& look = worth_of(e, *problem, "look");
  EXPECT_NEAR(look.current, 0.6, 1e-12) << "then left, once";
  EXPECT_NEAR(look.cashed, 0.4, 1e-12) << "then wherever it pays";
  EXPECT_NEAR(worth_of(e, *problem, "left").value.lower, 1.2, 1e-7);
}

TEST(Explanations, SayHowSureANoisyCueIs) {
  const auto maze = make_problem("t_maze(distance=3,arm=3,discount=0.95,cue_accuracy=0.95)");
  const Explanation e = explain(*maze, situation_after(*maze, "down; down"), {});
  EXPECT_NEAR(worth_of(e, *maze, "down").guessed, 0.95, 1e-12);
  EXPECT_TRUE(test::contains(e.words, "a right guess 95 % of the time, 50 % without")) << e.words;
}

TEST(Explanations, OfUnknownRewards) {
  const auto bandit = make_problem("bandit(arms=2,horizon=10)");
  const std::string history = "arm 0 pays 1; arm 0 pays 0";
  const Explanation e = explain(*bandit, situation_after(*bandit, history), {});
  EXPECT_TRUE(e.exact);
  // Both arms have mean 1/2. A success of the fresh one raises its mean to 2/3 for the 7 pulls after it; a
  // failure changes nothing, for the other is still there.
  const ActionWorth& fresh = worth_of(e, *bandit, "arm 1");
  EXPECT_NEAR(fresh.current, 8 * 0.5, 1e-12);
  EXPECT_NEAR(fresh.cashed, 0.5 * 7 * (2.0 / 3 - 0.5), 1e-12);
  EXPECT_EQ(e.actions.front().action, fresh.action);
  EXPECT_TRUE(fresh.shows);
  // The same where it is too large to be solved: between using this look only and being told all.
  const Explanation bounds = explain(*bandit, situation_after(*bandit, history), {.max_states = 10});
  EXPECT_FALSE(bounds.exact);
  EXPECT_FALSE(bounds.certified);
  for (const ActionWorth& worth : bounds.actions) {
    const double exact = worth_of(e, *bandit, bandit->action_name(worth.action)).value.lower;
    EXPECT_LE(worth.value.lower, exact + 1e-12);
    EXPECT_GE(worth.value.upper, exact);
  }
}

TEST(Explanations, OfTies) {
  const auto bandit = make_problem("bandit(arms=3,horizon=2)");
  EXPECT_EQ(explain(*bandit, situation_after(*bandit, ""), {}).words.substr(0, 50),
            "'Arm 0', 'arm 1' and 'arm 2' are worth the same: e");
  const auto one = make_problem("bandit(arms=1,horizon=2)");
  EXPECT_EQ(explain(*one, situation_after(*one, ""), {}).words, "Only 'arm 0' can be done here.");
}

}  // namespace
}  // namespace assay
