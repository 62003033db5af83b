// The policy that uses the searches of bamcp_test.cpp: its choices, budgets, views of several trees, and the
// method.
#include "solver/bamcp.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "assay/problem/registry.hpp"

namespace assay::test {
namespace {

std::unique_ptr<Bamcp> planner_for(const Problem& problem, int trees) {
  return std::make_unique<Bamcp>(*problem.prior(),
                                 BamcpSettings{.discount = problem.discount(), .trees = trees});
}

Situation arrived(const Problem& problem) {
  Episode episode = problem.episode(Rng(2));
  episode.arrive();
  return episode.situation();
}

std::uint64_t visits_of(const std::vector<ViewedAction>& actions) {
  std::uint64_t sum = 0;
  for (const ViewedAction& one : actions) sum += one.visits;
  return sum;
}

TEST(BamcpPolicy, TreesShareTheSimulations) {
  const auto problem = make_problem("bandit(arms=4)");
  const Situation now = arrived(*problem);
  const auto planner = planner_for(*problem, 3);
  for (const std::uint64_t simulations : {1U, 2U, 3U, 100U}) {
    planner->run(now, Rng(1), {.simulations = simulations});
    EXPECT_EQ(planner->simulations(), simulations);
    EXPECT_EQ(visits_of(planner->view(1, 0)), simulations);
    EXPECT_EQ(planner->steps(), 20 * simulations);
  }
}

TEST(BamcpPolicy, TreesAreIndependent) {
  // Two that are alike would double every count.
  const auto problem = make_problem("bandit(arms=4)");
  const Situation now = arrived(*problem);
  const auto planner = planner_for(*problem, 2);
  bool odd = false;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    planner->run(now, Rng(seed), {.simulations = 100});
    for (const ViewedAction& one : planner->view(1, 0)) odd = odd || one.visits % 2 == 1;
  }
  EXPECT_TRUE(odd);
}

TEST(BamcpPolicy, ViewsAreAsDeepAndAsWideAsAsked) {
  const auto problem = make_problem("treasure_map(size=3)");
  const Situation now = arrived(*problem);
  const auto planner = planner_for(*problem, 2);
  EXPECT_TRUE(planner->view(3, 3).empty()) << "nothing was searched";
  planner->run(now, Rng(1), {.simulations = 2000});
  for (const ViewedAction& one : planner->view(1, 5)) EXPECT_TRUE(one.successors.empty());
  bool wide = false;
  for (const ViewedAction& one : planner->view(2, 3)) {
    EXPECT_LE(one.successors.size(), 3U);
    wide = wide || one.successors.size() == 3;
    for (const ViewedSuccessor& to : one.successors) {
      EXPECT_EQ(visits_of(to.actions), to.visits);
      for (const ViewedAction& further : to.actions) EXPECT_TRUE(further.successors.empty());
    }
  }
  EXPECT_TRUE(wide);
}

TEST(BamcpPolicy, TakesTheBestMeanAndAnyOfEquals) {
  // Nothing is ever paid: all means are 0, and over 300 runs each of 3 actions is taken 100 times, with a
  // standard deviation of 8.2.
  const auto equal = make_problem("bandit(arms=3,horizon=4,prior_a=0.01,prior_b=10000)");
  const auto planner = planner_for(*equal, 1);
  std::vector<int> taken(3);
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    planner->run(arrived(*equal), Rng(seed), {.simulations = 10});
    for (const ViewedAction& one : planner->view(1, 0)) EXPECT_EQ(one.value, 0);
    EXPECT_EQ(planner->best_action(), planner->best_action());
    ++taken[static_cast<std::size_t>(planner->best_action())];
  }
  for (const int count : taken) EXPECT_NEAR(count, 100, 5 * 8.2);

  const auto problem = make_problem("bandit(arms=3,horizon=4)");
  const Situation now = arrived(*problem);
  const auto other = planner_for(*problem, 2);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    other->run(now, Rng(seed), {.simulations = 60});
    const std::vector<ViewedAction> all = other->view(1, 0);
    const auto best = static_cast<std::size_t>(other->best_action());
    for (const ViewedAction& one : all) EXPECT_LE(one.value, all[best].value);
  }
}

TEST(BamcpPolicy, TriesEqualBoundsInAnyOrder) {
  // All returns are 0, so that after each action was tried once all bounds are equal again: which of three is
  // tried second in the fourth simulation is chance.
  const auto equal = make_problem("bandit(arms=3,horizon=4,prior_a=0.01,prior_b=10000)");
  const auto planner = planner_for(*equal, 1);
  std::vector<int> again(3);
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    planner->run(arrived(*equal), Rng(seed), {.simulations = 4});
    const std::vector<ViewedAction> all = planner->view(1, 0);
    for (std::size_t a = 0; a < 3; ++a) again[a] += all[a].visits == 2 ? 1 : 0;
  }
  for (const int count : again) EXPECT_NEAR(count, 100, 5 * 8.2);
}

TEST(BamcpPolicy, EndsWhenItsTimeIsOver) {
  const auto problem = make_problem("bandit(arms=4)");
  const Situation now = arrived(*problem);
  for (const int threads : {1, 2}) {
    const auto planner = planner_for(*problem, 2);
    planner->run(now, Rng(1), {.simulations = 1, .seconds = 0.01}, threads);
    EXPECT_GE(planner->simulations(), 32U) << "time counts, not simulations";
  }
  const auto policy = make_method("bamcp(ms=2)")->solve(*problem, {.rng = Rng(1), .resources = 1}).policy;
  Rng rng(1);
  EXPECT_TRUE(now.allowed(policy->act(now, rng)));
}

std::string actions_of(Policy& policy, const Problem& problem, std::uint64_t seed) {
  std::string text;
  const auto note = [&](const Situation&, const StepRecord& step) {
    text += std::to_string(step.action) + " ";
  };
  play_episode(problem, policy, Rng(seed), {.acted = note});
  return text;
}

TEST(BamcpPolicy, BeginsEveryEpisodeAnew) {
  const auto problem = make_problem("treasure_map(size=3,horizon=10)");
  const auto policy = make_method("bamcp(simulations=60,epsilon=0.1)")
                          ->solve(*problem, {.rng = Rng(1), .resources = 2})
                          .policy;
  std::vector<std::string> first;
  for (std::uint64_t seed = 0; seed < 10; ++seed) first.push_back(actions_of(*policy, *problem, seed));
  const auto copy = policy->clone();
  for (std::uint64_t seed = 10; seed-- > 0;) {
    EXPECT_EQ(actions_of(*policy, *problem, seed), first[seed]) << "after other episodes";
    EXPECT_EQ(actions_of(*copy, *problem, seed), first[seed]) << "a copy";
  }
}

TEST(BamcpPolicy, LearnsFromStepsThatWereTakenAlone) {
  const auto problem = make_problem("treasure_map(size=3)");
  const Situation now = arrived(*problem);
  const auto planner = planner_for(*problem, 1);
  const auto root_visits = [&] {
    planner->run(now, Rng(9), {.simulations = 40});
    std::vector<std::uint64_t> visits;
    for (const ViewedAction& one : planner->view(1, 0)) visits.push_back(one.visits);
    return visits;
  };
  const auto before = root_visits();
  for (std::uint64_t run = 0; run < 10; ++run) planner->run(now, Rng(run), {.simulations = 100});
  EXPECT_EQ(root_visits(), before) << "simulations teach nothing that lasts";
  for (int state = 0; state < problem->states(); ++state) {
    planner->learn({.state = state, .action = 0, .reward = 0, .arrival = 1}, state);
  }
  EXPECT_NE(root_visits(), before) << "the same random numbers lead elsewhere";
  planner->forget();
  EXPECT_EQ(root_visits(), before);
}

TEST(BamcpPolicy, TheMethodLearnsFromItsOwnSteps) {
  // With a rate of 0 nothing is learned, and some episode goes another way.
  const auto problem = make_problem("treasure_map(size=3,horizon=10)");
  const auto learning = make_method("bamcp(simulations=30,epsilon=0,rate=1)")
                            ->solve(*problem, {.rng = Rng(1), .resources = 1})
                            .policy;
  const auto not_learning = make_method("bamcp(simulations=30,epsilon=0,rate=0)")
                                ->solve(*problem, {.rng = Rng(1), .resources = 1})
                                .policy;
  bool other = false;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    other = other || actions_of(*learning, *problem, seed) != actions_of(*not_learning, *problem, seed);
  }
  EXPECT_TRUE(other);
}

TEST(BamcpPolicy, SearchesWithTheDiscountThatIsGiven) {
  // A problem's planning discount stands for 0.
  const auto problem = make_problem("bandit(arms=3,horizon=20,discount=0.5)");
  const auto own =
      make_method("bamcp(simulations=30)")->solve(*problem, {.rng = Rng(1), .resources = 1}).policy;
  const auto same = make_method("bamcp(simulations=30,discount=0.5)")
                        ->solve(*problem, {.rng = Rng(1), .resources = 1})
                        .policy;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(actions_of(*own, *problem, seed), actions_of(*same, *problem, seed));
  }
}

}  // namespace
}  // namespace assay::test
