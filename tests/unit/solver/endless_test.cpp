// Endless problems: their cuts, and bounds that hold without an end.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "assay/advice/solution.hpp"
#include "assay/core/error.hpp"
#include "assay/problem/registry.hpp"
#include "assay/solver/exact_solution.hpp"
#include "files/problem_file.hpp"
#include "solver/bound_search.hpp"
#include "support/complaint.hpp"
#include "support/expectimax.hpp"
#include "support/random_problem.hpp"

namespace assay {
namespace {

using BruteBeliefs = oracle::FiniteExpectimax<TableFamily>;

/// The same problem with another end and another discount.
TableFamily with_end(const TableFamily& family, int horizon, double discount,
                     double tolerance = kCutTolerance) {
  std::vector<std::string> states, actions;
  for (int x = 0; x < family.states(); ++x) states.push_back(family.state_name(x));
  for (int a = 0; a < family.actions(); ++a) actions.push_back(family.action_name(a));
  TableBuilder builder(states, actions);
  builder.horizon(horizon).discount(discount).tolerance(tolerance);
  for (const Start& start : family.starts()) builder.start(start.state, start.probability);
  for (std::size_t e = 0; e < family.prior().size(); ++e) {
    builder.environment(family.environment_name(static_cast<int>(e)), family.prior()[e]);
    for (int x = 0; x < family.states(); ++x) {
      for (int a = kArrive; a < family.actions(); ++a) {
        const auto row = family.row(x, a, static_cast<int>(e));
        if (!row.empty()) builder.outcome(x, a, {row.begin(), row.end()}, static_cast<int>(e));
      }
    }
  }
  return builder.build();
}

/// Dynamic programming over beliefs with a number of steps to go, with nothing after the last one. It shares
/// only Bayes' rule of the brute force with other code.
class BeliefProgramme {
 public:
  explicit BeliefProgramme(const TableFamily& family) : family_(family), rule_(family) {}

  double value(int steps) {
    double sum = 0;
    for (const Start& start : family_.starts())
      sum += start.probability * arriving(start.state, rule_.prior(), steps);
    return sum;
  }

 private:
  using Weights = BruteBeliefs::Weights;

  static double normalise(Weights& weights) {
    double sum = 0;
    for (const double w : weights) sum += w;
    for (double& w : weights) w /= sum;
    return sum;
  }

  double arriving(int x, const Weights& weights, int steps) {
    if (steps == 0) return 0;
    std::vector<double> key = {static_cast<double>(steps), static_cast<double>(x)};
    for (const double w : weights) key.push_back(std::round(w * 1e10));
    const auto known = values_.find(key);
    if (known != values_.end()) return known->second;
    double sum = 0;
    for (BruteBeliefs::Branch& seen : rule_.branches(x, kArrive, weights)) {
      const double probability = normalise(seen.joint);
      sum += probability * (seen.outcome.reward + acting(x, seen.joint, steps));
    }
    return values_[key] = sum;
  }

  double acting(int x, const Weights& weights, int steps) {
    double best = -std::numeric_limits<double>::infinity();
    for (int a = 0; a < family_.actions(); ++a) {
      if (!family_.allowed(x, a)) continue;
      double sum = 0;
      for (BruteBeliefs::Branch& seen : rule_.branches(x, a, weights)) {
        const double probability = normalise(seen.joint);
        sum += probability * (seen.outcome.reward +
                              family_.discount() * arriving(seen.outcome.next, seen.joint, steps - 1));
      }
      best = std::max(best, sum);
    }
    return best;
  }

  const TableFamily& family_;
  BruteBeliefs rule_;
  std::map<std::vector<double>, double> values_;
};

const std::string kMazeWithoutEnd = R"(
discount = 0.95
map = """
L.R
#.#
#S#
#.#
#C#
"""
[legend]
S = { start = true }
C = { shows = "environment", name = "cue" }
[[environment]]
name = "left"
legend = { L = { reward = 1 }, R = { reward = -7 } }
[[environment]]
name = "right"
legend = { L = { reward = -7 }, R = { reward = 1 } }
)";

const std::string kTigerThatStays = R"(
horizon = "endless"
discount = 0.95
states = ["corridor"]
actions = ["listen", "open left", "open right"]
start = "corridor"
outcome = [
  { state = "corridor", action = "listen", environment = "left", reward = -1, shows = { l = 0.85, r = 0.15 } },
  { state = "corridor", action = "listen", environment = "right", reward = -1, shows = { l = 0.15, r = 0.85 } },
  { state = "corridor", action = "open left", environment = "left", reward = -100 },
  { state = "corridor", action = "open left", environment = "right", reward = 10 },
  { state = "corridor", action = "open right", environment = "left", reward = 10 },
  { state = "corridor", action = "open right", environment = "right", reward = -100 },
]
environment = [{ name = "left" }, { name = "right" }]
)";

std::unique_ptr<Problem> written_in(const std::string& text) {
  return written_problem("written", read_problem(text, "written").family);
}

Bounds searched_bounds(const Problem& problem, double tolerance = 1e-10) {
  BoundSearch search(problem.finite_model());
  EXPECT_EQ(search.run({.tolerance = tolerance}), SearchEnd::kTight);
  return {search.lower(), search.upper()};
}

TEST(Cut, IsTheFirstStepFromWhichOnRewardsHaveLittleWeight) {
  for (const double discount : {0.0, 0.3, 0.9, 0.95, 0.999}) {
    for (const double tolerance : {0.4, 1e-3, 1e-9}) {
      const int steps = cut_steps(discount, tolerance);
      EXPECT_LE(std::pow(discount, steps), tolerance * (1 + 1e-9));
      EXPECT_GT(steps > 1 ? std::pow(discount, steps - 1) : 1, tolerance * (1 - 1e-9));
    }
  }
  const Cut cut = cut_at(0.5, 0.3, {-1, 3});
  EXPECT_DOUBLE_EQ(cut.endless.low, -2);
  EXPECT_DOUBLE_EQ(cut.endless.high, 6);
  EXPECT_DOUBLE_EQ(cut.tail.low, -0.5);
  EXPECT_DOUBLE_EQ(cut.tail.high, 1.5);
}

TEST(Cut, NeedsADiscountAndATolerance) {
  EXPECT_THROW((void)cut_steps(1, 1e-3), UsageError);
  EXPECT_THROW((void)cut_steps(0.9, 0), UsageError);
  EXPECT_THROW((void)cut_steps(0.9, 1), UsageError);
  EXPECT_THROW((void)cut_steps(0.9999999, 1e-3), UsageError);
  EXPECT_THROW((void)make_problem("t_maze(horizon=endless,discount=1)"), UsageError);
  EXPECT_THROW((void)make_problem("bandit(horizon=endless)"), UsageError);
  EXPECT_THROW((void)make_problem("chain(horizon=endless)"), UsageError);
}

// Down to the cue, 2 steps; up and to the right arm, 5 steps; 1 in every step from then on.
TEST(EndlessProblems, MazeHasTheValueThatIsComputedByHand) {
  const double due = std::pow(0.95, 7) / (1 - 0.95);
  EXPECT_NEAR(due, 13.9667, 5e-5);
  const auto maze = written_in(kMazeWithoutEnd);
  EXPECT_TRUE(maze->traits().endless);
  for (const Bounds& bounds : {maze->exact({})->bounds(), searched_bounds(*maze)}) {
    EXPECT_NEAR(bounds.lower, due, 1e-9);
    EXPECT_NEAR(bounds.upper, due, 1e-9);
  }
  const InformationValues values = maze->information({});
  EXPECT_NEAR(values.full.value, std::pow(0.95, 3) / 0.05, 1e-9);
  EXPECT_NEAR(values.current.value, std::pow(0.95, 3) / 0.05 * (1 - 7) / 2, 1e-9);
}

// Listen once, then open the door where the tiger is not heard. A roar shows that it was the wrong one.
TEST(EndlessProblems, TigerThatStaysHasTheValueThatIsComputedByHand) {
  const double known = 10 / 0.05;
  const double due = -1 + 0.95 * (0.85 * known + 0.15 * (-100 + 0.95 * known));
  const auto tiger = written_in(kTigerThatStays);
  for (const Bounds& bounds : {tiger->exact({})->bounds(), searched_bounds(*tiger)}) {
    EXPECT_NEAR(bounds.lower, due, 1e-8);
    EXPECT_NEAR(bounds.upper, due, 1e-8);
  }
}

TEST(EndlessProblems, BoundsEncloseTheTruthOfRandomProblems) {
  constexpr std::uint64_t kProblems = 150;
  constexpr int kSteps = 7;
  constexpr double kDiscount = 0.3;
  int wide = 0;
  for (std::uint64_t seed = 0; seed < kProblems; ++seed) {
    SCOPED_TRACE("random problem " + std::to_string(seed));
    const TableFamily drawn = support::random_problem(Rng(seed, 77), {3, 2, 3, 4});
    const TableFamily longest = with_end(drawn, kSteps, kDiscount);
    const TableFamily endless = with_end(drawn, kEndless, kDiscount, 0.1);
    const auto problem = table_problem("drawn", endless);
    const Cut& cut = *problem->outline().cut;
    EXPECT_EQ(problem->horizon(), 2);
    const double value = BeliefProgramme(longest).value(kSteps);
    const double weight = std::pow(kDiscount, kSteps);
    const Interval truth{value + weight * cut.endless.low, value + weight * cut.endless.high};

    const Bounds found = searched_bounds(*problem);
    EXPECT_LE(truth.low, found.upper + 1e-9);
    EXPECT_GE(truth.high, found.lower - 1e-9);
    EXPECT_NEAR(found.lower, found.upper, 1e-8);

    const Bounds solved = problem->exact({.threads = 1})->bounds();
    EXPECT_LE(solved.lower, found.lower + 1e-8);
    EXPECT_GE(solved.upper, found.upper - 1e-8);
    EXPECT_LE(solved.upper - solved.lower, cut.tail.high - cut.tail.low + 1e-9);
    wide += solved.upper - solved.lower > 1e-6 ? 1 : 0;

    BoundSearch beginning(problem->finite_model());
    EXPECT_LE(beginning.lower(), found.lower + 1e-8);
    EXPECT_GE(beginning.upper(), found.upper - 1e-8);
  }
  EXPECT_GT(wide, 10);  // else the cut would never matter
}

TEST(EndlessProblems, TighterTolerancesGiveNestedBounds) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("random problem " + std::to_string(seed));
    const TableFamily drawn = support::random_problem(Rng(seed, 78), {3, 2, 2, 4});
    Bounds outer{-1e9, 1e9};
    for (const double tolerance : {0.3, 0.1, 0.02, 0.004}) {
      const auto problem = table_problem("drawn", with_end(drawn, kEndless, 0.5, tolerance));
      const Bounds inner = problem->exact({.threads = 1})->bounds();
      EXPECT_GE(inner.lower, outer.lower - 1e-9) << tolerance;
      EXPECT_LE(inner.upper, outer.upper + 1e-9) << tolerance;
      outer = inner;
    }
  }
}

/// The mean return of episodes that are cut, with what may follow, and four standard errors.
Interval played_value(const Problem& problem, const Policy& policy, int episodes) {
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < episodes; ++i) {
    const auto player = policy.clone();
    const double earned = play_episode(problem, *player, Rng(static_cast<std::uint64_t>(i), 5)).discounted;
    sum += earned;
    squares += earned * earned;
  }
  const double mean = sum / episodes;
  const double error = 4 * std::sqrt(std::max(0.0, squares / episodes - mean * mean) / episodes);
  const Interval& tail = problem.outline().cut->tail;
  return {mean + tail.low - error, mean + tail.high + error};
}

TEST(EndlessProblems, PoliciesEarnWhatTheirBoundsSay) {
  for (const std::string& text : {kMazeWithoutEnd, kTigerThatStays}) {
    const auto problem = written_in(text);
    for (const char* name : {"exact", "search", "auto", "oracle", "thompson", "bayes_greedy", "pcr_search"}) {
      const std::unique_ptr<Method> method = make_method(name);
      const Solved solved = method->solve(*problem, {.rng = Rng(1), .resources = 1});
      ASSERT_TRUE(solved.policy) << name;
      const Interval earned = played_value(*problem, *solved.policy, 300);
      if (solved.bounds) {
        EXPECT_LE(earned.low, solved.bounds->upper) << name;
        EXPECT_GE(earned.high, solved.bounds->lower) << name;
      }
      EXPECT_LE(earned.low, problem->information({}).full.value + 1e-9) << name;
    }
  }
}

/// What asking the search at every step earns in so many steps, over all histories.
class SearchedPolicy {
 public:
  SearchedPolicy(const TableFamily& family, BoundSearch& search)
      : family_(family), rule_(family), search_(search) {}

  double value(int steps) {
    double sum = 0;
    for (const Start& start : family_.starts())
      sum += start.probability * arriving(start.state, rule_.prior(), steps);
    return sum;
  }

 private:
  double arriving(int x, const BruteBeliefs::Weights& weights, int steps) {
    double sum = 0;
    if (steps == 0) return 0;
    for (const BruteBeliefs::Branch& seen : rule_.branches(x, kArrive, weights)) {
      double total = 0;
      for (const double w : seen.joint) total += w;
      BruteBeliefs::Weights known = seen.joint;
      for (double& w : known) w /= total;
      sum += total * seen.outcome.reward;
      for (const BruteBeliefs::Branch& next : rule_.branches(x, search_.action(x, known, 1), seen.joint)) {
        double chance = 0;
        for (const double w : next.joint) chance += w;
        sum += chance * next.outcome.reward +
               family_.discount() * arriving(next.outcome.next, next.joint, steps - 1);
      }
    }
    return sum;
  }

  const TableFamily& family_;
  BruteBeliefs rule_;
  BoundSearch& search_;
};

TEST(EndlessProblems, APolicyOfTheSearchEarnsItsLowerBoundWheneverItIsAsked) {
  constexpr int kSteps = 4;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("random problem " + std::to_string(seed));
    const TableFamily drawn = support::random_problem(Rng(seed, 79), {3, 2, 3, 4});
    const TableFamily endless = with_end(drawn, kEndless, 0.25);
    const auto problem = table_problem("drawn", endless);
    const double most = problem->outline().cut->endless.high * std::pow(0.25, kSteps);
    for (const std::uint64_t simulations : {0U, 1U, 4U}) {
      BoundSearch search(problem->finite_model());
      search.run({.simulations = simulations});
      EXPECT_GE(SearchedPolicy(endless, search).value(kSteps) + most, search.lower() - 1e-9) << simulations;
    }
  }
}

TEST(EndlessProblems, BanditsAreWorthWhatLongOnesAre) {
  const auto endless = make_problem("bandit(horizon=endless,discount=0.7,prior_a=0.5,prior_b=2)");
  const auto longest = make_problem("bandit(horizon=60,discount=0.7,prior_a=0.5,prior_b=2)");
  const double rest = std::pow(0.7, 60) / 0.3;
  const Bounds bounds = endless->exact({.max_states = 1'000'000})->bounds();
  const double due = longest->exact({.max_states = 20'000'000})->value();
  EXPECT_LE(bounds.lower, due + rest);
  EXPECT_GE(bounds.upper, due);
  EXPECT_LE(bounds.upper - bounds.lower, 1e-3 / 0.3 * 1.01);
  const InformationValues one = endless->information({});
  const InformationValues other = longest->information({});
  EXPECT_NEAR(one.current.value, other.current.value, 2 * rest);
  EXPECT_NEAR(one.full.value, other.full.value, 2 * rest);
}

TEST(EndlessProblems, SayWhatAStepCanPay) {
  const auto paid = [](const std::string& name) { return make_problem(name)->outline().cut->rewards; };
  const Interval maze = paid("t_maze(horizon=endless)");
  EXPECT_EQ(maze.low, -7);
  EXPECT_EQ(maze.high, 1);
  const Interval map = paid("treasure_map(size=2,horizon=endless)");
  EXPECT_EQ(map.low, 0);
  EXPECT_EQ(map.high, 1);
  const Interval chain = paid("bbrl_chain(horizon=endless)");
  EXPECT_EQ(chain.low, 0);
  EXPECT_EQ(chain.high, 10);
}

TEST(EndlessProblems, AreWrittenInFiles) {
  const auto family = [](const std::string& text) {
    return std::get<TableFamily>(read_problem(text, "p.toml").family);
  };
  const std::string rest =
      "states = [\"s\"]\nactions = [\"a\"]\nstart = \"s\"\n[[outcome]]\nstate = \"s\"\naction = "
      "\"a\"\nreward = 1\n";
  EXPECT_EQ(family("discount = 0.5\n" + rest).horizon(), kEndless);
  EXPECT_EQ(family("discount = 0.5\nhorizon = \"endless\"\n" + rest).horizon(), kEndless);
  EXPECT_EQ(family("discount = 0.5\ntolerance = 0.01\n" + rest).tolerance(), 0.01);
  EXPECT_EQ(family("discount = 0.5\nhorizon = 3\n" + rest).horizon(), 3);
  const auto complaint = [&](const std::string& head) {
    try {
      (void)read_problem(head + rest, "p.toml");
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(complaint("horizon = \"endless\"\n"),
            "p.toml:1:11: an endless problem needs a discount below 1; for example discount = "
            "0.95");
  EXPECT_EQ(complaint("horizon = \"long\"\ndiscount = 0.5\n"),
            "p.toml:1:11: horizon = \"long\"; it should be a whole number, or \"endless\"");
  EXPECT_NE(complaint("discount = 0.5\nhorizon = \"endless\"\nepisodes = 2\n").find("need a horizon"),
            std::string::npos);
  EXPECT_NE(complaint("horizon = 5\ntolerance = 0.1\n").find("for endless problems"), std::string::npos);
  EXPECT_NE(complaint("discount = 0.5\ntolerance = 0.9\n").find("out of range"), std::string::npos);
  EXPECT_NE(complaint("discount = 0.9999999\n").find("raise the tolerance"), std::string::npos);
}

TEST(EndlessProblems, AreSolvedWithTheirTail) {
  // Infinitely many environments with unknown moves: what is simulated counts no more than is certain.
  const auto problem = make_problem("bbrl_chain(horizon=endless,discount=0.5)");
  const Solution found = solve(*problem, {.method = "bayes_greedy", .episodes = 200, .threads = 1});
  EXPECT_LE(found.lower.interval.low, found.upper.interval.high);
  const auto maze = written_in(kMazeWithoutEnd);
  const Solution certain = solve(*maze, {.episodes = 50, .threads = 1});
  EXPECT_TRUE(certain.exact);
  EXPECT_NEAR(certain.lower.value, 13.966746, 1e-6);
  EXPECT_NEAR(certain.information->full.value, 17.1475, 1e-6);
  EXPECT_NEAR(certain.fixed_plan->lower, 0, 1e-9);
}

}  // namespace
}  // namespace assay
