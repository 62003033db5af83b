// thompson, bayes_greedy and beb: what they plan for, and when.
#include "methods/planner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "assay/families/builders.hpp"
#include "assay/problem/detail/problem_of.hpp"
#include "assay/problem/registry.hpp"
#include "assay/solver/detail/mdp.hpp"
#include "cashing/places.hpp"
#include "solver/stationary.hpp"
#include "support/random_family.hpp"

namespace assay::test {
namespace {

/// The actions of an episode.
std::vector<int> played_by(Policy& policy, const Problem& problem, std::uint64_t seed) {
  std::vector<int> actions;
  const auto note = [&](const Situation&, const StepRecord& step) { actions.push_back(step.action); };
  play_episode(problem, policy, Rng(seed), {.acted = note});
  return actions;
}

std::vector<int> played_by(const std::string& method, const Problem& problem, std::uint64_t seed) {
  return played_by(*make_method(method)->solve(problem, {.rng = Rng(1), .resources = 1}).policy, problem,
                   seed);
}

/// Of four environments each has an action of its own that pays there; whatever is done, nothing is seen
/// before the episode is over.
std::unique_ptr<Problem> blind_guess(int horizon) {
  TableBuilder builder({"here", "end"}, {"a", "b", "c", "d"});
  builder.horizon(horizon).start(0);
  for (int e = 0; e < 4; ++e) builder.environment("e" + std::to_string(e));
  // Two outcomes in every environment, so that none is ruled out; a reward would be seen, so that the same is
  // paid everywhere and only how often it is differs by a hair.
  for (int a = 0; a < 4; ++a) {
    for (int e = 0; e < 4; ++e) {
      const double p = a == e ? 0.5001 : 0.5;
      builder.outcome(0, a, {{p, {0, 1, {}}}, {1 - p, {0, 0, {}}}}, e);
    }
    builder.outcome(1, a, {{1, {1, 0, {}}}});
  }
  return table_problem("blind", std::move(builder).build());
}

TEST(Thompson, FollowsAPlanForItsPeriod) {
  const auto problem = blind_guess(24);
  for (const int period : {0, 1, 3, 8}) {
    const std::string method = "thompson(period=" + std::to_string(period) + ")";
    const auto policy = make_method(method)->solve(*problem, {.rng = Rng(1), .resources = 1}).policy;
    std::set<int> firsts;
    bool changes = false;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const std::vector<int> actions = played_by(*policy, *problem, seed);
      EXPECT_EQ(played_by(*policy->clone(), *problem, seed), actions);
      firsts.insert(actions.front());
      for (std::size_t i = 1; i < actions.size(); ++i) {
        const bool may_change = period > 0 && static_cast<int>(i) % period == 0;
        if (!may_change) {
          EXPECT_EQ(actions[i], actions[i - 1]) << method << " step " << i;
        }
        changes = changes || actions[i] != actions[i - 1];
      }
    }
    EXPECT_EQ(firsts.size(), 4U) << "every episode begins with another draw";
    EXPECT_EQ(changes, period > 0) << method;
  }
}

TEST(Thompson, IsOptimalWhereNothingIsUnknown) {
  TableBuilder builder({"a", "b", "c"}, {"left", "right"});
  builder.horizon(6).start(1).discount(0.9);
  builder.environment("only");
  for (int x = 0; x < 3; ++x) {
    builder.outcome(x, 0, {{0.8, {std::max(0, x - 1), x == 0 ? 1.0 : 0.0, {}}}, {0.2, {x, 0, {}}}});
    builder.outcome(x, 1, {{0.8, {std::min(2, x + 1), x == 2 ? 1.5 : 0.0, {}}}, {0.2, {x, 0, {}}}});
  }
  const auto problem = table_problem("known", std::move(builder).build());
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<int> best = played_by("exact", *problem, seed);
    EXPECT_EQ(played_by("thompson", *problem, seed), best);
    EXPECT_EQ(played_by("bayes_greedy", *problem, seed), best);
  }
}

TEST(BayesGreedy, IsViGreedyWhereMovesAreKnown) {
  for (const char* spec :
       {"treasure_map(size=4,horizon=15)", "treasure_map(size=3,order=move_then_collect,discount=0.9)",
        "bandit(arms=3)", "t_maze", "t_maze(cue_accuracy=0.8)"}) {
    const auto problem = make_problem(spec);
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      EXPECT_EQ(played_by("bayes_greedy", *problem, seed),
                played_by("vi_greedy(clock=remaining)", *problem, seed))
          << spec;
    }
  }
}

TEST(BayesGreedy, PlansForTheMixtureOfMoves) {
  // The gate of the left door is open in one environment, that of the right door in the other, more probable
  // one: behind it is 1. A sure way pays 0.6.
  const auto doors = [](double right) {
    TableBuilder builder({"start", "behind", "end"}, {"left", "right", "sure"});
    builder.horizon(2).start(0);
    builder.environment("left", 1 - right);
    builder.environment("right", right);
    for (int e = 0; e < 2; ++e) {
      for (int door = 0; door < 2; ++door) builder.outcome(0, door, {{1, {door == e ? 1 : 2, 0, {}}}}, e);
    }
    builder.outcome(0, 2, {{1, {2, 0.6, {}}}});
    for (int a = 0; a < 3; ++a) {
      builder.outcome(1, a, {{1, {2, 1, {}}}});
      builder.outcome(2, a, {{1, {2, 0, {}}}});
    }
    return table_problem("doors", std::move(builder).build());
  };
  EXPECT_EQ(played_by("bayes_greedy", *doors(0.65), 1).front(), 1);
  EXPECT_EQ(played_by("bayes_greedy", *doors(0.55), 1).front(), 2);
  EXPECT_EQ(played_by("bayes_greedy", *doors(0.3), 1).front(), 0);
  // A discount that makes what lies behind worth less.
  EXPECT_EQ(played_by("bayes_greedy(discount=0.9)", *doors(0.65), 1).front(), 2);
}

TEST(Beb, WithoutABonusIsBayesGreedy) {
  for (const char* spec : {"treasure_map(size=3)", "bandit(arms=4)", "t_maze(cue_accuracy=0.9)"}) {
    const auto problem = make_problem(spec);
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      EXPECT_EQ(played_by("beb(beta=0)", *problem, seed), played_by("bayes_greedy", *problem, seed)) << spec;
    }
  }
}

TEST(Beb, TriesWhatItHasNotDoneInThisEpisode) {
  const auto problem = make_problem("bandit(arms=6,horizon=12)");
  const auto policy = make_method("beb(beta=1000)")->solve(*problem, {.rng = Rng(1), .resources = 1}).policy;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const std::vector<int> actions = played_by(*policy, *problem, seed);
    // With 1000 / (1 + n) to be had, arms are taken in turn.
    EXPECT_EQ(std::set<int>(actions.begin(), actions.begin() + 6).size(), 6U);
    EXPECT_EQ(std::set<int>(actions.begin() + 6, actions.end()).size(), 6U);
  }
  // 9 pulls leave some arms done more often than others, which must not matter in the next episode.
  const auto uneven = make_problem("bandit(arms=6,horizon=9)");
  const auto used = make_method("beb(beta=1000)")->solve(*uneven, {.rng = Rng(1), .resources = 1}).policy;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    EXPECT_EQ(played_by(*used, *uneven, seed), played_by("beb(beta=1000)", *uneven, seed));
  }
}

using RandomOf = ProblemOf<support::RandomFamily, FiniteBelief<support::RandomFamily>>;

/// The value of doing what the plan says for ever, and the best there is.
void expect_near_best(const ClockedPlan& plan, const Mdp& mdp, const Problem& problem) {
  std::vector<int> actions;
  for (int x = 0; x < mdp.states; ++x) actions.push_back(plan.action(Situation(problem.prior(), x, 0)));
  const StationaryPlan ours = stationary_cross_value(mdp, actions, 1e-9);
  const StationaryPlan best = stationary_plan(mdp, 1e-9);
  for (std::size_t x = 0; x < best.value.size(); ++x) EXPECT_NEAR(ours.value[x], best.value[x], 2e-3);
}

TEST(ClockedPlan, WithoutAnEndIsOptimalHoweverItBegan) {
  // Rewards are of size 2, values below 40; a plan for values that are wrong by 40e-6 loses less than twice
  // 40e-6 / (1 - 0.95).
  constexpr int kFar = 1'000'000;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const support::RandomFamily family = support::RandomFamily(Rng(seed, 3)).with_horizon(kFar);
    const RandomOf problem("random", family);
    ClockedPlan cold(problem, PlanClock::kAffordable, 0.95);
    for (int e = 0; e < static_cast<int>(family.prior().size()); ++e) {
      Mdp mdp = tabulate(family, e);
      mdp.discount = 0.95;
      cold.solve(mdp, problem.beginning(Rng(seed)));
      expect_near_best(cold, mdp, problem);
    }
  }
}

TEST(ClockedPlan, ByTheClockIsTheOptimalPlan) {
  for (const PlanClock clock : {PlanClock::kAffordable, PlanClock::kRemaining}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const support::RandomFamily family = support::RandomFamily(Rng(seed, 4)).with_horizon(7);
      const RandomOf problem("random", family);
      Mdp mdp = tabulate(family, 0);
      mdp.discount = 0.9;
      ClockedPlan plan(problem, clock, 0.9);
      plan.solve(mdp, problem.beginning(Rng(seed)));
      const Plan best = optimal_plan(mdp, 7);
      for (int left = 1; left <= 7; ++left) {
        for (int x = 0; x < mdp.states; ++x) {
          EXPECT_EQ(plan.action(Situation(problem.prior(), x, 7 - left)),
                    best.action[static_cast<std::size_t>(left)][static_cast<std::size_t>(x)]);
        }
      }
    }
  }
}

/// A problem, something that was seen there, so that not all places are alike, and when.
struct Glimpse {
  const char* family;
  int state, action;
  Outcome seen;
  int step;
};

/// What an action is worth to the plan: of places, so many collections are still to come.
void expect_plan_of(const Glimpse& glimpse, PlanClock clock) {
  const auto problem = make_problem(glimpse.family);
  const auto belief = problem->prior();
  belief->observe(glimpse.state, glimpse.action, glimpse.seen);
  const Mdp mean = belief->mean();
  const Places places(*belief);
  std::vector<double> rewards;
  for (int p = 0; p < places.count(); ++p) rewards.push_back(places.expected_reward(*belief, p));
  EXPECT_NE(std::ranges::min(rewards), std::ranges::max(rewards));
  const bool arrival = places.kind() == Places::Kind::kArrival;
  const int left = problem->horizon() - glimpse.step;
  const int collections =
      clock == PlanClock::kStationary ? problem->horizon() : places.collections_left(left);
  const Plan reference = optimal_plan(mean, collections);
  for (int x = 0; x < problem->states(); ++x) {
    const Situation now(belief->clone(), x, glimpse.step);
    ClockedPlan plan(*problem, clock, problem->discount());
    plan.solve(mean, now);
    double most = -HUGE_VAL;
    for (const Places::Option& o : places.options(x)) {
      const std::vector<double>& next =
          reference.value[static_cast<std::size_t>(collections - (arrival ? 0 : 1))];
      // The reference is about to act in the next state, having collected there if arriving collects.
      double due = next[static_cast<std::size_t>(o.next)];
      if (!arrival) due = rewards[static_cast<std::size_t>(o.place)] + problem->discount() * due;
      EXPECT_NEAR(plan.value_after(now, o.action), due, 1e-12) << x;
      most = std::max(most, due);
    }
    EXPECT_NEAR(plan.value_after(now, plan.action(now)), most, 1e-12) << x;
  }
}

TEST(ClockedPlan, IsTheOptimalPlanOverThePlacesOfTheEnvironment) {
  constexpr int kStay = 4;
  for (const Glimpse& glimpse :
       {Glimpse{"t_maze(cue_accuracy=0.8)", 0, kArrive, {0, 0, {1}}, 15},
        Glimpse{"treasure_map(size=3)", 1, kArrive, {1, 1, {4}}, 3},
        Glimpse{"treasure_map(size=3,order=move_then_collect)", 1, kStay, {1, 1, {4}}, 3},
        Glimpse{"bandit(arms=3,horizon=6)", 0, 1, {0, 1, {}}, 2}}) {
    SCOPED_TRACE(glimpse.family);
    expect_plan_of(glimpse, PlanClock::kStationary);
    expect_plan_of(glimpse, PlanClock::kRemaining);
    expect_plan_of(glimpse, PlanClock::kAffordable);
  }
}

TEST(Planners, LongEpisodesWithoutADiscountAreNoTrouble) {
  const auto problem = make_problem("bandit(arms=2,horizon=1000000)");
  const Situation now = problem->beginning(Rng(1));
  for (const char* method : {"thompson", "bayes_greedy", "beb"}) {
    const auto policy = make_method(method)->solve(*problem, {.rng = Rng(1), .resources = 1}).policy;
    policy->begin(now);
    Rng rng(2);
    EXPECT_TRUE(now.allowed(policy->act(now, rng))) << method;
  }
}

}  // namespace
}  // namespace assay::test
