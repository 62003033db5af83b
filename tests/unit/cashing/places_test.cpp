// Places, and what knowledge is worth there. The plans that agents follow over them are in planners_test.cpp.
#include "cashing/places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "assay/cashing/cashing.hpp"
#include "assay/problem/registry.hpp"
#include "cashing/place_values.hpp"
#include "support/toy_knowledge.hpp"

namespace assay {
namespace {

struct Prior {
  explicit Prior(const std::string& family)
      : problem(make_problem(family)),
        knowledge(problem->prior()),
        places(std::make_shared<const Places>(*knowledge)) {}

  [[nodiscard]] PlaceValues values(CurrentValue current, int collections, int samples = 80) const {
    PlaceValuer valuer(*knowledge, places, {current, samples, samples}, problem->horizon());
    PlaceValues out;
    valuer.value(*knowledge, collections, {.seed = 4}, out);
    return out;
  }

  std::unique_ptr<Problem> problem;
  std::unique_ptr<Belief> knowledge;
  std::shared_ptr<const Places> places;
};

TEST(Places, AreNextStatesWhereArrivingCollects) {
  for (const char* family : {"t_maze", "treasure_map(size=4)"}) {
    const Prior prior(family);
    EXPECT_EQ(prior.places->kind(), Places::Kind::kArrival) << family;
    EXPECT_EQ(prior.places->count(), prior.problem->states());
    EXPECT_EQ(prior.places->collections_left(1), 0) << "after the last arrival nothing comes";
    for (const Places::Option& o : prior.places->options(0)) EXPECT_EQ(o.place, o.next);
  }
}

TEST(Places, AreStatesThatAreEnteredWhereEnteringCollects) {
  const Prior prior("treasure_map(size=3,order=move_then_collect)");
  EXPECT_EQ(prior.places->kind(), Places::Kind::kEntry);
  EXPECT_EQ(prior.places->count(), 9);
  EXPECT_EQ(prior.places->collections_left(1), 1);
  EXPECT_EQ(prior.places->options(4).size(), 9U) << "from the middle a king goes everywhere";
  EXPECT_EQ(prior.places->options(0).size(), 4U);
}

TEST(Places, AreActionsWhereActionsCollect) {
  const Prior prior("bandit(arms=3,horizon=4)");
  EXPECT_EQ(prior.places->kind(), Places::Kind::kChoice);
  EXPECT_EQ(prior.places->count(), 3);
  for (int arm = 0; arm < 3; ++arm) {
    EXPECT_EQ(prior.places->options(0)[static_cast<std::size_t>(arm)].place, arm);
    EXPECT_NEAR(prior.places->expected_reward(*prior.knowledge, arm),
                prior.knowledge->expected_reward(0, arm), 1e-15);
  }
}

TEST(Places, OfTheStateFormNeedMovesThatAreKnownAndOneCollection) {
  const support::Toy toy{Rng(1)};
  const auto belief = support::prior_knowledge(toy);
  EXPECT_THROW(Places(belief, PlaceForm::kState), UsageError);
  const Places places(belief);
  EXPECT_TRUE(places.action_form());
  EXPECT_EQ(places.kind(), Places::Kind::kChoice);
  EXPECT_EQ(places.count(), 9) << "three actions in each of three states";
}

TEST(Places, AreActionsOfStatesWhereThatIsWanted) {
  const Prior prior("t_maze");
  const Places places(*prior.knowledge, PlaceForm::kAction);
  EXPECT_EQ(places.collections_left(4), 4) << "the last action counts";
  int choices = 0;
  for (int x = 0; x < prior.problem->states(); ++x) {
    for (const Places::Option& option : places.options(x)) {
      EXPECT_TRUE(prior.problem->outline().allowed(x, option.action));
      EXPECT_EQ(option.place, choices++);
      EXPECT_EQ(places.choice(option.place).state, x);
      EXPECT_EQ(places.choice(option.place).action, option.action);
    }
  }
  EXPECT_EQ(places.count(), choices);
}

/// Sums over all environments and all plans, written out from the definitions: an independent derivation of
/// v^c and B of a state-action pair.
struct PairValues {
  double current = 0;
  double best_plan = -1e300;
  double full = 0;
};

PairValues summed_pair(const Belief& belief, int x, int a, int steps) {
  const std::vector<Belief::Possibility> all = belief.environments();
  PairValues sum;
  for (const Belief::Possibility& planned : all) {
    const Plan plan = optimal_plan(planned.environment, steps - 1);
    double of_plan = 0;
    for (const Belief::Possibility& world : all) {
      const auto values = plan_value(world.environment, plan, steps - 1);
      of_plan += world.probability * action_value(world.environment, x, a, values.back());
    }
    sum.current += planned.probability * of_plan;
    sum.best_plan = std::max(sum.best_plan, of_plan);
    sum.full += planned.probability * action_value(planned.environment, x, a, plan.value.back());
  }
  return sum;
}

TEST(PlaceValues, OfActionsAreTheSumsOverAllPlansAndEnvironments) {
  for (const bool known : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      support::ToySettings settings;
      settings.known_transitions = known;
      const support::Toy toy{Rng(seed), settings};
      const auto belief = support::prior_knowledge(toy);
      const auto places = std::make_shared<const Places>(belief);
      ASSERT_TRUE(places->action_form());
      for (const int steps : {1, 4}) {
        PlaceValues sampled, mean;
        PlaceValuer(belief, places, {CurrentValue::kSampled}, 4).value(belief, steps, {}, sampled);
        PlaceValuer(belief, places, {CurrentValue::kMean}, 4).value(belief, steps, {}, mean);
        for (int p = 0; p < places->count(); ++p) {
          const Places::Choice c = places->choice(p);
          const PairValues due = summed_pair(belief, c.state, c.action, steps);
          const auto at = static_cast<std::size_t>(p);
          EXPECT_NEAR(static_cast<double>(sampled.current[at]), due.current, 1e-5);
          EXPECT_NEAR(static_cast<double>(sampled.bound[at]), due.full - due.current, 1e-5);
          const double plan = static_cast<double>(mean.current[at]);
          if (known) {
            EXPECT_GE(plan, due.best_plan - 1e-5) << "v^m is the best";
          } else {
            EXPECT_NEAR(plan, due.best_plan, 1e-5);
          }
          EXPECT_NEAR(static_cast<double>(mean.bound[at] + mean.current[at]), due.full, 1e-5);
        }
      }
    }
  }
}

/// Drawn environments give the same numbers up to the error of so many draws.
TEST(PlaceValues, OfActionsDrawnAreThoseOfTheClosedForm) {
  // Unknown rows and unknown rewards: beliefs without numbered environments.
  for (const char* family : {"bbrl_chain(horizon=6)", "bandit(arms=2,horizon=5)"}) {
    SCOPED_TRACE(family);
    const std::unique_ptr<Problem> problem = make_problem(family);
    const std::unique_ptr<Belief> belief = problem->prior();
    const auto places = std::make_shared<const Places>(*belief, PlaceForm::kAction);
    constexpr int kDraws = 4096;
    PlaceValues values;
    PlaceValuer valuer(*belief, places, {CurrentValue::kSampled, kDraws, kDraws}, problem->horizon());
    valuer.value(*belief, problem->horizon(), {.seed = 3}, values);
    // The same by the reference in double, from other draws.
    Rng rng(17);
    constexpr int kPairs = 2000;
    for (int p = 0; p < places->count(); ++p) {
      const Places::Choice c = places->choice(p);
      double current = 0, full = 0, squares = 0;
      for (int i = 0; i < kPairs; ++i) {
        const Mdp planned = belief->sample_table(rng);
        const Mdp world = belief->sample_table(rng);
        const Plan plan = optimal_plan(planned, problem->horizon() - 1);
        const double in_world =
            action_value(world, c.state, c.action, plan_value(world, plan, problem->horizon() - 1).back());
        current += in_world / kPairs;
        full += action_value(planned, c.state, c.action, plan.value.back()) / kPairs;
        squares += in_world * in_world / kPairs;
      }
      // Five standard errors of both samples together; neighbours are paired, which adds half as much again.
      const double error = 5 * std::sqrt((squares - current * current) * (1.0 / kPairs + 1.5 / kDraws));
      EXPECT_NEAR(static_cast<double>(values.current[static_cast<std::size_t>(p)]), current, error);
      EXPECT_NEAR(static_cast<double>(values.current[static_cast<std::size_t>(p)] +
                                      values.bound[static_cast<std::size_t>(p)]),
                  full, error);
    }
  }
}

TEST(PlaceValues, OfFiniteBeliefsAreTheExactSums) {
  const Prior prior("t_maze(distance=2,arm=1,cue_accuracy=0.8)");
  CrossSampler sampler(Summed{}, StepsLeft{7});
  const CrossSamples due = sampler.sample(*prior.knowledge, {});
  const PlaceValues values = prior.values(CurrentValue::kSampled, 7);
  for (int x = 0; x < prior.problem->states(); ++x) {
    const auto at = static_cast<std::size_t>(x);
    EXPECT_NEAR(static_cast<double>(values.current[at]), current_information(due, x).value, 1e-5);
    EXPECT_NEAR(static_cast<double>(values.bound[at]), information_bound(due, x).value, 1e-5);
  }
}

TEST(PlaceValues, OfDrawnFieldsInTheMeanWorldAreTheLinearEstimator) {
  const Prior prior("treasure_map(size=4)");
  CrossSampler sampler(Linear{80}, StepsLeft{9});
  const CrossSamples due = sampler.sample(*prior.knowledge, {.seed = 4});
  const PlaceValues values = prior.values(CurrentValue::kLinear, 9);
  for (int x = 0; x < 16; ++x) {
    const auto at = static_cast<std::size_t>(x);
    EXPECT_NEAR(static_cast<double>(values.current[at]), current_information(due, x).value, 1e-5) << x;
    EXPECT_NEAR(static_cast<double>(values.bound[at]), information_bound(due, x).value, 1e-5) << x;
  }
}

TEST(PlaceValues, OfPairsOfNeighboursAreUnbiased) {
  // The linear estimator's expectation is the same, with less noise: both means over many draws agree to
  // within five of their standard errors. With N plans of deviation s, neighbours' terms may go together with
  // one other on each side, so the error is at most s sqrt(3 / N).
  const Prior prior("treasure_map(size=3,prior_a=0.5)");
  for (const int samples : {3200, 3207}) {  // by tiles, and lane by lane
    CrossSampler sampler(Paired{3200}, StepsLeft{6});
    const CrossSamples due = sampler.sample(*prior.knowledge, {.seed = 77});
    const PlaceValues values = prior.values(CurrentValue::kSampled, 6, samples);
    for (int x = 0; x < 9; ++x) {
      const Estimate paired = current_information(due, x);
      EXPECT_NEAR(static_cast<double>(values.current[static_cast<std::size_t>(x)]), paired.value,
                  5 * 2 * paired.standard_error)
          << x;
    }
  }
}

TEST(PlaceValues, OfTheMeanPlanAreExact) {
  const Prior prior("treasure_map(size=4)");
  const PlaceValues values = prior.values(CurrentValue::kMean, 9);
  const std::vector<double> due = mean_plan_value(*prior.knowledge, StepsLeft{9});
  for (std::size_t x = 0; x < 16; ++x) EXPECT_NEAR(static_cast<double>(values.current[x]), due[x], 1e-5);
}

TEST(PlaceValues, WhereEnteringPaysAreThoseOfEntering) {
  // The cells and their worth are the same in both orders: only who is about to collect differs.
  const Prior before("treasure_map(size=4)");
  const Prior after("treasure_map(size=4,order=move_then_collect)");
  for (const CurrentValue current : {CurrentValue::kSampled, CurrentValue::kLinear, CurrentValue::kMean}) {
    const PlaceValues one = before.values(current, 6);
    const PlaceValues other = after.values(current, 6);
    EXPECT_EQ(one.current, other.current);
    EXPECT_EQ(one.bound, other.bound);
  }
}

TEST(PlaceValues, OfABanditArmCountThePullAndWhatFollows) {
  const Prior prior("bandit(arms=2,horizon=5,discount=0.9,prior_a=2,prior_b=1)");
  const PlaceValues values = prior.values(CurrentValue::kMean, 3);
  EXPECT_NEAR(static_cast<double>(values.current[0]), 2.0 / 3 * (1 + 0.9 + 0.81), 1e-5)
      << "the mean arm, three times";
  // Full information: this arm once, then the better of two Beta(2,1): 4/5 on average. Six standard errors of
  // 79 draws with a deviation of at most 0.29 per pull.
  const double full = 2.0 / 3 + (0.9 + 0.81) * 4.0 / 5;
  EXPECT_NEAR(static_cast<double>(values.current[0] + values.bound[0]), full,
              6 * 0.29 * 2.71 / std::sqrt(79.0));
}

TEST(PlaceValues, VanishWithNothingToCome) {
  for (const char* family : {"t_maze", "treasure_map(size=3)", "bandit(arms=2,horizon=3)"}) {
    const PlaceValues values = Prior(family).values(CurrentValue::kMean, 0);
    for (const float v : values.current) EXPECT_EQ(v, 0);
    for (const float b : values.bound) EXPECT_EQ(b, 0);
  }
}

TEST(PlaceValues, LeaveNoBoundWhenTheEnvironmentIsKnown) {
  const Prior prior("t_maze");
  const std::unique_ptr<Belief> knows = prior.knowledge->clone();
  knows->observe(0, kArrive, {0, 0, {1}});
  PlaceValuer valuer(*prior.knowledge, prior.places, {}, 20);
  PlaceValues values;
  valuer.value(*knows, 20, {}, values);
  for (const float b : values.bound) EXPECT_NEAR(b, 0, 1e-5);
}

}  // namespace
}  // namespace assay
