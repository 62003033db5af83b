// The search among beliefs: bounds that hold at every moment, values that meet the exact ones, views.
#include "cashing/cashed_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "assay/solver/exact_solution.hpp"
#include "cashing/conjugate_model.hpp"
#include "cashing/expected_model.hpp"
#include "support/belief_models.hpp"

namespace assay::test {
namespace {

/// Float values below, exact ones above.
constexpr double kFloat = 1e-5;

ConjugateModel conjugate(const Problem& problem, std::size_t environments) {
  return {*problem.prior(), {.environments = environments, .listed = 4096, .discount = problem.discount()}};
}

std::vector<std::unique_ptr<Problem>> tiny_problems() {
  std::vector<std::unique_ptr<Problem>> all;
  for (const char* spec :
       {"bandit(arms=2,horizon=4)", "bandit(arms=3,horizon=3,prior_a=0.5,prior_b=2,discount=0.9)",
        "treasure_map(size=2,looks=1,horizon=3)",
        "treasure_map(size=2,looks=2,horizon=2,order=move_then_collect,prior_a=0.5)",
        "treasure_map(size=3,looks=0,horizon=3)"}) {
    all.push_back(make_problem(spec));
  }
  all.push_back(cell_problem("slippery", slippery_cells(4, 0.9)));
  return all;
}

double best_of(const std::vector<double>& values) { return *std::ranges::max_element(values); }

/// What holds of the root at any moment.
void expect_brackets(const CashedSearch& search, const std::vector<double>& exact) {
  const double best = best_of(exact);
  const EstimatedBounds bounds = search.root_bounds();
  EXPECT_LE(bounds.lower.value, best + kFloat);
  EXPECT_GE(bounds.upper.value + 6 * bounds.upper.standard_error, best - kFloat);
  for (const ViewedAction& one : search.root_actions()) {
    EXPECT_LE(one.lower, exact[static_cast<std::size_t>(one.action)] + kFloat) << one.action;
    EXPECT_LE(one.lower, one.value + 1e-12);
    EXPECT_LE(one.value, one.upper + 1e-12);
  }
}

TEST(CashedSearch, BoundsHoldAtEveryMoment) {
  for (const auto& problem : tiny_problems()) {
    SCOPED_TRACE(problem->name());
    const auto exact = problem->exact({});
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      const Situation now = walked(*problem, seed, static_cast<int>(seed) % problem->horizon());
      const std::vector<double> right = exact->action_values(now.state(), now.belief(), now.remaining());
      for (const double between : {0.0, 0.3, 1.0}) {
        ConjugateModel model = conjugate(*problem, 40);
        CashedSearch search(model, {.between = between});
        search.begin(now, Rng(seed, 3));
        expect_brackets(search, right);
        double lower = search.root_bounds().lower.value;
        for (int i = 0; i < 40; ++i) {
          search.simulate();
          expect_brackets(search, right);
          EXPECT_GE(search.root_bounds().lower.value, lower) << "never worse";
          lower = search.root_bounds().lower.value;
        }
        EXPECT_EQ(search.simulations(), 40U);
      }
    }
  }
}

TEST(CashedSearch, MeetsTheExactValue) {
  for (const auto& problem : tiny_problems()) {
    SCOPED_TRACE(problem->name());
    const auto exact = problem->exact({});
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const Situation now = walked(*problem, seed, static_cast<int>(seed) % problem->horizon());
      const std::vector<double> right = exact->action_values(now.state(), now.belief(), now.remaining());
      ConjugateModel model = conjugate(*problem, 500);
      CashedSearch search(model, {.between = 0.3, .exploration = 1});
      search.begin(now, Rng(seed, 4));
      for (int i = 0; i < 3000; ++i) search.simulate();
      // All that is left is where full information adds nothing among 500 environments.
      EXPECT_NEAR(search.root_bounds().lower.value, best_of(right), 1e-3);
      for (const ViewedAction& one : search.root_actions()) {
        const double value = right[static_cast<std::size_t>(one.action)];
        if (value == best_of(right)) {
          EXPECT_NEAR(one.value, value, 1e-3);
        }
      }
    }
  }
}

TEST(CashedSearch, IsCertainOnlyOfTheBest) {
  int certain = 0;
  int not_at_once = 0;
  for (const auto& problem : tiny_problems()) {
    SCOPED_TRACE(problem->name());
    const auto exact = problem->exact({});
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      const Situation now = walked(*problem, seed, static_cast<int>(seed) % problem->horizon());
      const std::vector<double> right = exact->action_values(now.state(), now.belief(), now.remaining());
      ConjugateModel model = conjugate(*problem, 300);
      CashedSearch search(model, {});
      search.begin(now, Rng(seed, 5));
      not_at_once += search.certain() ? 0 : 1;
      for (int i = 0; i < 300 && !search.certain(); ++i) search.simulate();
      if (!search.certain()) continue;
      ++certain;
      EXPECT_TRUE(search.view(1, 0).certain);
      const std::vector<ViewedAction> all = search.root_actions();
      const auto best = std::ranges::max_element(all, {}, &ViewedAction::lower);
      for (const ViewedAction& one : all) EXPECT_TRUE(one.action == best->action || one.upper <= best->lower);
      EXPECT_NEAR(right[static_cast<std::size_t>(best->action)], best_of(right), 0.01);
    }
  }
  EXPECT_GE(certain, 10);
  EXPECT_GE(not_at_once, 10);
}

TEST(CashedSearch, ExpectedEnvironmentsAreNeverCertain) {
  const auto problem = make_problem("bbrl_chain(horizon=3)");
  ExpectedModel model(*problem->prior(), {.pool = {.environments = 10, .discount = 0.95}}, 3);
  CashedSearch search(model, {});
  for (int steps = 0; steps < 3; ++steps) {
    search.begin(walked(*problem, 1, steps), Rng(1));
    for (int i = 0; i < 50; ++i) search.simulate();
    EXPECT_FALSE(search.certain());
    EXPECT_FALSE(search.view(1, 1).certain);
    const EstimatedBounds bounds = search.root_bounds();
    const EstimatedBounds own = model.root_bounds(walked(*problem, 1, steps).state(), 3 - steps);
    EXPECT_EQ(bounds.lower.value, own.lower.value) << "the estimates of nodes do not count";
    EXPECT_EQ(bounds.upper.value, own.upper.value);
  }
}

TEST(CashedSearch, MeetsTheExactValueWhereMovesAreUnknown) {
  // Every node of three steps is expanded; then all that is left is the root's recursion over predictions.
  for (const char* spec :
       {"bbrl_chain(horizon=3)", "chain(states=3,horizon=3,planning_discount=1,truth=prior)",
        // The plan for the expected environment promises more there than the full-information value.
        "bbrl_grid(size=2,horizon=3)"}) {
    SCOPED_TRACE(spec);
    const auto problem = make_problem(spec);
    const auto exact = problem->exact({});
    ExpectedModel model(*problem->prior(), {.pool = {.environments = 200, .discount = problem->discount()}},
                        3);
    CashedSearch search(model, {});
    for (int steps = 0; steps < 3; ++steps) {
      const Situation now = walked(*problem, 2, steps);
      search.begin(now, Rng(2));
      for (int i = 0; i < 1500; ++i) search.simulate();
      const std::vector<double> right = exact->action_values(now.state(), now.belief(), now.remaining());
      double best = -std::numeric_limits<double>::infinity();
      for (const ViewedAction& one : search.root_actions()) best = std::max(best, one.value);
      EXPECT_NEAR(best, best_of(right), 2e-3 * std::abs(best_of(right)));
    }
  }
}

/// Checks what a view says of itself; returns how many successors it has.
std::size_t check_view(const std::vector<ViewedAction>& actions, int levels, std::size_t successors,
                       bool complete) {
  std::size_t count = 0;
  for (const ViewedAction& one : actions) {
    EXPECT_LE(one.successors.size(), successors);
    double sum = 0;
    double last = 2;
    for (const ViewedSuccessor& to : one.successors) {
      EXPECT_LE(to.probability, last) << "the most likely first";
      last = to.probability;
      sum += to.probability;
      EXPECT_EQ(to.state, to.acted.next);
      if (levels == 1) {
        EXPECT_TRUE(to.actions.empty());
      }
      count += 1 + check_view(to.actions, levels - 1, successors, complete);
    }
    if (one.more_successors == 0 && !one.successors.empty()) {
      EXPECT_NEAR(sum, 1, 1e-9);
    }
    if (one.more_successors > 0) {
      EXPECT_LT(sum, 1);
    }
    if (one.more_successors > 0) {
      EXPECT_EQ(one.successors.size(), successors);
    }
    EXPECT_TRUE(one.lower <= one.value + 1e-12 && one.value <= one.upper + 1e-12);
  }
  return count;
}

TEST(CashedSearch, ViewsAreAsDeepAndAsWideAsAsked) {
  const auto problem = make_problem("treasure_map(size=2,looks=1,horizon=5)");
  ConjugateModel model = conjugate(*problem, 50);
  CashedSearch search(model, {});
  const Situation now = walked(*problem, 1, 1);
  search.begin(now, Rng(1));
  for (int i = 0; i < 200; ++i) search.simulate();
  EXPECT_TRUE(search.view(0, 5).actions.empty());
  std::size_t last = 0;
  for (const auto& [levels, most] : {std::pair(1, 0), std::pair(1, 2), std::pair(2, 2), std::pair(2, 100)}) {
    const SearchView view = search.view(levels, static_cast<std::size_t>(most));
    EXPECT_EQ(view.simulations, 200U);
    EXPECT_EQ(view.lower, search.root_bounds().lower.value);
    EXPECT_EQ(view.upper, search.root_bounds().upper.value);
    EXPECT_EQ(view.upper_error, search.root_bounds().upper.standard_error);
    std::uint64_t visits = 0;
    for (const ViewedAction& one : view.actions) visits += one.visits;
    EXPECT_EQ(visits, 200U);
    const std::size_t count = check_view(view.actions, levels, static_cast<std::size_t>(most), false);
    EXPECT_GE(count, last);
    last = count;
  }
  EXPECT_GT(last, 40U);
  const SearchView narrow = search.view(1, 2);
  const SearchView wide = search.view(1, 1000);
  for (std::size_t a = 0; a < wide.actions.size(); ++a) {
    EXPECT_EQ(wide.actions[a].more_successors, 0U);
    EXPECT_EQ(narrow.actions[a].more_successors + narrow.actions[a].successors.size(),
              wide.actions[a].successors.size());
  }
}

TEST(CashedSearch, AValueIsThatOfItsSuccessors) {
  const auto problem = make_problem("bandit(arms=2,horizon=5,discount=0.9)");
  ConjugateModel model = conjugate(*problem, 50);
  CashedSearch search(model, {});
  const Situation now = walked(*problem, 3, 0);
  search.begin(now, Rng(1));
  for (int i = 0; i < 500; ++i) search.simulate();
  const Belief& known = now.belief();
  int checked = 0;
  for (const ViewedAction& one : search.view(2, 1000).actions) {
    double lower = known.expected_reward(now.state(), one.action) - known.expected_arrival(now.state());
    double value = lower;
    bool all = true;
    for (const ViewedSuccessor& to : one.successors) {
      all = all && !to.actions.empty();
      double least = -std::numeric_limits<double>::infinity();
      double best = least;
      for (const ViewedAction& then : to.actions) {
        least = std::max(least, then.lower);
        best = std::max(best, then.value);
      }
      lower += 0.9 * to.probability * (to.arrived.reward + least);
      value += 0.9 * to.probability * (to.arrived.reward + best);
    }
    if (!all) continue;
    ++checked;
    // A node that was known better before it was looked into keeps what was known.
    EXPECT_GE(one.lower, lower - kFloat);
    EXPECT_NEAR(one.value, value, 0.02);
  }
  EXPECT_GT(checked, 0);
}

/// The Bayes-optimal value of an agent that has arrived, by recursion over everything that can happen.
double brute_force(const Belief& known, int state, int remaining, double discount) {
  double best = -std::numeric_limits<double>::infinity();
  for (int a = 0; a < known.actions(); ++a) {
    if (!known.allowed(state, a)) continue;
    double value = 0;
    for (const Belief::Prediction& acted : known.predict(state, a)) {
      value += acted.probability * acted.outcome.reward;
      if (remaining == 1) continue;
      const auto then = known.clone();
      then->observe(state, a, acted.outcome);
      const int next = acted.outcome.next;
      for (const Belief::Prediction& arrived : then->predict(next, kArrive)) {
        const auto there = then->clone();
        there->observe(next, kArrive, arrived.outcome);
        value += acted.probability * arrived.probability * discount *
                 (arrived.outcome.reward + brute_force(*there, next, remaining - 1, discount));
      }
    }
    best = std::max(best, value);
  }
  return best;
}

std::vector<double> values_with(const Problem& problem, const Situation& now,
                                const CashedSearchSettings& settings, int simulations) {
  ConjugateModel model = conjugate(problem, 50);
  CashedSearch search(model, settings);
  search.begin(now, Rng(1));
  for (int i = 0; i < simulations; ++i) search.simulate();
  std::vector<double> all;
  for (const ViewedAction& one : search.root_actions()) all.push_back(one.value);
  return all;
}

TEST(CashedSearch, WhoKnowsTheValuesOfBeliefsNeedNotSimulate) {
  for (const char* spec :
       {"bandit(arms=2,horizon=4,discount=0.9)", "treasure_map(size=2,looks=1,horizon=3)"}) {
    SCOPED_TRACE(spec);
    const auto problem = make_problem(spec);
    std::set<int> asked;
    std::set<std::uint64_t> seeds;
    const auto learned = [&](const Belief& known, int state, int remaining, std::uint64_t seed) {
      asked.insert(remaining);
      seeds.insert(seed);
      return brute_force(known, state, remaining, problem->discount());
    };
    const Situation now = walked(*problem, 1, 0);
    const std::vector<double> right =
        problem->exact({})->action_values(now.state(), now.belief(), now.remaining());
    const std::vector<double> values = values_with(*problem, now, {.between = 0.9, .learned = learned}, 0);
    std::size_t at = 0;
    for (int a = 0; a < problem->actions(); ++a) {
      if (!now.allowed(a)) continue;
      EXPECT_NEAR(values.at(at++), right[static_cast<std::size_t>(a)], kFloat);
    }
    EXPECT_EQ(asked, (std::set<int>{problem->horizon() - 1, problem->horizon()})) << "the root and its ends";
    EXPECT_EQ(seeds.size(), 1U) << "values of one decision are compared with each other";
    ConjugateModel model = conjugate(*problem, 5);
    CashedSearch search(model, {.learned = learned});
    for (std::uint64_t decision = 0; decision < 4; ++decision) search.begin(now, Rng(decision, 9));
    EXPECT_EQ(seeds.size(), 5U) << "another decision draws anew";
  }
}

TEST(CashedSearch, NoLearnedValueIsBelowWhatCanBeCollectedAnyway) {
  const auto problem = make_problem("treasure_map(size=2,looks=1,horizon=5)");
  const Situation now = walked(*problem, 1, 1);
  const auto constant = [](double v) { return [=](const Belief&, int, int, std::uint64_t) { return v; }; };
  EXPECT_EQ(values_with(*problem, now, {.learned = constant(-1000)}, 30),
            values_with(*problem, now, {.between = 0}, 30));
  EXPECT_NE(values_with(*problem, now, {.learned = constant(3)}, 0),
            values_with(*problem, now, {.between = 0}, 0));
}

}  // namespace
}  // namespace assay::test
