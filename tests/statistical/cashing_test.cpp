// Do the estimators of v^c, B and lambda estimate that, and are their standard errors right?
//
// Each is repeated kRepetitions times with keys of its own and held against sums or closed forms. Tolerances:
//
// - mean of the estimates: kSigma standard errors of that mean, found from the spread of the repetitions;
// - share of intervals value +- 1.96 se that hold the truth: 0.95 +- 0.02, which is 4.1 standard deviations
//   of the share among 2000. Normal intervals from 50 draws or more are at most 0.6 % short of theirs;
// - mean of se^2 over the variance of the estimates: the variance of 2000 nearly normal numbers has a
//   relative standard deviation of sqrt(2 / 2000) = 0.032, and five of them are 0.16.
#include "assay/cashing/cashing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "assay/problem/registry.hpp"
#include "families/bandit.hpp"
#include "families/t_maze.hpp"
#include "support/toy_knowledge.hpp"

namespace assay {
namespace {

using support::how_to_expect;
using support::prior_knowledge;
using support::Roulette;
using support::sampled;
using support::Toy;
using support::Veiled;

constexpr int kRepetitions = 2000;
constexpr double kSigma = 4.5;
constexpr double kSinglePrecision = 1e-5;

/// Repeated estimates of one number.
class Tally {
 public:
  explicit Tally(double truth) : truth_(truth) {}

  void add(const Estimate& estimate) {
    const double off = estimate.value - truth_;
    count_ += 1;
    sum_ += off;
    squares_ += off * off;
    stated_ += estimate.standard_error * estimate.standard_error;
    covered_ += std::abs(off) <= 1.96 * estimate.standard_error ? 1 : 0;
  }

  double mean() const { return truth_ + sum_ / count_; }
  double variance() const { return std::max(0.0, squares_ - sum_ * sum_ / count_) / (count_ - 1); }
  double error_of_mean() const { return std::sqrt(variance() / count_); }

  void expect_unbiased() const { EXPECT_NEAR(mean(), truth_, kSigma * error_of_mean() + kSinglePrecision); }
  void expect_honest() const {
    expect_unbiased();
    ASSERT_EQ(count_, kRepetitions);
    EXPECT_NEAR(covered_ / count_, 0.95, 0.02);
    EXPECT_NEAR(stated_ / count_ / variance(), 1, 0.16);
  }

 private:
  double truth_;
  double count_ = 0, sum_ = 0, squares_ = 0, stated_ = 0, covered_ = 0;
};

/// A quantity, told from what is known before and after a step.
struct Quantity {
  std::string name;
  std::function<Estimate(const CrossSamples& before, const CrossSamples& after)> of;
};

std::vector<Quantity> quantities_at(int x, int next, double discount) {
  const Step step{x, 0.7, next};
  return {{"v^c", [=](const auto& before, const auto&) { return current_information(before, x); }},
          {"E[v^e]", [=](const auto& before, const auto&) { return full_information(before, x); }},
          {"B", [=](const auto& before, const auto&) { return information_bound(before, x); }},
          {"lambda", [=](const auto& b, const auto& a) { return cashed_reward(step, discount, b, a); }},
          {"approximate lambda",
           [=](const auto& b, const auto& a) { return approximate_cashed_reward(x, b, a); }}};
}

/// Two beliefs, and the truth about both.
struct Change {
  std::shared_ptr<const Belief> before, after;
  CrossSamples exact_before, exact_after;
};

using Seen = std::vector<std::tuple<int, int, Outcome>>;  // (state, action, outcome)

Change summed_change(const Belief& before, const Seen& seen, int steps) {
  const std::shared_ptr<Belief> after = before.clone();
  for (const auto& [x, a, outcome] : seen) after->observe(x, a, outcome);
  return {before.clone(), after, sampled(Summed{}, StepsLeft{steps}, before),
          sampled(Summed{}, StepsLeft{steps}, *after)};
}

/// Repeats, with common keys before and after, and calls check(tally) for each quantity.
void check_estimator(const Estimator& estimator, const Change& change, int steps,
                     const std::vector<Quantity>& quantities, int repetitions,
                     const std::function<void(const Tally&)>& check) {
  std::vector<Tally> tallies;
  for (const Quantity& q : quantities)
    tallies.emplace_back(q.of(change.exact_before, change.exact_after).value);
  CrossSampler sampler(estimator, StepsLeft{steps});
  CrossSamples before;
  CrossSamples after;
  for (int i = 0; i < repetitions; ++i) {
    const DrawKey key{.seed = 11, .episode = static_cast<std::uint64_t>(i)};
    sampler.sample(*change.before, key, before);
    sampler.sample(*change.after, key, after);
    for (std::size_t q = 0; q < quantities.size(); ++q) tallies[q].add(quantities[q].of(before, after));
  }
  for (std::size_t q = 0; q < quantities.size(); ++q) {
    SCOPED_TRACE(estimator_name(estimator) + " " + quantities[q].name);
    check(tallies[q]);
  }
}

void expect_honest(const Estimator& estimator, const Change& change, int steps,
                   const std::vector<Quantity>& quantities) {
  check_estimator(estimator, change, steps, quantities, kRepetitions,
                  [](const Tally& t) { t.expect_honest(); });
}

// Finite beliefs, where the truth is a sum. If the worlds were the plans, v^c would be E[v^e].

constexpr int kSteps = 4;

void expect_honest_on_toy(const Toy& toy, const std::vector<Estimator>& estimators) {
  const Seen seen = {{0, kArrive, {0, 0, {1}}}, {0, 1, {2, 1, {}}}};
  const Change change = summed_change(prior_knowledge(toy), seen, kSteps);
  ASSERT_GT(information_bound(change.exact_before, 1).value, 0.5) << "worlds and plans must matter";
  for (const Estimator& estimator : estimators) {
    expect_honest(estimator, change, kSteps, quantities_at(1, 2, toy.discount()));
  }
}

TEST(CashingEstimators, AreHonestWhereTransitionsAreUnknown) {
  expect_honest_on_toy(Toy(Rng(1)), {Paired{120}, Crossed{50, 60}});
}

TEST(CashingEstimators, AreHonestWhereTransitionsAreKnown) {
  expect_honest_on_toy(Toy(Rng(2), {.known_transitions = true}), {Linear{120}});
}

TEST(CashingEstimators, AreUnbiasedOnTheTMazeWithANoisyCue) {
  // Two environments are too few for normal intervals.
  const Outcome cue{0, 0, {1}};
  auto knowledge = prior_knowledge(TMaze({.distance = 2, .arm = 1, .cue_accuracy = 0.7}));
  knowledge.observe(0, kArrive, cue);
  const Change change = summed_change(knowledge, {{0, kArrive, cue}}, 6);
  for (const Estimator& estimator :
       {Estimator(Paired{20}), Estimator(Linear{20}), Estimator(Crossed{6, 5}), Estimator(Crossed{10, 1})}) {
    check_estimator(estimator, change, 6, quantities_at(3, 2, 0.95), 1000,
                    [](const Tally& t) { t.expect_unbiased(); });
  }
}

// Beta beliefs: the truth about a bandit is an integral.

CrossSamples exact_samples(const Bandit& bandit, const BetaBelief& belief) {
  const InformationValues values = bandit.closed_form(belief, kSteps);
  CrossSamples samples;
  samples.current.exact = {values.current.value};
  samples.full.exact = {values.full.value};
  return samples;
}

/// Six arms, none of them well known, and what one more success of one of them changes.
Change bandit_change() {
  const auto bandit = std::make_shared<const Bandit>(
      BanditSettings{.arms = 6, .horizon = 10, .prior_a = 2, .prior_b = 2, .discount = 0.9});
  BetaBelief before(*bandit);
  for (const int arm : {0, 0, 2, 3}) before.observe(*bandit, 0, arm, {0, 1, {}});
  for (const int arm : {1, 3}) before.observe(*bandit, 0, arm, {0, 0, {}});
  BetaBelief after = before;
  after.observe(*bandit, 0, 4, {0, 1, {}});
  return {support::erased(*bandit, before), support::erased(*bandit, after), exact_samples(*bandit, before),
          exact_samples(*bandit, after)};
}

TEST(CashingEstimators, AreHonestOnABandit) {
  const Change change = bandit_change();
  for (const Estimator& estimator :
       {Estimator(Paired{150}), Estimator(Linear{150}), Estimator(Crossed{50, 60})}) {
    expect_honest(estimator, change, kSteps, quantities_at(0, 0, 0.9));
  }
}

TEST(CashingEstimators, MeanPlanIsHonestOnABandit) {
  Change change = bandit_change();
  // Arm 0, of mean 4/6, for ever.
  change.exact_before.current.exact = {4.0 / 6 * (1 - std::pow(0.9, kSteps)) / (1 - 0.9)};
  const std::vector<Quantity> all = quantities_at(0, 0, 0.9);
  expect_honest(MeanPlan{150}, change, kSteps, {all[1], all[2]});
  EXPECT_NEAR(all[0].of(sampled(MeanPlan{2}, StepsLeft{kSteps}, *change.before), {}).value,
              change.exact_before.current.exact.front(), 1e-12);
}

TEST(CashingEstimators, AgreeOnTheTreasureMap) {
  // Nobody knows the truth here, but all must mean the same.
  const auto knowledge = make_problem("treasure_map(size=3)")->prior();
  knowledge->observe(0, kArrive, {0, 1, {3}});
  knowledge->observe(1, kArrive, {1, 0, {1}});
  std::vector<Tally> bounds;
  std::vector<Tally> currents;
  for (const Estimator& estimator :
       {Estimator(Paired{64}), Estimator(Linear{64}), Estimator(Crossed{16, 8})}) {
    CrossSampler sampler(estimator, StepsLeft{10});
    bounds.emplace_back(0);
    currents.emplace_back(0);
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const CrossSamples samples = sampler.sample(*knowledge, {.seed = 100 * bounds.size(), .episode = i});
      bounds.back().add(information_bound(samples, 5));
      currents.back().add(current_information(samples, 5));
    }
  }
  for (const std::vector<Tally>& tallies : {bounds, currents}) {
    for (const Tally& one : tallies) {
      for (const Tally& other : tallies) {
        const double error = std::hypot(one.error_of_mean(), other.error_of_mean());
        EXPECT_NEAR(one.mean(), other.mean(), kSigma * error + kSinglePrecision);
      }
    }
  }
}

// The best of drawn plans, where transitions are unknown.

TEST(BestOfPlans, IsNotFlatteredByTheWorldsThatChoseIt) {
  // All plans are worth the same: whichever is chosen, the truth is known, and luck is all that a choice in
  // the valuing worlds could add.
  const Roulette roulette;
  const auto knowledge = prior_knowledge(roulette);
  const Estimator estimator = BestPlan{12, 200};
  CrossSampler sampler(estimator, StepsLeft{kSteps});
  Tally tally(roulette.value_of_bet(0, kSteps));
  for (std::uint64_t i = 0; i < kRepetitions; ++i) {
    tally.add(current_information(sampler.sample(knowledge, {.seed = 21, .episode = i}), 0));
  }
  tally.expect_honest();
}

TEST(BestOfPlans, IsTheBest) {
  const Roulette roulette({0.5, 0.125, 0.125, 0.125, 0.125});
  const auto knowledge = prior_knowledge(roulette);
  int best = 0;
  for (int bet = 1; bet < Roulette::kBets; ++bet) {
    if (roulette.value_of_bet(bet, kSteps) > roulette.value_of_bet(best, kSteps)) best = bet;
  }
  CrossSampler sampler(BestPlan{40, 400}, StepsLeft{kSteps});
  Tally tally(roulette.value_of_bet(best, kSteps));
  for (std::uint64_t i = 0; i < 200; ++i) {
    tally.add(current_information(sampler.sample(knowledge, {.seed = 22, .episode = i}), 0));
  }
  tally.expect_unbiased();
  const CrossSamples exact = sampled(Summed{}, StepsLeft{kSteps}, knowledge);
  EXPECT_GT(tally.mean(), current_information(exact, 0).value + 10 * tally.error_of_mean());
}

// Common random numbers.

/// A treasure map, partly known, and an ordinary look at another cell of it.
Change look_on_the_map() {
  const std::shared_ptr<Belief> before = make_problem("treasure_map(size=3)")->prior();
  before->observe(0, kArrive, {0, 1, {3}});
  before->observe(1, kArrive, {1, 0, {1}});
  const std::shared_ptr<Belief> after = before->clone();
  after->observe(5, kArrive, {5, 0, {0}});
  return {before, after, {}, {}};
}

TEST(CommonKeys, TakeMostOfTheVarianceOutOfLambda) {
  const Change change = look_on_the_map();
  for (const Estimator& estimator :
       {Estimator(Paired{40}), Estimator(Linear{40}), Estimator(Crossed{20, 5})}) {
    CrossSampler sampler(estimator, StepsLeft{10});
    Tally common(0);
    Tally separate(0);
    for (std::uint64_t i = 0; i < 500; ++i) {
      const DrawKey key{.seed = 31, .episode = i};
      const DrawKey other{.seed = 32, .episode = i};
      const CrossSamples before = sampler.sample(*change.before, key);
      common.add(approximate_cashed_reward(5, before, sampler.sample(*change.after, key)));
      separate.add(approximate_cashed_reward(5, before, sampler.sample(*change.after, other)));
    }
    // 0.07 to 0.09 of it are left over many seeds; each of the variances is known to 6 %.
    EXPECT_LT(common.variance(), 0.15 * separate.variance()) << estimator_name(estimator);
    EXPECT_NEAR(common.mean(), separate.mean(),
                kSigma * std::hypot(common.error_of_mean(), separate.error_of_mean()));
  }
}

TEST(CommonKeys, AreKnownToTheStandardError) {
  const Change change = look_on_the_map();
  const Step step{5, 0.25, 4};
  for (const Estimator& estimator :
       {Estimator(Paired{40}), Estimator(Linear{40}), Estimator(Crossed{20, 8})}) {
    SCOPED_TRACE(estimator_name(estimator));
    const CrossSamples before = sampled(estimator, StepsLeft{10}, *change.before, {.seed = 1});
    const CrossSamples together = sampled(estimator, StepsLeft{10}, *change.after, {.seed = 1});
    const CrossSamples apart = sampled(estimator, StepsLeft{10}, *change.after, {.seed = 2});
    const auto independent = [&](const CrossSamples& after) {
      return std::hypot(0.9 * current_information(after, 4).standard_error,
                        current_information(before, 5).standard_error);
    };
    const auto value = [&](const CrossSamples& after) {
      return 0.25 + 0.9 * current_information(after, 4).value - current_information(before, 5).value;
    };
    EXPECT_LT(cashed_reward(step, 0.9, before, together).standard_error, 0.7 * independent(together));
    EXPECT_NEAR(cashed_reward(step, 0.9, before, together).value, value(together), 1e-9);
    EXPECT_NEAR(cashed_reward(step, 0.9, before, apart).standard_error, independent(apart), 1e-9);
    EXPECT_NEAR(cashed_reward(step, 0.9, before, apart).value, value(apart), 1e-9);
  }
}

TEST(SharedWorld, LeavesTheStandardErrorUnknown) {
  const Change change = look_on_the_map();
  const CrossSamples before = sampled(Crossed{80, 1}, StepsLeft{10}, *change.before);
  const CrossSamples after = sampled(Crossed{80, 1}, StepsLeft{10}, *change.after);
  const CrossSamples apart = sampled(Crossed{80, 1}, StepsLeft{10}, *change.after, {.seed = 2});
  EXPECT_TRUE(std::isnan(current_information(before, 5).standard_error));
  EXPECT_TRUE(std::isnan(information_bound(before, 5).standard_error));
  EXPECT_TRUE(std::isnan(approximate_cashed_reward(5, before, after).standard_error));
  EXPECT_TRUE(std::isnan(approximate_cashed_reward(5, before, apart).standard_error));
  EXPECT_GT(full_information(before, 5).standard_error, 0);  // no world takes part in it
}

// What a step can be expected to cash, by drawing what will be seen.

TEST(ExpectedCashedReward, IsUnbiasedWithAFewDraws) {
  // So few pairs that an imagined outcome which had to do with one of the worlds would show.
  const TMaze maze({.distance = 2, .arm = 1, .punishment = -2, .cue_accuracy = 0.8});
  const std::vector<int> cue = {0};
  const auto summing = prior_knowledge(maze);
  const auto drawing = prior_knowledge<TMaze, Veiled<TMaze>>(maze);
  const double truth = expected_cashed_reward(summing, cue, how_to_expect(Summed{}, 6))[0].value;
  ASSERT_GT(truth, 0.5);
  for (const Belief* knowledge :
       {static_cast<const Belief*>(&summing), static_cast<const Belief*>(&drawing)}) {
    Tally tally(truth);
    Expectation how = how_to_expect(Paired{2}, 6, 20);
    for (how.key.episode = 0; how.key.episode < 500; ++how.key.episode) {
      tally.add(expected_cashed_reward(*knowledge, cue, how)[0]);
    }
    SCOPED_TRACE(knowledge->finite() ? "outcomes summed over" : "outcomes drawn");
    tally.expect_unbiased();
  }
}

TEST(ExpectedCashedReward, IsHonestOnABandit) {
  // Arm 0 is known so well that only arm 1 can teach: no luck in choosing the more informative one.
  const Bandit bandit({.arms = 2, .horizon = 10, .discount = 0.9});
  auto known = prior_knowledge<Bandit, BetaBelief>(bandit);
  BetaBelief belief(bandit);
  for (int i = 0; i < 40; ++i) {
    const Outcome seen{0, i % 2 == 0 ? 1.0 : 0.0, {}};
    known.observe(0, 0, seen);
    belief.observe(bandit, 0, 0, seen);
  }
  double gain = -bandit.closed_form(belief, kSteps).current.value;
  belief.predict(bandit, 0, 1, [&](double p, const Outcome& o) {
    BetaBelief after = belief;
    after.observe(bandit, 0, 1, o);
    gain += p * bandit.closed_form(after, kSteps).current.value;
  });
  Tally tally(gain);
  Expectation how = how_to_expect(Linear{16}, kSteps, 60);
  for (how.key.episode = 0; how.key.episode < kRepetitions; ++how.key.episode) {
    tally.add(expected_cashed_reward(known, std::vector<int>{0}, how)[0]);
  }
  tally.expect_honest();
}

}  // namespace
}  // namespace assay
