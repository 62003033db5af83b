#include "assay/beliefs/beta.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/binomial.hpp>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "families/bandit.hpp"
#include "families/treasure_map.hpp"

namespace assay {
namespace {

constexpr int kArmOnly = 0;  // a bandit has one state
Outcome paid(double reward) { return {kArmOnly, reward, {}}; }

std::vector<std::uint64_t> key_of(const BetaBelief& belief) {
  std::vector<std::uint64_t> key(belief.words());
  belief.pack(key);
  return key;
}

/// C(n,k) B(a+k, b+n-k) / B(a,b), straight from the definition. In long double: at shapes of 1e4 the quotient
/// of two tiny numbers would cost a double three digits.
double beta_binomial_reference(int n, int k, double a, double b) {
  const long double ways =
      boost::math::binomial_coefficient<long double>(static_cast<unsigned>(n), static_cast<unsigned>(k));
  const auto log_beta = [](long double p, long double q) {
    return std::lgamma(p) + std::lgamma(q) - std::lgamma(p + q);
  };
  return static_cast<double>(ways * std::exp(log_beta(a + k, b + n - k) - log_beta(a, b)));
}

/// A grid small enough to enumerate what its map shows: 2 x 2 cells, the map in cell 3.
TreasureMap small_map(int looks, double prior_a = 0.3, double prior_b = 1.7) {
  return TreasureMap({.size = 2, .looks = looks, .horizon = 5, .prior_a = prior_a, .prior_b = prior_b});
}
constexpr int kMapCell = 3;

TEST(BetaBelief, CountsPaymentsOfThePulledArmOnly) {
  const Bandit bandit({.arms = 3, .horizon = 10, .prior_a = 0.5, .prior_b = 2});
  BetaBelief belief(bandit);
  for (const double reward : {1.0, 0.0, 1.0, 1.0}) belief.observe(bandit, kArmOnly, 1, paid(reward));
  EXPECT_EQ(belief.a(1), 0.5 + 3);
  EXPECT_EQ(belief.b(1), 2.0 + 1);
  EXPECT_DOUBLE_EQ(belief.mean(1), 3.5 / 6.5);
  for (const std::size_t untouched : {0U, 2U}) {
    EXPECT_EQ(belief.a(untouched), 0.5);
    EXPECT_EQ(belief.b(untouched), 2.0);
  }
}

TEST(BetaBelief, LearnsNothingFromArrivingAtABandit) {
  const Bandit bandit({.arms = 2});
  BetaBelief belief(bandit);
  belief.observe(bandit, kArmOnly, kArrive, paid(0));
  EXPECT_EQ(key_of(belief), key_of(BetaBelief(bandit)));
}

TEST(BetaBelief, CountsTheLooksTogetherWithThePaidDraw) {
  const TreasureMap map = small_map(5);
  BetaBelief belief(map);
  belief.observe(map, 0, kArrive, {0, 1, {3}});
  EXPECT_EQ(belief.a(0), 0.3 + 4);
  EXPECT_EQ(belief.b(0), 1.7 + 2);
  belief.observe(map, 0, kArrive, {0, 0, {3}});
  EXPECT_EQ(belief.a(0), 0.3 + 7);
  EXPECT_EQ(belief.b(0), 1.7 + 5);
}

TEST(BetaBelief, ReadsTheMapCellByCellWithItsOwnCellFirst) {
  const TreasureMap map = small_map(5);
  BetaBelief belief(map);
  belief.observe(map, kMapCell, kArrive, {kMapCell, 1, {4, 0, 1, 2}});
  const std::vector<std::pair<int, int>> expected = {{0, 5}, {1, 4}, {2, 3}, {5, 1}};
  for (std::size_t cell = 0; cell < 4; ++cell) {
    EXPECT_EQ(belief.a(cell), 0.3 + expected[cell].first) << "cell " << cell;
    EXPECT_EQ(belief.b(cell), 1.7 + expected[cell].second) << "cell " << cell;
  }
}

TEST(BetaBelief, GivesItsCountsAsTwoImages) {
  const Bandit bandit({.arms = 2, .prior_a = 1, .prior_b = 3});
  BetaBelief belief(bandit);
  belief.observe(bandit, kArmOnly, 1, paid(1));
  std::vector<double> features(belief.feature_count());
  belief.features(features);
  EXPECT_EQ(features, (std::vector<double>{1, 2, 3, 3}));
}

TEST(BetaBinomial, FollowsItsDefinitionAndSumsToOne) {
  for (const double a : {0.01, 0.1, 1.0, 2.5, 100.0, 1e4}) {
    for (const double b : {0.01, 0.3, 1.0, 7.0, 1e4}) {
      for (const int n : {0, 1, 2, 5, 20, 100}) {
        double sum = 0;
        for (int k = 0; k <= n; ++k) {
          const double p = detail::beta_binomial(n, k, a, b);
          const double reference = beta_binomial_reference(n, k, a, b);
          EXPECT_NEAR(p, reference, 1e-11 * reference) << n << " " << k << " " << a << " " << b;
          sum += p;
        }
        EXPECT_NEAR(sum, 1, 1e-12) << n << " " << a << " " << b;
      }
    }
  }
}

TEST(BetaBelief, PredictsTheArmsMeanAsTheChanceOfPayment) {
  const Bandit bandit({.arms = 2, .prior_a = 2, .prior_b = 6});
  BetaBelief belief(bandit);
  belief.observe(bandit, kArmOnly, 0, paid(1));
  double sum = 0;
  belief.predict(bandit, kArmOnly, 0, [&](double p, const Outcome& o) {
    EXPECT_NEAR(p, o.reward > 0 ? 3.0 / 9 : 6.0 / 9, 1e-15);
    sum += p;
  });
  EXPECT_NEAR(sum, 1, 1e-15);
  EXPECT_NEAR(belief.expected_reward(bandit, kArmOnly, 0), 3.0 / 9, 1e-15);
}

TEST(BetaBelief, PredictsTheMapAsIndependentBetaBinomialsAndTakesThePaidDrawAsEvidence) {
  const int looks = 2;
  const TreasureMap map = small_map(looks);
  BetaBelief belief(map);
  belief.observe(map, 0, kArrive, {0, 1, {2}});  // cells of different beliefs, so that a mix-up shows
  belief.observe(map, kMapCell, kArrive, {kMapCell, 0, {1, 0, 2, 1}});
  double sum = 0;
  int outcomes = 0;
  belief.predict(map, kMapCell, kArrive, [&](double p, const Outcome& o) {
    // Payment and looks of the map's own cell: successes of looks + 1 draws, the first of which is known. One
    // of C(looks, k) / C(looks + 1, k + paid) of the ways to have so many.
    const int own = o.observation[0] + static_cast<int>(o.reward);
    double expected =
        beta_binomial_reference(looks + 1, own, belief.a(kMapCell), belief.b(kMapCell)) *
        boost::math::binomial_coefficient<double>(looks, static_cast<unsigned>(o.observation[0])) /
        boost::math::binomial_coefficient<double>(looks + 1, static_cast<unsigned>(own));
    for (std::size_t c = 0; c < 3; ++c) {
      expected *= beta_binomial_reference(looks, o.observation[c + 1], belief.a(c), belief.b(c));
    }
    EXPECT_NEAR(p, expected, 1e-12);
    EXPECT_EQ(o.next, kMapCell);
    sum += p;
    ++outcomes;
  });
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_EQ(outcomes, 2 * 3 * 3 * 3 * 3);
}

RC_GTEST_PROP(BetaBelief, IsTheSameAfterOneBatchAsAfterItsDrawsOneByOneInAnyOrder, ()) {
  // A visit with `looks` looks, against the same draws as pulls of a bandit's arm.
  const auto looked = *rc::gen::container<std::vector<int>>(12, rc::gen::inRange(0, 2));
  const int reward = *rc::gen::inRange(0, 2);
  const TreasureMap map = small_map(12, 0.4, 1.2);
  BetaBelief batch(map);
  int successes = 0;
  for (const int draw : looked) successes += draw;
  batch.observe(map, 0, kArrive, {0, static_cast<double>(reward), {successes}});

  const Bandit bandit({.arms = 4, .prior_a = 0.4, .prior_b = 1.2});
  BetaBelief one_by_one(bandit);
  double sequence = 1;  // probability of the draws in this order, by the predictions along the way
  const auto take = [&](int draw) {
    one_by_one.predict(bandit, kArmOnly, 0, [&](double p, const Outcome& o) {
      if (o.reward == draw) sequence *= p;
    });
    one_by_one.observe(bandit, kArmOnly, 0, paid(draw));
  };
  take(reward);
  for (const int draw : looked) take(draw);
  RC_ASSERT(key_of(one_by_one) == key_of(batch));

  double at_once = 0;
  BetaBelief(map).predict(map, 0, kArrive, [&](double p, const Outcome& o) {
    if (o.reward == reward && o.observation[0] == successes) at_once += p;
  });
  const double ways = boost::math::binomial_coefficient<double>(12, static_cast<unsigned>(successes));
  RC_ASSERT(std::abs(at_once / ways - sequence) <= 1e-12 * sequence);
}

TEST(BetaBelief, RefusesCountsThatTheLooksCannotGive) {
  const TreasureMap map = small_map(5);
  for (const Observation& seen : {Observation{-1}, {6}, {}, {1, 1}}) {
    BetaBelief belief(map);
    EXPECT_THROW(belief.observe(map, 0, kArrive, {0, 0, seen}), ImpossibleEvidence) << seen.size();
  }
  BetaBelief belief(map);
  EXPECT_THROW(belief.observe(map, kMapCell, kArrive, {kMapCell, 0, {0, 0, 6, 0}}), ImpossibleEvidence);
  EXPECT_THROW(belief.observe(map, kMapCell, kArrive, {kMapCell, 0, {0}}), ImpossibleEvidence);
}

TEST(BetaBelief, RefusesRewardsThatNoDrawPays) {
  const Bandit bandit({.arms = 2});
  for (const double reward : {0.5, 2.0, -1.0, HUGE_VAL, std::numeric_limits<double>::quiet_NaN()}) {
    BetaBelief belief(bandit);
    EXPECT_THROW(belief.observe(bandit, kArmOnly, 0, paid(reward)), ImpossibleEvidence) << reward;
  }
}

TEST(BetaBelief, RefusesARewardWhereNothingIsPaid) {
  const Bandit bandit({.arms = 2});
  BetaBelief bandit_belief(bandit);
  EXPECT_THROW(bandit_belief.observe(bandit, kArmOnly, kArrive, paid(1)), ImpossibleEvidence);
  const TreasureMap map = small_map(2);
  BetaBelief map_belief(map);
  EXPECT_THROW(map_belief.observe(map, 0, 0, {0, 1, {}}),
               ImpossibleEvidence);  // staying pays nothing by itself
}

TEST(BetaBelief, RefusesAStateThatTheActionDoesNotLeadTo) {
  const TreasureMap map = small_map(2);
  BetaBelief belief(map);
  EXPECT_THROW(belief.observe(map, 0, 0, {1, 0, {}}), ImpossibleEvidence);
}

constexpr int kManyLooks = 60000;

/// A belief with these successes out of kManyLooks looks at every cell, and one failure of the map's own
/// cell.
BetaBelief belief_with(const TreasureMap& map, const std::vector<int>& successes) {
  BetaBelief belief(map);
  const int here = map.cells() / 2;  // the middle of an odd square
  belief.observe(map, here, kArrive, {here, 0, successes});
  return belief;
}

RC_GTEST_PROP(BetaBelief, ComesBackFromItsKeyAndDiffersFromOthersInIt, ()) {
  // Nine cells: the last word of the key is only half used.
  const TreasureMap map({.size = 3, .looks = kManyLooks});
  const auto counts = rc::gen::container<std::vector<int>>(9, rc::gen::inRange(0, kManyLooks + 1));
  const std::vector<int> successes = *counts;
  const std::vector<int> others = *counts;
  const BetaBelief belief = belief_with(map, successes);
  BetaBelief restored(map);
  restored.unpack(key_of(belief));
  for (std::size_t c = 0; c < belief.cells(); ++c) {
    RC_ASSERT(restored.a(c) == belief.a(c));
    RC_ASSERT(restored.b(c) == belief.b(c));
  }
  RC_ASSERT(key_of(restored) == key_of(belief));
  RC_ASSERT((key_of(belief_with(map, others)) == key_of(belief)) == (others == successes));
}

TEST(BetaBelief, KeepsTheLargestCountsOfAnEpisodeApartInItsKey) {
  // A million steps of a hundred looks and a payment each: the longest episode that the families allow.
  const int draws = 101'000'000;
  const TreasureMap map({.size = 1, .looks = draws - 1});
  for (const int success : {0, 1}) {
    BetaBelief belief(map);
    belief.observe(map, 0, kArrive, {0, static_cast<double>(success), {success * (draws - 1)}});
    BetaBelief restored(map);
    restored.unpack(key_of(belief));
    EXPECT_EQ(restored.a(0), 0.1 + success * draws);
    EXPECT_EQ(restored.b(0), 1.0 + (1 - success) * draws);
  }
}

}  // namespace
}  // namespace assay
