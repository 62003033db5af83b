// Beliefs about unknown rewards: Bayes' rule against textbooks, grids and samples.
#include "assay/beliefs/detail/cells.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "support/complaint.hpp"
#include "support/written_cells.hpp"

namespace assay {
namespace {

using test::bernoulli_reward;
using test::complaint;
using test::contains;
using test::normal_reward;
using test::written_bandit;

static_assert(BeliefOver<CellBelief, CellFamily>);
static_assert(!FiniteBeliefOver<CellBelief, CellFamily>);

std::vector<std::uint64_t> packed(const CellBelief& belief) {
  std::vector<std::uint64_t> key(belief.words());
  belief.pack(key);
  return key;
}

Outcome pays(double reward) { return {0, reward, {}}; }

/// Two ways to go on, told apart by a sign or by where they lead; the unknown reward of one state is paid and
/// looked at, that of the other only looked at.
CellFamily chancy() {
  TableBuilder table({"here", "there"}, {"dig", "rest"});
  table.horizon(3).start(0);
  table.environment("only");
  table.outcome(0, 0, {{0.5, {0, 1, {7}}}, {0.3, {0, 2, {7, 8}}}, {0.2, {1, -1, {}}}});
  table.outcome(0, 1, {{0.6, {0, 0, {}}}, {0.4, {0, 5, {}}}});
  table.outcome(1, 1, {{1, {0, 0.25, {}}}});
  CellBuilder builder(table.build());
  builder.unknown(bernoulli_reward("gold", 0.5, 1.5, 2));
  builder.unknown(bernoulli_reward("iron", 2, 1, -3));
  builder.pull(0, 0, {1, 1, false}).pull(0, 0, {0, 2, true}).pull(0, 1, {1, 1, false});
  builder.pull(1, kArrive, {1, 0, true}).pull(1, 1, {1, 0, true});
  return builder.build();
}

TEST(CellBelief, PredictsWhatIsDrawn) {
  const CellFamily family = chancy();
  CellBelief belief(family);
  belief.observe(family, 0, 0, {0, 3, {7, 1, 2}});
  std::vector<std::pair<double, Outcome>> predicted;
  double sum = 0;
  belief.predict(family, 0, 0, [&](double p, const Outcome& o) {
    for (const auto& [q, other] : predicted) EXPECT_FALSE(o == other);
    predicted.emplace_back(p, o);
    sum += p;
  });
  EXPECT_NEAR(sum, 1, 1e-14);
  EXPECT_EQ(predicted.size(), 3U * 2 * 2 * 3);

  const int draws = 20000;
  std::vector<int> met(predicted.size());
  Rng rng(1);
  for (int i = 0; i < draws; ++i) {
    const Outcome drawn = family.sample(0, 0, belief.sample(family, rng), rng);
    const auto at = std::ranges::find(predicted, drawn, &std::pair<double, Outcome>::second);
    ASSERT_NE(at, predicted.end());
    ++met[static_cast<std::size_t>(at - predicted.begin())];
  }
  for (std::size_t i = 0; i < met.size(); ++i) {
    // Five standard deviations of 36 counts: a false alarm in 50 000; 5 more for those that are nearly
    // Poisson.
    const double due = draws * predicted[i].first;
    EXPECT_NEAR(met[i], due, 5 * std::sqrt(due) + 5) << i;
  }
}

TEST(CellBelief, TakesThePaidDrawAndTheLooksForWhatTheyAre) {
  const CellFamily family = chancy();
  CellBelief belief(family);
  // What is seen: the sign (7, 8), 0 of 1 looks at iron, 1 of 2 at gold; 2 for the sign and 2 for gold.
  belief.observe(family, 0, 0, {0, 4, {7, 8, 0, 1}});
  EXPECT_EQ(belief.a(0), 0.5 + 2);
  EXPECT_EQ(belief.b(0), 1.5 + 1);
  EXPECT_EQ(belief.a(1), 2);
  EXPECT_EQ(belief.b(1), 1 + 1);
  EXPECT_EQ(belief.text(family), "gold:2/3, iron:0/1");
  belief.observe(family, 0, 0, {1, -1, {1, 0}});
  EXPECT_EQ(belief.text(family), "gold:2/6, iron:1/2");
  belief.observe(family, 1, kArrive, {1, -3, {}});
  EXPECT_EQ(belief.text(family), "gold:2/6, iron:2/3");
  EXPECT_EQ(CellBelief(family).text(family), "prior");
}

TEST(CellBelief, ExpectsKnownAndUnknownRewardsAndKnowsHowUnsureItIs) {
  const CellFamily family = chancy();
  const CellBelief belief(family);
  EXPECT_NEAR(belief.expected_reward(family, 0, 0), 0.5 + 0.6 - 0.2 + 2 * 0.25, 1e-15);
  EXPECT_NEAR(belief.expected_reward(family, 0, 1), 2, 1e-15);
  EXPECT_NEAR(belief.expected_reward(family, 1, 1), 0.25 - 6 * 2.0 / 3, 1e-15);
  // Var Beta(a,b) = ab / (a+b)^2 (a+b+1). Chance that all environments share is no doubt about them.
  EXPECT_NEAR(belief.reward_variance(family, 0, 0), 4 * 0.75 / (4 * 3), 1e-15);
  EXPECT_EQ(belief.reward_variance(family, 0, 1), 0);
  EXPECT_NEAR(belief.reward_variance(family, 1, 1), 36 * 2.0 / (9 * 4), 1e-15);
  EXPECT_TRUE(belief.learns(family, 0, 0));
  EXPECT_TRUE(belief.learns(family, 0, 1));
  EXPECT_FALSE(belief.learns(family, 0, kArrive));
  EXPECT_FALSE(family.collects(0, kArrive));
  EXPECT_TRUE(family.collects(1, 1));
}

RC_GTEST_PROP(CellBelief, IsTheSameAfterTheSameEvidenceInAnyOrder, ()) {
  const CellFamily family = chancy();
  const auto steps = *rc::gen::container<std::vector<int>>(12, rc::gen::inRange(0, 36));
  const auto take = [&](CellBelief& belief, int which) {
    int i = 0;
    CellBelief(family).predict(family, 0, 0, [&](double /*p*/, const Outcome& o) {
      if (i++ == which) belief.observe(family, 0, 0, o);
    });
  };
  CellBelief forward(family);
  CellBelief backward(family);
  for (auto step = steps.begin(); step != steps.end(); ++step) take(forward, *step);
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) take(backward, *step);
  RC_ASSERT(packed(forward) == packed(backward));
  CellBelief restored(family);
  restored.unpack(packed(forward));
  RC_ASSERT(restored.text(family) == forward.text(family));
}

TEST(CellBelief, RefusesWhatCannotBeSeenAndStaysAsItWas) {
  const CellFamily family = chancy();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CellBelief belief(family);
  const auto key = packed(belief);
  for (const Outcome& wrong : {Outcome{0, 2, {7, 0, 0}},  // neither 1 nor 3
                               {0, nan, {7, 0, 0}},       //
                               {0, 1, {8, 0, 0}},         // another sign
                               {1, 1, {7, 0, 0}},         // a sign that leads elsewhere
                               {0, 1, {7, 2, 0}},         // 2 of 1 looks
                               {0, 1, {7, 1, 3}},         // 3 of 2
                               {0, 1, {7, 1, -1}},        //
                               {0, 1, {7, 1}},            // too few numbers
                               {0, 1, {}},                //
                               {0, 1, {7, 0, 0, 0}}}) {   // too many
    EXPECT_THROW(belief.observe(family, 0, 0, wrong), ImpossibleEvidence) << wrong.reward;
    EXPECT_EQ(packed(belief), key);
  }
  EXPECT_THROW(belief.observe(family, 0, 1, {0, 1, {0}}), ImpossibleEvidence);  // pays 0 or 5
  belief.observe(family, 0, 1, {0, 5, {0}});
  EXPECT_THROW(belief.observe(family, 0, kArrive, {0, 1, {}}), ImpossibleEvidence);
  const CellFamily normal = written_bandit({normal_reward("x", 0, 1, 1)}, 2);
  CellBelief other(normal);
  EXPECT_THROW(other.observe(normal, 0, 0, pays(nan)), ImpossibleEvidence);
  EXPECT_THROW(other.observe(normal, 0, 0, pays(HUGE_VAL)), ImpossibleEvidence);
}

/// Mean and variance of the posterior by sums over a fine grid of means.
std::pair<double, double> by_grid(const UnknownReward& prior, const std::vector<double>& draws) {
  double total = 0;
  double first = 0;
  double second = 0;
  for (int i = -40000; i <= 40000; ++i) {
    const double away = i * 2.5e-4 * prior.deviation;
    double log_weight = -away * away / (2 * prior.deviation * prior.deviation);
    for (const double d : draws) {
      const double z = (d - prior.mean - away) / prior.noise;
      log_weight -= z * z / 2;
    }
    const double weight = std::exp(log_weight);
    total += weight;
    first += weight * away;
    second += weight * away * away;
  }
  return {prior.mean + first / total, second / total - first * first / total / total};
}

TEST(CellBelief, FollowsTheTextbookForNormalRewards) {
  const UnknownReward prior = normal_reward("x", 1, 2, 3);
  TableBuilder table({"here"}, {"dig"});
  table.horizon(9).start(0).outcome(0, 0, {{1, {0, 10, {}}}});
  table.environment("only");
  CellBuilder builder(table.build());
  builder.unknown(prior);
  const CellFamily family = builder.pull(0, 0, {0, 0, true}).build();
  CellBelief belief(family);
  std::vector<double> draws;
  double sum = 0;
  for (const double draw : {2.5, -4.0, 0.0, 7.25, 1.0}) {
    belief.observe(family, 0, 0, pays(10 + draw));
    draws.push_back(draw);
    sum += draw;
    // Precisions add up: 1/4 and 1/9 for each draw.
    const double precision = 1 / 4.0 + static_cast<double>(draws.size()) / 9;
    EXPECT_NEAR(belief.mean(0), (1 / 4.0 + sum / 9) / precision, 1e-14);
    EXPECT_NEAR(belief.variance(0), 1 / precision, 1e-14);
    const auto [mean, variance] = by_grid(prior, draws);
    EXPECT_NEAR(belief.mean(0), mean, 1e-9);
    EXPECT_NEAR(belief.variance(0), variance, 1e-9);
    EXPECT_NEAR(belief.expected_reward(family, 0, 0), 10 + mean, 1e-9);
    EXPECT_NEAR(belief.reward_variance(family, 0, 0), variance, 1e-9);
  }
  EXPECT_EQ(belief.text(family), "x 1.241 +- 1.11");
  CellBelief restored(family);
  restored.unpack(packed(belief));
  EXPECT_EQ(restored.mean(0), belief.mean(0));
  EXPECT_EQ(restored.variance(0), belief.variance(0));
  CellBelief backward(family);
  for (auto draw = draws.rbegin(); draw != draws.rend(); ++draw)
    backward.observe(family, 0, 0, pays(10 + *draw));
  EXPECT_NEAR(backward.mean(0), belief.mean(0), 1e-14);
}

TEST(CellBelief, DensityOfNormalRewardsObeysBayesRule) {
  const CellFamily family = written_bandit(
      {normal_reward("x", 1, 2, 3), bernoulli_reward("y", 2, 1), normal_reward("z", 0, 1, 2)}, 3);
  CellBelief belief(family);
  belief.observe(family, 0, 0, pays(-1));
  CellBelief after = belief;
  after.observe(family, 0, 0, pays(4));
  // p(e|o) / p(e) is p(o|e) up to a factor that does not depend on e.
  const auto gained = [&](double mean, double draw) {
    const std::vector<double> e = {mean, 0.3, 0.7};
    const double z = (draw - mean) / 3;
    return after.log_density(family, e) - belief.log_density(family, e) + z * z / 2;
  };
  EXPECT_NEAR(gained(1.5, 4), gained(-2, 4), 1e-12);
  EXPECT_NEAR(gained(1.5, 4), gained(30, 4), 1e-11);
  // At its mode a standard normal density is 1 / sqrt(2 pi), a Beta(2,1) density at 0.3 is 0.6.
  const double two_pi = 2 * std::acos(-1.0);
  EXPECT_NEAR(CellBelief(family).log_density(family, {1, 0.3, 0}), std::log(0.6 / two_pi / 2), 1e-14);
}

TEST(CellBelief, DrawsNormalRewardsWithTheirPosterior) {
  const CellFamily family = written_bandit({normal_reward("x", 1, 2, 3)}, 3);
  CellBelief belief(family);
  belief.observe(family, 0, 0, pays(4));
  const int draws = 4000;
  Rng rng(3);
  double sum = 0;
  double squares = 0;
  double paid = 0;
  double paid_squares = 0;
  for (int i = 0; i < draws; ++i) {
    const std::vector<double> e = belief.sample(family, rng);
    const double away = e[0] - belief.mean(0);
    sum += away;
    squares += away * away;
    const double noise = family.sample(0, 0, e, rng).reward - e[0];
    paid += noise;
    paid_squares += noise * noise;
  }
  // Standard errors of the mean and, for normal draws, of the variance; five of them.
  const auto expect_law = [&](double first, double second, double variance) {
    EXPECT_NEAR(first / draws, 0, 5 * std::sqrt(variance / draws));
    EXPECT_NEAR(second / draws, variance, 5 * variance * std::sqrt(2.0 / draws));
  };
  expect_law(sum, squares, belief.variance(0));
  expect_law(paid, paid_squares, 9);
}

TEST(CellBelief, KnowsARewardWithoutNoiseOnceItIsSeen) {
  TableBuilder table({"here"}, {"dig", "search"});
  table.horizon(3).start(0).outcome(0, 0, {{1, {0, 0.1, {}}}}).outcome(0, 1, {{1, {0, 0.7, {}}}});
  table.environment("only");
  CellBuilder builder(table.build());
  builder.unknown(normal_reward("x", 1, 1e-200, 0));
  builder.unknown(normal_reward("y", -5, 2, 0));
  builder.pull(0, 0, {1, 0, true}).pull(0, 1, {1, 0, true}).pull(0, kArrive, {0, 0, true});
  const CellFamily family = builder.build();
  CellBelief belief(family);
  EXPECT_TRUE(belief.learns(family, 0, 0));
  belief.observe(family, 0, 0, pays(0.1 + 2.3));
  EXPECT_FALSE(belief.learns(family, 0, 0));
  EXPECT_TRUE(belief.learns(family, 0, kArrive));
  EXPECT_NEAR(belief.mean(1), 2.3, 1e-15);
  EXPECT_EQ(belief.variance(1), 0);
  const auto key = packed(belief);
  belief.observe(family, 0, 1, pays(0.7 + 2.3));  // the same, but for its last digits
  EXPECT_EQ(packed(belief), key);
  EXPECT_THROW(belief.observe(family, 0, 1, pays(0.7 + 2.3001)), ImpossibleEvidence);
  Rng rng(1);
  EXPECT_EQ(belief.sample(family, rng)[1], belief.mean(1));
  const double density_of_x = -std::log(1e-200) - std::log(2 * std::acos(-1.0)) / 2;
  EXPECT_NEAR(belief.log_density(family, {1, belief.mean(1)}), density_of_x, 1e-10);
  EXPECT_EQ(belief.log_density(family, {1, 2}), -HUGE_VAL);
  std::vector<double> features(belief.feature_count());
  belief.features(features);
  for (const double f : features) EXPECT_TRUE(std::isfinite(f));
}

TEST(CellBelief, GivesNetworksTwoNumbersOfEach) {
  const CellFamily family = written_bandit(
      {bernoulli_reward("x", 2, 5), normal_reward("y", -4, 2, 1), normal_reward("z", 2, 1, 0)}, 3);
  CellBelief belief(family);
  belief.observe(family, 0, 0, pays(1));
  belief.observe(family, 0, 1, pays(1));
  belief.observe(family, 0, 1, pays(1));
  belief.observe(family, 0, 2, pays(3));
  std::vector<double> features(belief.feature_count());
  belief.features(features);
  const std::vector<double> due = {3, (-4 + 40.0 / 9) / 4, 3.0 / 4, 5, 9, 1000};
  for (std::size_t i = 0; i < due.size(); ++i) EXPECT_NEAR(features[i], due[i], 1e-12) << i;
  EXPECT_EQ(belief.cells(), 3U);
}

TEST(CellBelief, CannotListWhatANormalRewardMayPay) {
  const CellFamily family = written_bandit({bernoulli_reward("x", 2, 3), normal_reward("y", 0, 2, 1)}, 3);
  const auto ignore = [](double, const Outcome&) {};
  CellBelief(family).predict(family, 0, 0, ignore);
  family.outcomes(0, 0, {0.5, 1}, ignore);
  for (const auto& attempt :
       {std::function<void()>([&] { CellBelief(family).predict(family, 0, 1, ignore); }),
        std::function<void()>([&] {
          family.outcomes(0, 1, {0.5, 1}, ignore);
        })}) {
    const std::string says = complaint(attempt);
    EXPECT_TRUE(contains(says, "'a1' at 's0' pays a normal reward: it has infinitely many outcomes")) << says;
    EXPECT_TRUE(contains(says, "`assay solve` gives bounds")) << says;
  }
}

}  // namespace
}  // namespace assay
