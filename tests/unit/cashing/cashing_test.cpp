// Exact properties of cashing: identities and inequalities that hold up to rounding, and errors. What holds
// on average is tested in statistical/cashing_test.cpp.
#include "assay/cashing/cashing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "assay/beliefs/beta.hpp"
#include "assay/beliefs/finite.hpp"
#include "assay/problem/registry.hpp"
#include "assay/solver/exact_solution.hpp"
#include "families/bandit.hpp"
#include "families/t_maze.hpp"
#include "families/treasure_map.hpp"
#include "support/expectimax.hpp"
#include "support/random_family.hpp"
#include "support/toy_knowledge.hpp"

namespace assay {
namespace {

using support::expected_gains;
using support::how_to_expect;
using support::prior_knowledge;
using support::RandomFamily;
using support::Roulette;
using support::sampled;
using support::Toy;
using support::Veiled;
using support::Walk;

constexpr double kCashingRounding = 1e-9;
constexpr double kSinglePrecision = 1e-5;  // of values below 50, relative error 6e-8 a step

Toy linear_toy(std::uint64_t seed) { return Toy(Rng(seed, 1), {.known_transitions = true}); }

TMaze noisy_maze() { return TMaze({.distance = 2, .arm = 1, .horizon = 6, .cue_accuracy = 0.8}); }

// sum_t g^t lambda_t = sum_t g^t r_t + g^T v^c_T - v^c_0, on any trajectory, whatever v^c is.

template <class F>
void expect_telescoping(const F& family, const Estimator& estimator, const Ending& ending) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Walk<F> walk(family, seed);
    CrossSamples now = sampled(estimator, ending, walk.knowledge());
    const double begin = current_information(now, walk.state()).value;
    double cashed = 0;
    double paid = 0;
    double weight = 1;
    while (!walk.done()) {
      const Step step = walk.step();
      CrossSamples next = sampled(estimator, ending, walk.knowledge());
      cashed += weight * cashed_reward(step, family.discount(), now, next).value;
      paid += weight * step.reward;
      weight *= family.discount();
      now = std::move(next);
    }
    const double end = current_information(now, walk.state()).value;
    EXPECT_NEAR(cashed, paid + weight * end - begin, kCashingRounding) << "episode " << seed;
  }
}

TEST(Telescoping, HoldsOnTheTMaze) {
  const TMaze maze({.distance = 1, .arm = 1, .horizon = 8, .discount = 0.8, .cue_accuracy = 0.8});
  expect_telescoping(maze, Summed{}, Endless{});
  expect_telescoping(maze, Summed{}, StepsLeft{5});
  expect_telescoping(maze, MeanPlan{}, StepsLeft{5});
}

TEST(Telescoping, HoldsOnRandomFamilies) {
  for (std::uint64_t seed = 0; seed < 100 && !HasFailure(); ++seed) {
    SCOPED_TRACE("random family " + std::to_string(seed));
    const RandomFamily family(Rng(seed, 2));
    expect_telescoping(family, Summed{}, StepsLeft{3});
    if (family.discount() < 0.9) expect_telescoping(family, Summed{}, Endless{});
  }
}

TEST(Telescoping, HoldsForDrawsThatAreKept) {
  expect_telescoping(Toy(Rng(1)), Paired{20}, StepsLeft{5});
  expect_telescoping(Toy(Rng(1)), Crossed{5, 4}, StepsLeft{5});
}

// v^m is convex in the belief: what is seen can only raise it on average.

/// The expectation of v^m(x, b after) - v^m(x, b), by summing over all that the belief expects to see.
template <class F, class B>
double expected_mean_plan_gain(const Walk<F, B>& walk, int x, int a, const Ending& ending) {
  const auto at = static_cast<std::size_t>(x);
  const double before = mean_plan_value(walk.knowledge(), ending)[at];
  double sum = 0;
  walk.belief().predict(walk.family(), x, a, [&](double p, const Outcome& o) {
    const std::unique_ptr<Belief> after = walk.knowledge().clone();
    after->observe(x, a, o);
    sum += p * (mean_plan_value(*after, ending)[at] - before);
  });
  return sum;
}

/// At every state of the beliefs that a walk meets; at least some gains must be real ones.
template <class F, class B = FiniteBelief<F>>
void expect_gains(const F& family, const Ending& ending, std::uint64_t walks) {
  double most = 0;
  for (std::uint64_t seed = 0; seed < walks; ++seed) {
    Walk<F, B> walk(family, seed);
    do {
      for (int x = 0; x < family.states(); ++x) {
        for (int a = kArrive; a < family.actions(); ++a) {
          if (a != kArrive && !allowed(family, x, a)) continue;
          const double gain = expected_mean_plan_gain(walk, x, a, ending);
          EXPECT_GE(gain, -kCashingRounding)
              << "at " << x << ", action " << a << ", knowing " << walk.knowledge().text();
          most = std::max(most, gain);
        }
      }
      walk.step();
    } while (!walk.done());
  }
  EXPECT_GT(most, 1e-3) << "nothing to learn";
}

TEST(MeanPlanGain, IsNeverNegative) {
  expect_gains(noisy_maze(), StepsLeft{6}, 10);
  expect_gains(linear_toy(1), StepsLeft{5}, 10);
  expect_gains<Bandit, BetaBelief>(Bandit({.arms = 3, .horizon = 8}), StepsLeft{6}, 10);
}

TEST(MeanPlanGain, IsNeverNegativeOnTheTreasureMap) {
  const auto map = [](CollectionOrder order) {
    return TreasureMap({.size = 2, .looks = 1, .horizon = 3, .prior_a = 0.5, .order = order});
  };
  expect_gains<TreasureMap, BetaBelief>(map(CollectionOrder::kCollectThenMove), StepsLeft{5}, 10);
  expect_gains<TreasureMap, BetaBelief>(map(CollectionOrder::kMoveThenCollect), StepsLeft{5}, 10);
}

TEST(CashedPlans, AreOrderedByHowMuchTheyUse) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Walk<Toy> walk(linear_toy(seed), seed);
    for (std::uint64_t t = 0; t < seed % 4; ++t) walk.step();
    const CrossSamples exact = sampled(Summed{}, StepsLeft{6}, walk.knowledge());
    const CrossSamples mean_plan = sampled(MeanPlan{}, StepsLeft{6}, walk.knowledge());
    const CrossSamples best = sampled(BestPlan{4, 0}, StepsLeft{6}, walk.knowledge(), {.seed = seed});
    const CrossSamples drawn = sampled(Linear{4}, StepsLeft{6}, walk.knowledge(), {.seed = seed});
    for (int x = 0; x < 3; ++x) {
      const double v_m = current_information(mean_plan, x).value;
      EXPECT_LE(current_information(exact, x).value, v_m + kCashingRounding);
      EXPECT_LE(v_m, full_information(exact, x).value + kCashingRounding);
      EXPECT_NEAR(full_information(mean_plan, x).value, full_information(exact, x).value, kCashingRounding);
      EXPECT_LE(current_information(best, x).value, v_m + kSinglePrecision);
      EXPECT_LE(current_information(drawn, x).value, current_information(best, x).value + kSinglePrecision);
    }
  }
}

TEST(CashedPlans, BestPlanIsTheBestOfTheLinearDraws) {
  const auto knowledge = make_problem("treasure_map(size=3)")->prior();
  knowledge->observe(0, kArrive, {0, 1, {3}});
  const CrossSamples best = sampled(BestPlan{30, 0}, StepsLeft{10}, *knowledge, {.seed = 5});
  const CrossSamples drawn = sampled(Linear{30}, StepsLeft{10}, *knowledge, {.seed = 5});
  for (int x = 0; x < 9; ++x) {
    double most = 0;
    for (std::size_t n = 0; n < 30; ++n) most = std::max(most, drawn.current.at(0, x, n));
    EXPECT_EQ(current_information(best, x).value, most);
    EXPECT_GT(most, current_information(drawn, x).value + 0.1);
  }
}

// B = E[v^e] - v^c: nothing at certainty, never negative, and the Bayes-optimal value lies in it.

TEST(InformationBound, IsNothingAtCertainty) {
  const Estimator all[] = {Summed{}, Paired{3}, Linear{3}, Crossed{3, 2}, MeanPlan{}, BestPlan{3, 4}};
  for (std::uint64_t seed = 0; seed < 100 && !HasFailure(); ++seed) {
    SCOPED_TRACE("random family " + std::to_string(seed));
    const RandomFamily family = RandomFamily(Rng(seed, 2)).knowing(seed % 2);
    const auto knowledge = prior_knowledge(family);
    const std::vector<double> value =
        optimal_plan(tabulate(family, static_cast<int>(seed % 2)), 3).value.back();
    for (const Estimator& estimator : all) {
      const double tolerance =
          std::holds_alternative<Summed>(estimator) ? kCashingRounding : kSinglePrecision;
      const CrossSamples samples = sampled(estimator, StepsLeft{3}, knowledge);
      for (int x = 0; x < family.states(); ++x) {
        const double v_e = value[static_cast<std::size_t>(x)];
        const Estimate bound = information_bound(samples, x);
        EXPECT_NEAR(bound.value, 0, tolerance) << estimator_name(estimator);
        EXPECT_NEAR(bound.standard_error, 0, tolerance) << estimator_name(estimator);
        EXPECT_NEAR(current_information(samples, x).value, v_e, tolerance);
        EXPECT_NEAR(full_information(samples, x).value, v_e, tolerance);
      }
    }
  }
}

TEST(InformationBound, IsNeverNegative) {
  for (std::uint64_t seed = 0; seed < 200 && !HasFailure(); ++seed) {
    const RandomFamily family(Rng(seed, 2));
    Walk<RandomFamily> walk(family, seed);
    do {
      const CrossSamples samples = sampled(Summed{}, StepsLeft{4}, walk.knowledge());
      for (int x = 0; x < family.states(); ++x) {
        EXPECT_GE(information_bound(samples, x).value, -kCashingRounding);
        EXPECT_EQ(information_bound(samples, x).value,
                  full_information(samples, x).value - current_information(samples, x).value);
      }
      walk.step();
    } while (!walk.done());
  }
}

TEST(InformationBound, EnclosesTheBayesOptimalValue) {
  for (const std::string spec :
       {"t_maze(distance=2,arm=1,horizon=6)", "t_maze(distance=1,arm=1,horizon=5,cue_accuracy=0.8)",
        "t_maze(distance=2,arm=2,horizon=6,discount=0.9,punishment=-2,cue_accuracy=0.7)"}) {
    const auto problem = make_problem(spec);
    const CrossSamples samples = sampled(Summed{}, StepsLeft{problem->horizon()}, *problem->prior());
    double current = 0;
    double full = 0;
    for (const Start& start : problem->starts()) {
      current += start.probability * current_information(samples, start.state).value;
      full += start.probability * full_information(samples, start.state).value;
    }
    const double optimal = problem->exact({.threads = 1})->value();
    EXPECT_LT(current, optimal) << spec;  // there is something to learn
    EXPECT_LT(optimal, full) << spec;     // and it takes time
    EXPECT_NEAR(current, problem->information({}).current.value, kCashingRounding) << spec;
    EXPECT_NEAR(full, problem->information({}).full.value, kCashingRounding) << spec;
  }
}

TEST(InformationBound, EnclosesTheBayesOptimalValueOfBandits) {
  for (const std::string spec : {"bandit(arms=2,horizon=10)", "bandit(arms=3,horizon=6,prior_b=2)"}) {
    const auto problem = make_problem(spec);
    const auto knowledge = problem->prior();
    const double optimal = problem->exact({.threads = 1})->value();
    const double v_m = mean_plan_value(*knowledge, StepsLeft{problem->horizon()}).front();
    const InformationValues exact = problem->information({});
    EXPECT_LE(exact.current.value, v_m + kCashingRounding) << spec;
    EXPECT_LT(v_m, optimal) << spec;
    EXPECT_LT(optimal, exact.full.value) << spec;
  }
}

/// What a step can be expected to cash. Weights here are joint with what was seen. v^c is quadratic in them:
/// divided by their sum once, it is weighted by the probability of what was seen.
double brute_force_gain(const RandomFamily& family, int x, int steps) {
  const oracle::FiniteExpectimax<RandomFamily> tree(family);
  const oracle::FiniteInformation<RandomFamily> information(family);
  const auto current = [&](const std::vector<double>& weights) {
    double total = 0;
    for (const double w : weights) total += w;
    return information.current({{x, 1.0}}, weights, steps) / total;
  };
  double best = -HUGE_VAL;
  for (int a = 0; a < family.actions(); ++a) {
    if (!family.allowed(x, a)) continue;
    double gain = -current(tree.prior());
    for (const auto& arrival : tree.branches(x, kArrive, tree.prior())) {
      for (const auto& acted : tree.branches(x, a, arrival.joint)) gain += current(acted.joint);
    }
    best = std::max(best, gain);
  }
  return best;
}

TEST(ExpectedCashedReward, EqualsBruteForce) {
  for (std::uint64_t seed = 0; seed < 200 && !HasFailure(); ++seed) {
    SCOPED_TRACE("random family " + std::to_string(seed));
    const RandomFamily family(Rng(seed, 2));
    const std::vector<int> states = {family.states() - 1, 0, 1};
    const std::vector<Estimate> gains =
        expected_cashed_reward(prior_knowledge(family), states, how_to_expect(Summed{}, 3));
    ASSERT_EQ(gains.size(), states.size());
    for (std::size_t i = 0; i < states.size(); ++i) {
      EXPECT_NEAR(gains[i].value, brute_force_gain(family, states[i], 3), kCashingRounding);
      EXPECT_EQ(gains[i].standard_error, 0);
    }
  }
}

TEST(ExpectedCashedReward, IsLargestAtTheMap) {
  const auto knowledge = make_problem("treasure_map(size=3)")->prior();
  const std::vector<Estimate> gains = expected_gains(*knowledge, how_to_expect(Linear{24}, 12, 400));
  for (const std::size_t x : {0U, 1U, 2U, 3U, 5U, 6U, 7U, 8U}) {
    const double noise = std::hypot(gains[4].standard_error, gains[x].standard_error);
    EXPECT_GT(gains[4].value, gains[x].value + 4 * noise) << "cell " << x;
  }
}

TEST(ExpectedCashedReward, IsNothingWhereNothingIsSeen) {
  // Exactly so, although everything is drawn: before and after use the same random numbers.
  const TMaze maze = noisy_maze();
  const auto drawing = prior_knowledge<TMaze, Veiled<TMaze>>(maze);
  for (const auto& gains : {expected_gains(prior_knowledge(maze), how_to_expect(Paired{4}, 6)),
                            expected_gains(drawing, how_to_expect(Paired{4}, 6, 10))}) {
    EXPECT_EQ(gains[1].value, 0);
    EXPECT_EQ(gains[1].standard_error, 0);
    EXPECT_GT(gains[4].value, 0) << "an arm's end tells all";
  }
}

TEST(ExpectedCashedReward, IsTheSameWithAnyNumberOfThreads) {
  using Bits = std::array<std::uint64_t, 2>;
  const auto bits = [](const Estimate& estimate) { return std::bit_cast<Bits>(estimate); };
  for (const std::string spec : {"treasure_map(size=3)", "bandit(arms=3)", "t_maze(cue_accuracy=0.8)"}) {
    const auto knowledge = make_problem(spec)->prior();
    for (const Estimator& estimator : {Estimator(Linear{10}), Estimator(Paired{10})}) {
      Expectation how = how_to_expect(estimator, 6, 20);
      std::atomic<int> whole = 0;
      how.watch = [&](double share) { whole += share == 1 ? 1 : 0; };
      const std::vector<Estimate> alone = expected_gains(*knowledge, how);
      for (const int threads : {2, 8}) {
        how.threads = threads;
        EXPECT_TRUE(std::ranges::equal(expected_gains(*knowledge, how), alone, {}, bits, bits))
            << spec << threads;
      }
      EXPECT_EQ(whole, 3) << "the watcher is told once when all is done";
    }
  }
}

TEST(EndlessCashing, IsManySteps) {
  // 0.8^100 = 2e-10.
  constexpr double kTolerance = 1e-4;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto toy = prior_knowledge(Toy(Rng(seed, 1), {.known_transitions = true, .discount = 0.8}));
    for (const Estimator& estimator :
         {Estimator(Summed{}), Estimator(Paired{30}), Estimator(Linear{30}), Estimator(Crossed{6, 5}),
          Estimator(MeanPlan{}), Estimator(BestPlan{9, 9})}) {
      const CrossSamples endless = sampled(estimator, Endless{kTolerance}, toy);
      const CrossSamples many = sampled(estimator, StepsLeft{100}, toy);
      const bool exact = many.current.is_exact() && many.full.is_exact();
      const double tolerance = exact ? 1e-8 : kTolerance + kSinglePrecision;
      for (int x = 0; x < 3; ++x) {
        EXPECT_NEAR(current_information(endless, x).value, current_information(many, x).value, tolerance);
        EXPECT_NEAR(full_information(endless, x).value, full_information(many, x).value, tolerance);
      }
    }
  }
}

std::string complaint(const std::function<void()>& doing) {
  try {
    doing();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no UsageError";
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(CashingErrors, SayWhatWouldBeRight) {
  const auto bandit = make_problem("bandit(arms=2)")->prior();
  const auto bets = prior_knowledge(Roulette());
  const auto error = [](const Estimator& estimator, const Belief& knowledge) {
    return complaint([&] { sampled(estimator, StepsLeft{3}, knowledge); });
  };
  EXPECT_PRED2(says, error(Summed{}, *bandit), "estimator linear or paired");
  EXPECT_PRED2(says, complaint([&] { std::ignore = bandit->environments(); }), "finitely many");
  EXPECT_PRED2(says, error(Linear{}, bets), "use the estimator paired");
  EXPECT_PRED2(says, error(MeanPlan{}, bets), "use the estimator paired");
  EXPECT_PRED2(says, error(Paired{1}, bets), "1 pairs: at least 2");
  EXPECT_PRED2(says, error(Linear{1}, *bandit), "1 plans: at least 2");
  EXPECT_PRED2(says, error(MeanPlan{1}, *bandit), "1 draws: at least 2");
  EXPECT_PRED2(says, error(Crossed{0, 1}, bets), "0 plans: at least 1");
  EXPECT_PRED2(says, error(Crossed{1, 0}, bets), "0 worlds: at least 1");
  EXPECT_PRED2(says, error(BestPlan{5, 3}, bets), "3 worlds");
  EXPECT_PRED2(says, complaint([&] { expected_gains(*bandit, how_to_expect(Linear{}, 3, 1)); }),
               "at least 2 outcomes");
  const auto undiscounted = prior_knowledge(TMaze({.discount = 1}));
  for (const Estimator& estimator : {Estimator(Summed{}), Estimator(Paired{4})}) {
    const auto endless = [&] { sampled(estimator, Endless{}, undiscounted); };
    EXPECT_PRED2(says, complaint(endless), "discount from 0 to below 1, not 1");
  }
}

}  // namespace
}  // namespace assay
