// The method pcr_search: budgets, trees, episodes, what it says of its search, its guide.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "assay/families/builders.hpp"
#include "assay/lab/evaluation.hpp"
#include "assay/solver/exact_solution.hpp"
#include "support/belief_models.hpp"
#include "support/random_problem.hpp"

namespace assay::test {
namespace {

std::unique_ptr<Policy> searcher(const Problem& problem, const std::string& settings, int threads = 1) {
  return make_method("pcr_search" + settings)->solve(problem, {.rng = Rng(1), .resources = threads}).policy;
}

std::string played(Policy& policy, const Problem& problem, std::uint64_t seed) {
  std::string text;
  const auto note = [&](const Situation&, const StepRecord& step) {
    text += std::to_string(step.action) + " ";
  };
  play_episode(problem, policy, Rng(seed), {.acted = note});
  return text;
}

/// One decision in this situation.
SearchView decided(Policy& policy, const Situation& now, std::uint64_t seed, int levels = 1) {
  Rng rng(seed);
  policy.begin(now);
  EXPECT_TRUE(now.allowed(policy.act(now, rng)));
  return policy.searched(levels, 3);
}

std::vector<std::unique_ptr<Problem>> problems_of_all_kinds() {
  std::vector<std::unique_ptr<Problem>> all;
  for (const char* spec : {"treasure_map(size=3,horizon=8)", "bandit(arms=4,horizon=8)",
                           "bbrl_chain(horizon=10)", "bbrl_double_loop(horizon=250,prior=full)",
                           "chain(states=4,rewards=normal,horizon=6)", "grid_world(size=3)", "t_maze"}) {
    all.push_back(make_problem(spec));
  }
  all.push_back(cell_problem(
      "normal",
      written_bandit(
          {normal_reward("x", 1, 2, 0.5), normal_reward("y", 1, 1, 0), bernoulli_reward("z", 1, 1, 2)}, 6)));
  all.push_back(cell_problem("slippery", slippery_cells(8, 0.9)));
  return all;
}

/// The first steps of an episode that a policy plays, arrived at each: what it says of them.
std::vector<std::string> first_steps(Policy& policy, const Problem& problem, std::uint64_t seed, int steps) {
  std::vector<std::string> all;
  Episode episode = problem.episode(Rng(seed));
  policy.begin(episode.situation());
  Rng rng(seed, 7);
  for (int i = 0; i < steps; ++i) {
    episode.arrive();
    const int action = policy.act(episode.situation(), rng);
    const SearchView view = policy.searched(1, 0);
    std::string text = std::to_string(action) + ": " + std::to_string(view.simulations);
    for (const ViewedAction& one : view.actions) text += " " + std::to_string(one.value);
    all.push_back(text);
    episode.act(action);
  }
  return all;
}

TEST(PcrSearch, ActsAlikeForAnyThreadsAndAfterOtherEpisodes) {
  for (const auto& problem : problems_of_all_kinds()) {
    SCOPED_TRACE(problem->name());
    const std::string settings = "(simulations=20,environments=12,trees=3)";
    const int steps = std::min(6, problem->horizon());
    const auto used = searcher(*problem, settings, 2);
    std::vector<std::vector<std::string>> first;
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      first.push_back(first_steps(*used, *problem, seed, steps));
      EXPECT_EQ(first_steps(*searcher(*problem, settings, 1), *problem, seed, steps), first[seed]);
    }
    const auto copy = used->clone();
    for (std::uint64_t seed = 3; seed-- > 0;) {
      EXPECT_EQ(first_steps(*used, *problem, seed, steps), first[seed]) << "after other episodes";
      EXPECT_EQ(first_steps(*copy, *problem, seed, steps), first[seed]) << "a copy";
    }
  }
}

TEST(PcrSearch, CertifiedSearchesBeginAnewWithEveryEpisode) {
  // One trial leaves a gap, which an older search would have closed further.
  int open = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    const auto problem = table_problem("random", support::random_problem(Rng(seed, 32), {.horizon = 6}));
    const auto gap = [&](Policy& policy) {
      const SearchView view = decided(policy, walked(*problem, 2, 0), 1);
      return view.upper - view.lower;
    };
    const auto used = searcher(*problem, "(simulations=1)");
    const double first = gap(*used);
    open += first > 1e-6 ? 1 : 0;
    for (std::uint64_t other = 0; other < 5; ++other) {
      first_steps(*used, *problem, other, problem->horizon());
    }
    EXPECT_EQ(gap(*used), first);
    EXPECT_EQ(gap(*used->clone()), first);
  }
  EXPECT_GE(open, 3);
}

TEST(PcrSearch, AsksOfAnyMomentAreAnsweredAlike) {
  // Who is asked about the middle of an episode need not have played its beginning.
  for (const auto& problem : problems_of_all_kinds()) {
    SCOPED_TRACE(problem->name());
    const std::string settings = "(simulations=10,environments=12)";
    const auto used = searcher(*problem, settings);
    first_steps(*used, *problem, 1, 2);
    const Situation now = walked(*problem, 3, problem->horizon() - 3);
    const auto fresh = searcher(*problem, settings);
    const SearchView one = decided(*used, now, 4);
    const SearchView two = decided(*fresh, now, 4);
    ASSERT_EQ(one.actions.size(), two.actions.size());
    for (std::size_t a = 0; a < one.actions.size(); ++a) {
      EXPECT_EQ(one.actions[a].value, two.actions[a].value);
      EXPECT_EQ(one.actions[a].upper, two.actions[a].upper);
    }
  }
}

TEST(PcrSearch, GoesOnWhereActionsAreEquallyGood) {
  // In a cell that it was never in, all actions are equally unknown.
  for (const char* horizon : {"1000", "8"}) {  // solved without an end, and step by step
    SCOPED_TRACE(horizon);
    const auto problem = make_problem("grid_world(size=6,slip=0,horizon=" + std::string(horizon) + ")");
    const auto policy = searcher(*problem, "(simulations=2,environments=4)");
    Episode episode = problem->episode(Rng(1));
    const Situation& now = episode.situation();
    policy->begin(now);
    Rng rng(1);
    std::set<int> visited;
    int last = -1;
    for (int step = 0; step < 8; ++step) {
      episode.arrive();
      const int action = policy->act(now, rng);
      if (visited.insert(now.state()).second && last >= 0) {
        EXPECT_EQ(action, last);
      }
      last = action;
      episode.act(action);
    }
    EXPECT_GE(visited.size(), 6) << "a whole side of the grid";
  }
}

TEST(PcrSearch, TakesABetterActionThanTheLast) {
  // Of two arms the one that lost is left, however often it was the last.
  const auto problem = make_problem("bandit(arms=2,horizon=12)");
  const auto policy = searcher(*problem, "(simulations=30)");
  int left = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Episode episode = problem->episode(Rng(seed));
    policy->begin(episode.situation());
    Rng rng(seed);
    for (int last = -1; !episode.done();) {
      episode.arrive();
      const int action = policy->act(episode.situation(), rng);
      const SearchView view = policy->searched(1, 0);
      EXPECT_EQ(view.actions[static_cast<std::size_t>(action)].value,
                std::ranges::max(view.actions, {}, &ViewedAction::value).value);
      left += last >= 0 && action != last ? 1 : 0;
      last = action;
      episode.act(action);
    }
  }
  EXPECT_GE(left, 10);
}

TEST(PcrSearch, DependsOnItsRandomNumbers) {
  const auto problem = make_problem("treasure_map(size=3,horizon=8)");
  const Situation now = walked(*problem, 1, 0);
  const auto policy = searcher(*problem, "(simulations=20)");
  const auto value = [&](std::uint64_t seed) { return decided(*policy, now, seed).actions[0].value; };
  EXPECT_EQ(value(1), value(1));
  EXPECT_NE(value(1), value(2));
}

TEST(PcrSearch, CountsItsSimulations) {
  const auto problem = make_problem("bbrl_chain(horizon=30)");
  const Situation now = walked(*problem, 1, 0);
  for (const int trees : {1, 2, 3}) {
    for (const int simulations : {1, 2, 7, 30}) {
      const auto policy = searcher(*problem, "(environments=6,simulations=" + std::to_string(simulations) +
                                                 ",trees=" + std::to_string(trees) + ")");
      const SearchView view = decided(*policy, now, 1);
      EXPECT_EQ(view.simulations, static_cast<std::uint64_t>(simulations));  // the trees share them out
      std::uint64_t visits = 0;
      for (const ViewedAction& one : view.actions) visits += one.visits;
      EXPECT_EQ(visits, view.simulations);
      EXPECT_FALSE(view.timed);
      EXPECT_TRUE(policy->searched(0, 0).actions.empty());
    }
  }
}

TEST(PcrSearch, TreesAreIndependentAndAveraged) {
  // The mean over trees varies less than one tree with as many environments does: by the square root of their
  // number, and by chance by less than half of that in 40 runs.
  const auto problem = make_problem("treasure_map(size=3,looks=1,horizon=6)");
  const Situation now = walked(*problem, 1, 0);
  const auto spread = [&](const std::string& settings) {
    const auto policy = searcher(*problem, settings);
    std::vector<double> upper;
    std::vector<double> value;
    double error = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const SearchView view = decided(*policy, now, seed);
      upper.push_back(view.upper);
      value.push_back(view.actions[1].value);
      error += view.upper_error / 40;
      EXPECT_LE(view.lower, view.upper + 5 * view.upper_error);
      EXPECT_LT(view.actions[1].value, view.upper + 5 * view.upper_error + 1) << "a mean, not a sum";
    }
    EXPECT_NEAR(mean_and_deviation(upper).deviation, error, 0.5 * error) << "as unsure as it says";
    return std::pair(mean_and_deviation(value), mean_and_deviation(upper));
  };
  const auto [one, one_upper] = spread("(simulations=4,environments=8,trees=1)");
  const auto [four, four_upper] = spread("(simulations=16,environments=32,trees=4)");
  EXPECT_NEAR(four.mean, one.mean, 6 * std::hypot(one.error, four.error));
  EXPECT_NEAR(four_upper.mean, one_upper.mean, 6 * std::hypot(one_upper.error, four_upper.error));
  EXPECT_NEAR(one_upper.deviation / four_upper.deviation, 2, 1);
}

TEST(PcrSearch, EndsWhenItsTimeIsOver) {
  for (const char* spec : {"treasure_map(size=3)", "bbrl_chain", "t_maze"}) {
    SCOPED_TRACE(spec);
    const auto problem = make_problem(spec);
    const Situation now = walked(*problem, 1, 0);
    for (const int threads : {1, 2}) {
      const auto policy = searcher(*problem, "(ms=20,simulations=1,environments=4)", threads);
      EXPECT_TRUE(decided(*policy, now, 1).timed);
    }
  }
}

TEST(PcrSearch, TreesShareTheTime) {
  // Ends are shown of the first tree, visits are those of both: one that had all the time would be all that
  // is done.
  const auto problem = make_problem("bbrl_chain");
  const Situation now = walked(*problem, 1, 0);
  const auto policy = searcher(*problem, "(ms=400,trees=2,environments=4)");
  Rng rng(1);
  EXPECT_TRUE(now.allowed(policy->act(now, rng)));
  const SearchView view = policy->searched(1, 1000);
  std::uint64_t of_first = 0;
  for (const ViewedAction& one : view.actions) {
    for (const ViewedSuccessor& to : one.successors) of_first += to.visits;
  }
  EXPECT_GT(of_first, 0);
  EXPECT_LT(of_first, view.simulations);
}

void expect_certified(const Problem& problem, std::uint64_t seed) {
  const auto exact = problem.exact({});
  for (const char* settings : {"(simulations=1)", "(simulations=10)", "(simulations=100000)"}) {
    const auto policy = searcher(problem, settings);
    for (int steps = 0; steps < problem.horizon(); ++steps) {
      const Situation now = walked(problem, seed, steps);
      const std::vector<double> right = exact->action_values(now.state(), now.belief(), now.remaining());
      const double best = *std::ranges::max_element(right);
      Rng rng(1);
      policy->begin(now);
      const int action = policy->act(now, rng);
      const SearchView view = policy->searched(1, 1);
      EXPECT_LE(view.lower, best + 1e-9);
      EXPECT_GE(view.upper, best - 1e-9);
      EXPECT_EQ(view.upper_error, 0);
      for (const ViewedAction& one : view.actions) {
        EXPECT_LE(one.lower, right[static_cast<std::size_t>(one.action)] + 1e-9);
        EXPECT_GE(one.upper, right[static_cast<std::size_t>(one.action)] - 1e-9);
      }
      if (view.certain || view.upper - view.lower < 1e-9) {
        EXPECT_NEAR(right[static_cast<std::size_t>(action)], best, 1e-8);
      }
      if (std::string(settings) == "(simulations=100000)") {
        EXPECT_NEAR(view.lower, best, 1e-6);
        EXPECT_NEAR(view.upper, best, 1e-6);
      }
    }
  }
}

TEST(PcrSearch, FinitelyManyEnvironmentsHaveCertifiedBounds) {
  expect_certified(*make_problem("t_maze"), 1);
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(seed);
    expect_certified(*table_problem("random", support::random_problem(Rng(seed, 31), {})), seed);
  }
}

TEST(PcrSearch, PlaysEveryFamily) {
  for (const Entry<Problem>& family : families().entries()) {
    for (const std::string& spec : family.small) {
      SCOPED_TRACE(spec);
      const auto problem = make_problem(spec);
      const auto method = make_method("pcr_search(simulations=12,environments=8)");
      EXPECT_EQ(method->objection(*problem), "");
      EXPECT_EQ(method->learner(*problem, Rng(1), 1), nullptr);
      EXPECT_FALSE(played(*method->policy(*problem, "", 1), *problem, 3).empty());
    }
  }
  for (const auto& problem : problems_of_all_kinds()) {
    SCOPED_TRACE(problem->name());
    const auto policy = searcher(*problem, "(simulations=8,environments=8)");
    const Situation now = walked(*problem, 2, 1);
    const SearchView view = decided(*policy, now, 1, 2);
    EXPECT_TRUE(std::isfinite(view.lower) && std::isfinite(view.upper));
    for (const ViewedAction& one : view.actions) EXPECT_TRUE(std::isfinite(one.value));
  }
}

TEST(PcrSearch, SearchesWithTheDiscountThatIsGiven) {
  const auto problem = make_problem("chain(states=4)");
  const Situation now = walked(*problem, 1, 1);
  const auto value = [&](const std::string& settings) {
    return decided(*searcher(*problem, settings), now, 1).actions[0].value;
  };
  EXPECT_EQ(value("(simulations=5)"), value("(simulations=5,discount=0.95)")) << "the planners' own";
  EXPECT_GT(value("(simulations=5)"), 2 * value("(simulations=5,discount=0.8)"));
}

TEST(PcrSearch, IsGuidedByWhatPcrLearns) {
  const auto guided = make_method("pcr_search(simulations=10,environments=8,guide=pcr,guide_epochs=3)");
  const auto plain = make_method("pcr");
  for (const char* spec : {"bbrl_chain(horizon=3)", "chain(states=3,horizon=3)", "t_maze"}) {
    const auto problem = make_problem(spec);
    EXPECT_EQ(guided->objection(*problem), plain->objection(*problem)) << spec;
  }
  for (const char* spec :
       {"bbrl_chain(horizon=3)", "treasure_map(size=2,horizon=5)", "bandit(arms=3,horizon=5)", "t_maze"}) {
    SCOPED_TRACE(spec);
    const auto problem = make_problem(spec);
    const auto learner = guided->learner(*problem, Rng(4), 1);
    ASSERT_NE(learner, nullptr);
    EXPECT_EQ(learner->epochs(), 3);
    while (learner->done() < learner->epochs()) learner->advance();
    const std::string state = learner->policy_state();
    const auto policy = guided->policy(*problem, state, 1);
    const auto other = guided->policy(*problem, state, 2);
    EXPECT_EQ(played(*policy, *problem, 1), played(*other->clone(), *problem, 1));
    EXPECT_THROW((void)guided->policy(*problem, "nothing learned", 1), Error);
    const auto unguided = searcher(*problem, "(simulations=10,environments=8)");
    const Situation now = walked(*problem, 1, 1);
    const SearchView one = decided(*policy, now, 2);
    const SearchView two = decided(*unguided, now, 2);
    bool differ = false;
    for (std::size_t a = 0; a < one.actions.size(); ++a) {
      differ = differ || one.actions[a].value != two.actions[a].value;
    }
    EXPECT_TRUE(differ || one.certain);
  }
}

}  // namespace
}  // namespace assay::test
