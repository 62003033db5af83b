// What present and full information are worth: closed forms, sampling, and the plans beneath them.
#include "assay/solver/detail/information.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "assay/beliefs/finite.hpp"
#include "assay/solver/detail/mdp.hpp"
#include "families/bandit.hpp"
#include "support/forwarding_belief.hpp"
#include "support/typed_models.hpp"

namespace assay {
namespace {

constexpr double kInformationRounding = 1e-10;

struct Counts {
  int successes, failures;
};

/// A bandit with a Beta(1,1) prior per arm and the belief after these counts.
struct Seen {
  explicit Seen(const std::vector<Counts>& arms, double discount = 1)
      : bandit({.arms = static_cast<int>(arms.size()), .horizon = 100, .discount = discount}),
        belief(bandit) {
    for (std::size_t arm = 0; arm < arms.size(); ++arm) {
      for (int i = 0; i < arms[arm].successes; ++i)
        belief.observe(bandit, 0, static_cast<int>(arm), {0, 1, {}});
      for (int i = 0; i < arms[arm].failures; ++i)
        belief.observe(bandit, 0, static_cast<int>(arm), {0, 0, {}});
    }
  }
  InformationValues closed_form(int remaining) const { return bandit.closed_form(belief, remaining); }

  Bandit bandit;
  BetaBelief belief;
};

double beta_function(double a, double b) {
  return std::exp(std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b));
}

/// P(X > Y) for X ~ Beta(a,b), Y ~ Beta(c,d) and whole numbers: P(X > y) = sum over i < a of
/// C(a+b-1, i) y^i (1-y)^(a+b-1-i), and the mean of each term over Y is a ratio of Beta functions.
double exceeds(int a, int b, int c, int d) {
  const int n = a + b - 1;
  double sum = 0;
  for (int i = 0; i < a; ++i) {
    const double choose = 1 / ((n + 1) * beta_function(i + 1, n - i + 1));
    sum += choose * beta_function(c + i, d + n - i) / beta_function(c, d);
  }
  return sum;
}

struct OneStep {
  double current, full;
};

/// E[max(X,Y)] = E[X; X > Y] + E[Y; Y > X], and weighting Beta(a,b) by its variate gives Beta(a+1,b) times
/// the mean.
OneStep two_arms(const Counts& one, const Counts& other) {
  const int a = 1 + one.successes;
  const int b = 1 + one.failures;
  const int c = 1 + other.successes;
  const int d = 1 + other.failures;
  const double mean_one = static_cast<double>(a) / (a + b);
  const double mean_other = static_cast<double>(c) / (c + d);
  return {mean_one * exceeds(a, b, c, d) + mean_other * exceeds(c, d, a, b),
          mean_one * exceeds(a + 1, b, c, d) + mean_other * exceeds(c + 1, d, a, b)};
}

TEST(BanditClosedForm, KnowsTheMaximumOfUniformArms) {
  for (int arms = 1; arms <= 6; ++arms) {
    const InformationValues values = Seen(std::vector<Counts>(static_cast<std::size_t>(arms))).closed_form(1);
    EXPECT_NEAR(values.full.value, arms / (arms + 1.0), kInformationRounding) << arms << " arms";
    EXPECT_NEAR(values.current.value, 0.5, kInformationRounding) << arms << " arms";
    EXPECT_NEAR(values.bound.value, arms / (arms + 1.0) - 0.5, kInformationRounding) << arms << " arms";
    EXPECT_EQ(values.full.standard_error, 0);
  }
}

TEST(BanditClosedForm, CurrentInformationAtThePriorIsThePriorMean) {
  // Arms that are alike win equally often, also where all mass is within rounding of 0 or of 1.
  for (const double a : {0.01, 0.1, 0.5, 1.0, 3.0, 1000.0, 10000.0}) {
    for (const double b : {0.01, 0.1, 1.0, 3.0, 1000.0, 10000.0}) {
      const Bandit bandit({.arms = 3, .horizon = 10, .prior_a = a, .prior_b = b});
      InformationValues values;
      ASSERT_NO_THROW(values = bandit.closed_form(BetaBelief(bandit), 1)) << a << ", " << b;
      EXPECT_NEAR(values.current.value, a / (a + b), 1e-9) << a << ", " << b;
      EXPECT_GE(values.bound.value, -1e-9) << a << ", " << b;
      EXPECT_LE(values.full.value, 1 + 1e-9) << a << ", " << b;
    }
  }
}

TEST(BanditClosedForm, KnowsTheMaximumOfOneSidedArms) {
  for (const double shape : {0.01, 0.3, 1.0, 7.0, 5000.0}) {
    // Beta(a,1): P(all <= q) = q^(na).
    const Bandit rising({.arms = 4, .horizon = 1, .prior_a = shape, .prior_b = 1});
    EXPECT_NEAR(rising.closed_form(BetaBelief(rising), 1).full.value, 4 * shape / (4 * shape + 1), 1e-9)
        << shape;
    // Beta(1,b): 1 - P(both <= q) = 2 (1-q)^b - (1-q)^(2b).
    const Bandit falling({.arms = 2, .horizon = 1, .prior_a = 1, .prior_b = shape});
    EXPECT_NEAR(falling.closed_form(BetaBelief(falling), 1).full.value, 2 / (shape + 1) - 1 / (2 * shape + 1),
                1e-9)
        << shape;
  }
}

TEST(BanditClosedForm, DiscountsEveryStepThatRemains) {
  const double one_step = Seen({{3, 1}, {0, 2}}).closed_form(1).full.value;
  EXPECT_NEAR(Seen({{3, 1}, {0, 2}}).closed_form(7).full.value, 7 * one_step, kInformationRounding);
  EXPECT_NEAR(Seen({{3, 1}, {0, 2}}, 0.5).closed_form(3).full.value, 1.75 * one_step, kInformationRounding);
  EXPECT_NEAR(Seen({{3, 1}, {0, 2}}, 0).closed_form(3).full.value, one_step, kInformationRounding);
  EXPECT_EQ(Seen({{3, 1}, {0, 2}}).closed_form(0).full.value, 0);
}

RC_GTEST_PROP(BanditClosedForm, EqualsTheSumForTwoArmsWithWholeCounts, ()) {
  const auto count = rc::gen::inRange(0, 15);
  const Counts one{*count, *count};
  const Counts other{*count, *count};
  const InformationValues values = Seen({one, other}).closed_form(1);
  const OneStep expected = two_arms(one, other);
  RC_ASSERT(std::abs(values.current.value - expected.current) < kInformationRounding);
  RC_ASSERT(std::abs(values.full.value - expected.full) < kInformationRounding);
  RC_ASSERT(std::abs(values.bound.value - (expected.full - expected.current)) < kInformationRounding);
}

TEST(BanditClosedForm, IsWhatTheBeliefIsAskedFor) {
  const Seen seen({{2, 7}, {1, 1}, {0, 3}}, 0.9);
  const InformationValues due = seen.closed_form(5);
  const std::unique_ptr<Belief> belief = support::erased(seen.bandit, seen.belief);
  ASSERT_TRUE(belief->closed_form(5));
  const InformationValues values = information_values(*belief, seen.bandit.starts(), 5, {});
  for (const InformationValues& one : {*belief->closed_form(5), values}) {
    EXPECT_EQ(one.current.value, due.current.value);
    EXPECT_EQ(one.full.value, due.full.value);
    EXPECT_EQ(one.bound.value, due.bound.value);
  }
}

/// A belief about a bandit that knows no closed form, so that environments must be drawn.
class OnlyDrawn final : public test::ForwardingBelief {
 public:
  explicit OnlyDrawn(const Seen& seen) : ForwardingBelief(support::erased(seen.bandit, seen.belief)) {}
  std::optional<InformationValues> closed_form(int /*remaining*/) const override { return std::nullopt; }
};

TEST(SampledInformation, AgreesWithTheClosedForm) {
  const std::vector<std::vector<Counts>> cases = {{{0, 0}, {0, 0}},
                                                  {{4, 1}, {0, 0}},
                                                  {{2, 7}, {1, 1}, {0, 3}},
                                                  {{9, 0}, {0, 9}},
                                                  {{1, 0}, {0, 1}, {2, 2}, {5, 5}}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Seen seen(cases[i], 0.9);
    const InformationValues exact = seen.closed_form(5);
    const InformationValues drawn = information_values(OnlyDrawn(seen), seen.bandit.starts(), 5,
                                                       {.seed = i, .samples = 20'000, .threads = 1});
    EXPECT_NEAR(drawn.current.value, exact.current.value, 5 * drawn.current.standard_error);
    EXPECT_NEAR(drawn.full.value, exact.full.value, 5 * drawn.full.standard_error);
    EXPECT_NEAR(drawn.bound.value, exact.bound.value, 5 * drawn.bound.standard_error);
    EXPECT_LT(drawn.full.standard_error, 0.05);
  }
}

TEST(SampledInformation, IsAsSureAsItSays) {
  const Seen seen({{2, 1}, {0, 1}});
  const InformationValues exact = seen.closed_form(3);
  constexpr int kRepetitions = 200;
  int current = 0;
  int full = 0;
  int bound = 0;
  const auto covers = [](const Estimate& e, double truth) {
    return std::abs(e.value - truth) <= 1.96 * e.standard_error ? 1 : 0;
  };
  for (std::uint64_t i = 0; i < kRepetitions; ++i) {
    const InformationValues drawn = information_values(OnlyDrawn(seen), seen.bandit.starts(), 3,
                                                       {.seed = 100 + i, .samples = 400, .threads = 1});
    current += covers(drawn.current, exact.current.value);
    full += covers(drawn.full, exact.full.value);
    bound += covers(drawn.bound, exact.bound.value);
  }
  for (const int covered : {current, full, bound}) {
    EXPECT_GE(covered, 0.90 * kRepetitions);
    EXPECT_LE(covered, 0.99 * kRepetitions);
  }
}

TEST(SampledInformation, DoesNotDependOnThreads) {
  const Seen seen({{2, 1}, {0, 1}});
  const auto with = [&](int threads) {
    return information_values(OnlyDrawn(seen), seen.bandit.starts(), 3,
                              {.seed = 1, .samples = 500, .threads = threads});
  };
  EXPECT_EQ(with(1).current.value, with(2).current.value);
  EXPECT_EQ(with(1).bound.standard_error, with(2).bound.standard_error);
}

/// A random MDP: forbidden actions, impossible arcs, rewards from a coarse set so that actions tie.
Mdp random_mdp(Rng rng) {
  Mdp mdp{.states = 1 + static_cast<int>(uniform_index(rng, 4)),
          .actions = 1 + static_cast<int>(uniform_index(rng, 3)),
          .discount = uniform_index(rng, 3) == 0 ? 1 : uniform(rng),
          .reward = {},
          .first_arc = {0},
          .arcs = {}};
  for (int x = 0; x < mdp.states; ++x) {
    const int always = static_cast<int>(uniform_index(rng, static_cast<std::uint64_t>(mdp.actions)));
    for (int a = 0; a < mdp.actions; ++a) {
      const bool may = a == always || bernoulli(rng, 0.7);
      mdp.reward.push_back(may ? static_cast<double>(uniform_index(rng, 4)) : -HUGE_VAL);
      // Quarters add up exactly, in any order.
      for (int quarter = 0; may && quarter < 4; ++quarter) {
        mdp.arcs.push_back(
            {static_cast<int>(uniform_index(rng, static_cast<std::uint64_t>(mdp.states))), 0.25});
      }
      mdp.first_arc.push_back(static_cast<std::uint32_t>(mdp.arcs.size()));
    }
  }
  return mdp;
}

/// The naive way: no tables, the future computed afresh wherever it is needed.
double naive_action_value(const Mdp& mdp, int x, int a, const std::function<double(int)>& future) {
  const auto pair = static_cast<std::size_t>(x * mdp.actions + a);
  double sum = mdp.reward[pair];
  for (auto i = mdp.first_arc[pair]; i < mdp.first_arc[pair + 1]; ++i) {
    sum += mdp.discount * mdp.arcs[i].probability * future(mdp.arcs[i].next);
  }
  return sum;
}

double naive_value(const Mdp& mdp, int x, int h) {
  if (h == 0) return 0;
  double best = -HUGE_VAL;
  for (int a = 0; a < mdp.actions; ++a) {
    best = std::max(best, naive_action_value(mdp, x, a, [&](int y) { return naive_value(mdp, y, h - 1); }));
  }
  return best;
}

double naive_plan_value(const Mdp& mdp, const Plan& plan, int x, int h) {
  if (h == 0) return 0;
  const int a = plan.action[static_cast<std::size_t>(h)][static_cast<std::size_t>(x)];
  return naive_action_value(mdp, x, a, [&](int y) { return naive_plan_value(mdp, plan, y, h - 1); });
}

RC_GTEST_PROP(OptimalPlan, EqualsNaiveRecursion, (std::uint64_t seed)) {
  const Mdp mdp = random_mdp(Rng(seed));
  constexpr int kHorizon = 3;
  const Plan plan = optimal_plan(mdp, kHorizon);
  RC_ASSERT(plan.value.size() == kHorizon + 1U);
  RC_ASSERT(plan.action.size() == kHorizon + 1U);
  for (int h = 0; h <= kHorizon; ++h) {
    const std::vector<double> followed = plan_value(mdp, plan, h).back();
    for (int x = 0; x < mdp.states; ++x) {
      const auto at = static_cast<std::size_t>(x);
      RC_ASSERT(std::abs(plan.value[static_cast<std::size_t>(h)][at] - naive_value(mdp, x, h)) <
                kInformationRounding);
      RC_ASSERT(std::abs(followed[at] - naive_value(mdp, x, h)) < kInformationRounding);
    }
  }
}

RC_GTEST_PROP(PlanValue, OfAnotherEnvironmentEqualsNaiveRecursion, (std::uint64_t seed)) {
  const Mdp mdp = random_mdp(Rng(seed));
  Mdp other = mdp;  // the same moves are allowed, everything else differs
  Rng rng(seed, 1);
  for (double& r : other.reward) r = std::isfinite(r) ? uniform(rng) : r;
  for (auto& arc : other.arcs)
    arc.next = static_cast<int>(uniform_index(rng, static_cast<std::uint64_t>(mdp.states)));
  const Plan plan = optimal_plan(other, 3);
  const std::vector<double> followed = plan_value(mdp, plan, 3).back();
  const std::vector<double> best = optimal_plan(mdp, 3).value.back();
  for (int x = 0; x < mdp.states; ++x) {
    const auto at = static_cast<std::size_t>(x);
    RC_ASSERT(std::abs(followed[at] - naive_plan_value(mdp, plan, x, 3)) < kInformationRounding);
    RC_ASSERT(followed[at] <= best[at] + kInformationRounding);
  }
}

TEST(OptimalPlan, TakesTheLowestOfEqualActions) {
  Mdp mdp{.states = 1,
          .actions = 4,
          .discount = 1,
          .reward = {-HUGE_VAL, 1, 2, 2},
          .first_arc = {0, 0, 1, 2, 3},
          .arcs = {{0, 1}, {0, 1}, {0, 1}}};
  EXPECT_EQ(optimal_plan(mdp, 2).action[2][0], 2);
  mdp.reward = {-HUGE_VAL, 2, 2, 2};
  EXPECT_EQ(optimal_plan(mdp, 2).action[2][0], 1);
}

TEST(OptimalPlan, TakesTheLowestOfActionsThatOnlyRoundingTellsApart) {
  // 0.3 in one piece and in two: 0.1 + 0.2 is one unit in the last place above it. v^c depends on ties, and
  // must not depend on the order in which an outcome's pieces were added up.
  const Mdp mdp{.states = 1,
                .actions = 2,
                .discount = 1,
                .reward = {0.3, 0.1 + 0.2},
                .first_arc = {0, 1, 2},
                .arcs = {{0, 1}, {0, 1}}};
  ASSERT_GT(mdp.reward[1], mdp.reward[0]);
  for (int h = 1; h <= 5; ++h) EXPECT_EQ(optimal_plan(mdp, 5).action[static_cast<std::size_t>(h)][0], 0) << h;
}

TEST(OptimalPlan, OfNoStepsIsWorthNothing) {
  const Mdp mdp = random_mdp(Rng(1));
  const Plan plan = optimal_plan(mdp, 0);
  EXPECT_EQ(plan.value,
            (std::vector<std::vector<double>>{std::vector<double>(static_cast<std::size_t>(mdp.states))}));
}

}  // namespace
}  // namespace assay
