// The models that a search among beliefs uses where moves are known: bounds of beliefs, their successors,
// and how likely environments make observations.
#include "cashing/conjugate_model.hpp"

#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "assay/beliefs/detail/cells.hpp"
#include "beliefs/rows.hpp"
#include "families/row_family.hpp"
#include "families/treasure_map.hpp"
#include "support/belief_models.hpp"
#include "support/ks.hpp"
#include "support/random_problem.hpp"

namespace assay::test {
namespace {

TEST(ConjugateModel, CollectsWhatTheMeanEnvironmentsPlanDoes) {
  for (const auto& problem : known_moves_problems()) {
    SCOPED_TRACE(problem->name());
    ConjugateModel model(*problem->prior(), {.environments = 3, .discount = problem->discount()});
    EXPECT_TRUE(model.lower_holds());
    EXPECT_EQ(model.discount(), problem->discount());
    for (int steps = 0; steps < 3; ++steps) {
      const Situation now = walked(*problem, static_cast<std::uint64_t>(steps), steps);
      const Belief& knowledge = now.belief();
      const std::uint32_t root = model.begin(now, Rng(5));
      const Plan plan = optimal_plan(knowledge.mean(), now.remaining());
      for (int left = 1; left <= now.remaining(); ++left) {
        for (int x = 0; x < problem->states(); ++x) {
          const double right = plan.value[static_cast<std::size_t>(left)][static_cast<std::size_t>(x)] -
                               knowledge.expected_arrival(x);
          EXPECT_NEAR(model.bounds(root, x, left).lower, right, float_slack(left, 2, 2));
        }
      }
      EXPECT_EQ(model.root_bounds(now.state(), now.remaining()).lower.standard_error, 0);
    }
  }
}

TEST(ConjugateModel, WhatArrivingPaidIsNotPaidAgain) {
  // Only arriving pays on this map: with one step to go, nothing is left; with two, one cell at most.
  const auto problem = make_problem("treasure_map(size=3,looks=1,horizon=4)");
  const auto knowledge = problem->prior();
  ASSERT_GT(knowledge->expected_arrival(4), 0.01);
  ConjugateModel model(*knowledge, {.environments = 5, .discount = 1});
  const std::uint32_t root = model.begin(walked(*problem, 1, 0), Rng(5));
  for (int x = 0; x < problem->states(); ++x) {
    const Bounds last = model.bounds(root, x, 1);
    EXPECT_NEAR(last.lower, 0, 1e-6);
    EXPECT_NEAR(last.upper, 0, 1e-6);
    EXPECT_NEAR(model.root_bounds(x, 1).upper.value, 0, 1e-6);
    EXPECT_GT(model.bounds(root, x, 2).upper, 0);
    EXPECT_LE(model.bounds(root, x, 2).upper, 1);
  }
}

/// v^e with so many steps to go, having arrived, over environments drawn from a belief one by one.
MeanAndError full_value_after_arrival(const Belief& known, int state, int left, double discount) {
  std::vector<double> values;
  Rng rng(99);
  for (int i = 0; i < 1000; ++i) {
    Mdp drawn = known.sample_table(rng);
    drawn.discount = discount;
    values.push_back(optimal_plan(drawn, left).value.back()[static_cast<std::size_t>(state)]);
  }
  MeanAndError full = mean_and_deviation(values);
  full.mean -= known.expected_arrival(state);  // the same on average
  return full;
}

TEST(ConjugateModel, KnowsTheFullInformationValuesOfItsBeliefs) {
  // The mean over the pool has the error that is reported. Once it is weighted by a likelihood, no weight
  // exceeds one over the successor's probability, so that its variance is at most that of so many fewer
  // draws.
  const double z = laws::z_threshold();
  constexpr std::size_t kPool = 2000;
  for (const auto& problem : known_moves_problems()) {
    SCOPED_TRACE(problem->name());
    ConjugateModel model(*problem->prior(), {.environments = kPool, .discount = problem->discount()});
    const Situation now = walked(*problem, 4, 1);
    const int left = now.remaining();
    const std::uint32_t root = model.begin(now, Rng(8));
    const EstimatedBounds bounds = model.root_bounds(now.state(), left);
    const MeanAndError full = full_value_after_arrival(now.belief(), now.state(), left, problem->discount());
    EXPECT_NEAR(bounds.upper.value, full.mean,
                z * std::hypot(full.error, bounds.upper.standard_error) + 1e-5);
    EXPECT_NEAR(bounds.upper.value, model.bounds(root, now.state(), left).upper, 1e-5);
    EXPECT_GT(bounds.upper.standard_error, 0);
    std::vector<BeliefModel::Choice> choices;
    model.look_ahead(root, now.state(), left, choices);
    for (std::size_t i = 0; i < choices.front().successors.size(); i += 5) {
      const BeliefModel::Successor& to = choices.front().successors[i];
      if (to.probability < 0.02) continue;
      const MeanAndError then =
          full_value_after_arrival(model.knowledge(to.belief), to.state, left - 1, problem->discount());
      const double weighted = then.deviation / std::sqrt(kPool * to.probability);
      EXPECT_NEAR(to.bounds.upper, then.mean, z * std::hypot(then.error, weighted) + 1e-5);
    }
  }
}

void expect_consistent(const Problem& problem, BeliefModel& model, std::uint32_t belief, int state,
                       int left) {
  const auto known = model.knowledge(belief).clone();
  const Mdp mean = known->mean();
  std::vector<BeliefModel::Choice> choices;
  model.look_ahead(belief, state, left, choices);
  std::size_t at = 0;
  for (int a = 0; a < problem.actions(); ++a) {
    if (!known->allowed(state, a)) continue;
    ASSERT_LT(at, choices.size());
    const BeliefModel::Choice& choice = choices[at++];
    EXPECT_EQ(choice.action, a);
    EXPECT_NEAR(choice.reward, known->expected_reward(state, a) - known->expected_arrival(state), 1e-9);
    double sum = 0;
    std::vector<double> after(mean.reward.size());
    double arrived = 0;
    std::map<int, double> next;
    for (const BeliefModel::Successor& to : choice.successors) {
      sum += to.probability;
      EXPECT_EQ(to.state, to.acted.next);
      next[to.state] += to.probability;
      const Mdp then = model.knowledge(to.belief).mean();
      for (std::size_t row = 0; row < after.size(); ++row) after[row] += to.probability * then.reward[row];
      arrived += to.probability * to.arrived.reward;
      if (left == 1) continue;
      const Plan plan = optimal_plan(then, left - 1);
      EXPECT_NEAR(to.bounds.lower,
                  plan.value.back()[static_cast<std::size_t>(to.state)] -
                      model.knowledge(to.belief).expected_arrival(to.state),
                  float_slack(left, 2, 2));
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    for (std::size_t row = 0; row < after.size(); ++row) {
      if (!std::isfinite(mean.reward[row])) continue;
      EXPECT_NEAR(after[row], mean.reward[row], 1e-12);
    }
    // Where one gets to tells nothing of the cells, and nobody arrives after the last step.
    double expected = 0;
    for (const auto& [x, p] : next) expected += left > 1 ? p * known->expected_arrival(x) : 0;
    EXPECT_NEAR(arrived, expected, 1e-12);
  }
  EXPECT_EQ(at, choices.size());
}

TEST(ConjugateModel, BeliefsAreMartingales) {
  for (const auto& problem : known_moves_problems()) {
    SCOPED_TRACE(problem->name());
    ConjugateModel model(*problem->prior(),
                         {.environments = 4, .listed = 4096, .discount = problem->discount()});
    for (int steps = 0; steps < 4; ++steps) {
      const Situation now = walked(*problem, static_cast<std::uint64_t>(steps), steps);
      const std::uint32_t root = model.begin(now, Rng(5));
      expect_consistent(*problem, model, root, now.state(), now.remaining());
      std::vector<BeliefModel::Choice> choices;
      if (now.remaining() < 2) continue;
      model.look_ahead(root, now.state(), now.remaining(), choices);
      const BeliefModel::Successor to = choices.back().successors.front();
      expect_consistent(*problem, model, to.belief, to.state, now.remaining() - 1);
    }
  }
}

/// The value of an action for an agent that does not learn more after its successors.
double worth_of(const BeliefModel::Choice& choice, double discount) {
  double sum = choice.reward;
  for (const BeliefModel::Successor& to : choice.successors) {
    sum += discount * to.probability * (to.arrived.reward + to.bounds.lower);
  }
  return sum;
}

TEST(ConjugateModel, SuccessorsThatAreTooManyAreDrawn) {
  const auto many = make_problem("treasure_map(size=3,looks=3,horizon=4)");
  const auto normal = cell_problem("normal", written_bandit({normal_reward("x", 1, 2, 0.5)}, 3));
  for (const Problem* problem : {many.get(), normal.get()}) {
    ConjugateModel model(*problem->prior(), {.environments = 50, .listed = 5, .drawn = 7, .discount = 1});
    const Situation now = walked(*problem, 1, 0);
    std::vector<BeliefModel::Choice> choices;
    const std::uint32_t root = model.begin(now, Rng(2));
    EXPECT_TRUE(model.all_listed());
    model.look_ahead(root, now.state(), now.remaining(), choices);
    EXPECT_FALSE(model.all_listed());
    EXPECT_TRUE(model.lower_holds());
    for (const BeliefModel::Choice& choice : choices) {
      ASSERT_EQ(choice.successors.size(), 7U);
      for (const BeliefModel::Successor& to : choice.successors) {
        EXPECT_NEAR(to.probability, 1.0 / 7, 1e-15);
        EXPECT_NE(to.evidence, 0U);
        EXPECT_TRUE(std::isfinite(to.bounds.lower) && std::isfinite(to.bounds.upper));
      }
    }
  }
}

TEST(ConjugateModel, DrawnSuccessorsOnlyStandForWhatChangesThePlan) {
  // With one arm there is nothing to decide: however few successors are drawn, its value is known.
  const auto problem = cell_problem("normal", written_bandit({normal_reward("x", 1, 2, 0.5)}, 6));
  ConjugateModel model(*problem->prior(), {.environments = 3, .drawn = 3, .discount = 0.9});
  for (int steps = 0; steps < 6; ++steps) {
    const Situation now = walked(*problem, 2, steps);
    const double right = model.bounds(model.begin(now, Rng(7)), now.state(), 6 - steps).lower;
    std::vector<BeliefModel::Choice> choices;
    model.look_ahead(0, now.state(), 6 - steps, choices);
    ASSERT_EQ(choices.front().successors.size(), 3U);
    EXPECT_NE(choices.front().successors[0].acted.reward, choices.front().successors[1].acted.reward);
    EXPECT_NEAR(worth_of(choices.front(), 0.9), right, float_slack(6, 10, 1));
  }
}

TEST(ConjugateModel, DrawnSuccessorsAreRightOnAverage) {
  // Against the same successors, listed.
  const double z = laws::z_threshold();
  for (const char* spec : {"treasure_map(size=2,looks=2,horizon=5,prior_a=1)",
                           "treasure_map(size=2,looks=2,horizon=4,order=move_then_collect,prior_a=0.5)"}) {
    SCOPED_TRACE(spec);
    const auto problem = make_problem(spec);
    const Situation now = walked(*problem, 1, 1);
    const int left = now.remaining();
    const auto worths = [&](std::size_t listed, std::uint64_t seed) {
      ConjugateModel model(*problem->prior(),
                           {.environments = 2, .listed = listed, .drawn = 8, .discount = 0.9});
      std::vector<BeliefModel::Choice> choices;
      model.look_ahead(model.begin(now, Rng(seed)), now.state(), left, choices);
      std::vector<double> all;
      for (const BeliefModel::Choice& one : choices) all.push_back(worth_of(one, 0.9));
      return all;
    };
    const std::vector<double> right = worths(100'000, 0);
    std::vector<std::vector<double>> drawn(right.size());
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      const std::vector<double> one = worths(2, seed);
      for (std::size_t a = 0; a < one.size(); ++a) drawn[a].push_back(one[a]);
    }
    for (std::size_t a = 0; a < right.size(); ++a) {
      const MeanAndError found = mean_and_deviation(drawn[a]);
      EXPECT_GT(found.deviation, 0) << "drawn, not listed";
      EXPECT_NEAR(found.mean, right[a], z * found.error + 1e-5);
    }
  }
}

template <class F, class B>
void expect_likelihood_ratios(const F& family) {
  const B belief(family);
  Rng rng(3);
  int compared = 0;
  for (int round = 0; round < 3; ++round) {
    const auto one = belief.sample(family, rng);
    const auto other = belief.sample(family, rng);
    for (int x = 0; x < family.states(); ++x) {
      for (int a = kArrive; a < family.actions(); ++a) {
        if (a != kArrive && !allowed(family, x, a)) continue;
        const auto chance = [&](const auto& e, const Outcome& seen) {
          double sum = 0;
          family.outcomes(x, a, e, [&](double p, const Outcome& o) { sum += o == seen ? p : 0; });
          return sum;
        };
        family.outcomes(x, a, one, [&](double /*p*/, const Outcome& seen) {
          const double left = family.likelihood(x, a, one, seen) * chance(other, seen);
          const double right = family.likelihood(x, a, other, seen) * chance(one, seen);
          EXPECT_NEAR(left, right, 1e-12 * (left + right));
          compared += left > 0 ? 1 : 0;
        });
      }
    }
  }
  EXPECT_GT(compared, 10);
}

TEST(Likelihoods, AreOutcomesProbabilitiesUpToACommonFactor) {
  expect_likelihood_ratios<TreasureMap, BetaBelief>(TreasureMap({.size = 2, .looks = 3, .horizon = 3}));
  expect_likelihood_ratios<CellFamily, CellBelief>(slippery_cells(3, 1));
  RowBuilder rows(3, 2);
  rows.horizon(3).start(0);
  const int paid = rows.unknown_reward(bernoulli_reward("r", 1, 2, 3));
  for (int x = 0; x < 3; ++x) {
    rows.unknown(x, 0, {0, 1, 2}, RowLaw{}).landing(x, 0, 1, 0.5);
    rows.known(x, 1, {{0, 0.25}, {2, 0.75}}).pays(x, 1, paid);
  }
  expect_likelihood_ratios<RowFamily, RowBelief>(rows.build());
}

TEST(Likelihoods, OfNormalRewardsAreTheirDensities) {
  const double noise = 0.7;
  RowBuilder rows(2, 1);
  rows.horizon(3).start(0);
  const int paid = rows.unknown_reward(normal_reward("r", 1, 2, noise));
  for (int x = 0; x < 2; ++x) rows.unknown(x, 0, {0, 1}, RowLaw{}).pays(x, 0, paid).landing(x, 0, 1, 0.5);
  const auto chain = row_problem("rows", rows.build());
  const auto bandit = cell_problem("cells", written_bandit({normal_reward("x", 1, 2, noise)}, 3));
  for (const Problem* problem : {chain.get(), bandit.get()}) {
    const auto one = problem->prior()->environment();
    const auto other = problem->prior()->environment();
    one->draw(Rng(1));
    other->draw(Rng(2));
    Rng luck(3);
    for (int i = 0; i < 20; ++i) {
      const Outcome seen = one->outcome(0, 0, luck);
      const auto density = [&](Environment& e) {
        const Mdp table = e.tabulate();
        double chance = 0;
        double landing = 0;
        for (std::size_t arc = table.first_arc[0]; arc < table.first_arc[1]; ++arc) {
          const bool there = table.arcs[arc].next == seen.next;
          chance += there ? table.arcs[arc].probability : 0;
          landing +=
              problem == chain.get() && table.arcs[arc].next == 1 ? 0.5 * table.arcs[arc].probability : 0;
        }
        const double value = table.reward[0] - landing;
        const double known = problem == chain.get() && seen.next == 1 ? 0.5 : 0;
        return chance * boost::math::pdf(boost::math::normal(value + known, noise), seen.reward);
      };
      const double ratio = density(*one) / density(*other);
      EXPECT_NEAR(one->likelihood(0, 0, seen) / other->likelihood(0, 0, seen), ratio, 1e-9 * ratio);
    }
  }
}

TEST(Environments, PayOnAverageWhatTheirOutcomesDo) {
  const CellFamily family = slippery_cells(4, 1);
  const auto problem = cell_problem("slippery", family);
  const auto drawn = problem->prior()->environment();
  const CellBelief belief(family);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    drawn->draw(Rng(seed));
    const Mdp table = drawn->tabulate();
    // The chances of the three cells, each read off a place that pays it alone.
    const std::vector<double> e = {drawn->expected_arrival(0), table.reward[1 * 2 + 1] - 0.25,
                                   table.reward[1] - 0.25 - drawn->expected_arrival(0)};
    const double paid_here = e[0];
    const double slips = 0.3 * 0.125;
    EXPECT_NEAR(drawn->expected_reward(0, 0), paid_here + slips, 1e-12);
    EXPECT_NEAR(drawn->expected_reward(2, 0), slips, 1e-12);
    EXPECT_EQ(drawn->expected_arrival(1), 0);
    EXPECT_TRUE(e[0] > 0 && e[0] < 1 && e[1] > 0 && e[1] < 1 && e[2] < 0 && e[2] > -1);
    for (int x = 0; x < 3; ++x)
      EXPECT_EQ(drawn->expected_reward(x, 0), table.reward[static_cast<std::size_t>(x) * 2]);
  }
}

TEST(Belief, ExpectsTheMixtureOfFinitelyManyEnvironments) {
  int unknown = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto problem = table_problem("random", support::random_problem(Rng(seed, 5), {}));
    const Situation now = walked(*problem, seed, problem->horizon() - 1);
    const Belief& known = now.belief();
    unknown += known.known_transitions() ? 0 : 1;
    const Mdp expected = known.expected();
    const std::span<const double> weights = known.weights();
    for (int x = 0; x < problem->states(); ++x) {
      for (int a = 0; a < problem->actions(); ++a) {
        if (!known.allowed(x, a)) continue;
        const auto row = static_cast<std::size_t>(x * problem->actions() + a);
        double reward = 0;
        std::vector<double> chance(static_cast<std::size_t>(problem->states()));
        for (std::size_t e = 0; e < weights.size(); ++e) {
          const Mdp one = known.environment(e);
          if (weights[e] > 0) reward += weights[e] * one.reward[row];
          for (std::size_t i = one.first_arc[row]; i < one.first_arc[row + 1]; ++i) {
            chance[static_cast<std::size_t>(one.arcs[i].next)] += weights[e] * one.arcs[i].probability;
          }
        }
        EXPECT_NEAR(expected.reward[row], reward, 1e-12);
        std::vector<double> told(chance.size());
        for (const Mdp::Arc& arc : known.expected_arcs(x, a)) {
          told[static_cast<std::size_t>(arc.next)] += arc.probability;
        }
        for (std::size_t i = expected.first_arc[row]; i < expected.first_arc[row + 1]; ++i) {
          told[static_cast<std::size_t>(expected.arcs[i].next)] -= expected.arcs[i].probability;
          chance[static_cast<std::size_t>(expected.arcs[i].next)] -= expected.arcs[i].probability;
        }
        for (const double difference : told) EXPECT_NEAR(difference, 0, 1e-12);
        for (const double difference : chance) EXPECT_NEAR(difference, 0, 1e-12);
      }
    }
  }
  EXPECT_GT(unknown, 10);
}

}  // namespace
}  // namespace assay::test
