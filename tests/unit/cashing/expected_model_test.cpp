// The model that a search among beliefs uses where moves are unknown: pools of environments, values of the
// expected environment, and successors.
#include "cashing/expected_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cashing/environment_pool.hpp"
#include "families/row_family.hpp"
#include "solver/stationary.hpp"
#include "support/belief_models.hpp"
#include "support/ks.hpp"

namespace assay::test {
namespace {

Mdp discounted(Mdp mdp, double discount) {
  mdp.discount = discount;
  return mdp;
}

double largest_paid(const Mdp& mdp) {
  double largest = 0;
  for (const double reward : mdp.reward) {
    if (std::isfinite(reward)) largest = std::max(largest, std::abs(reward));
  }
  return largest;
}

/// Something allowed for every number of steps and every state.
std::vector<int> any_plan(const Belief& known, std::size_t levels) {
  std::vector<int> plan;
  Rng rng(6);
  for (std::size_t i = 0; i < levels * static_cast<std::size_t>(known.states()); ++i) {
    const int x = static_cast<int>(i) % known.states();
    int action = -1;
    while (action < 0 || !known.allowed(x, action)) {
      action = static_cast<int>(uniform_index(rng, static_cast<std::uint64_t>(known.actions())));
    }
    plan.push_back(action);
  }
  return plan;
}

TEST(EnvironmentPool, SolvesItsEnvironmentsToTheEndOfAnEpisode) {
  const auto slippery = cell_problem("slippery", slippery_cells(5, 0.9));
  const auto chain = make_problem("bbrl_chain(horizon=6,discount=0.9)");
  const auto loop = make_problem("double_loop(horizon=5,prior=sparse,alpha=1,truth=prior)");
  for (const Problem* problem : {slippery.get(), chain.get(), loop.get()}) {
    SCOPED_TRACE(problem->name());
    const auto prior = problem->prior();
    EnvironmentPool pool(*prior, {.environments = 4, .discount = 0.8}, problem->horizon());
    EXPECT_FALSE(pool.endless());
    for (int steps = 0; steps < 3; ++steps) {
      const Situation now = walked(*problem, 2, steps);
      pool.know(now, Rng(7));
      const int left = now.remaining();
      const std::vector<int> plan = any_plan(*prior, static_cast<std::size_t>(left) + 1);
      Plan followed;
      for (int h = 0; h <= left; ++h) {
        const auto begin = plan.begin() + h * problem->states();
        followed.action.emplace_back(begin, begin + problem->states());
      }
      for (std::size_t k = 0; k < pool.size(); ++k) {
        const Mdp mdp = discounted(pool.environment(k).tabulate(), 0.8);
        const Plan best = optimal_plan(mdp, left);
        const auto cross = plan_value(mdp, followed, left);
        for (int h = 0; h <= left; ++h) {
          const double slack = float_slack(left, largest_paid(mdp), problem->states());
          for (int x = 0; x < problem->states(); ++x) {
            const auto at = static_cast<std::size_t>(x);
            EXPECT_NEAR(pool.full_value(k, x, h), best.value[static_cast<std::size_t>(h)][at], slack);
            EXPECT_NEAR(pool.collected(plan, x, h)[k], cross[static_cast<std::size_t>(h)][at], slack);
          }
        }
      }
    }
  }
}

TEST(EnvironmentPool, SolvesItsEnvironmentsForEver) {
  // Sweeps end when no value changes by more than the precision: no value is then further from its limit than
  // that times gamma / (1 - gamma).
  const double discount = 0.8;
  const double precision = 1e-4;
  const auto problem = make_problem("bbrl_grid(size=3)");
  const auto prior = problem->prior();
  EnvironmentPool pool(*prior, {.environments = 5, .discount = discount, .precision = precision},
                       problem->horizon());
  EXPECT_TRUE(pool.endless());
  pool.know(walked(*problem, 2, 0), Rng(7));
  const std::vector<int> plan = any_plan(*prior, 1);
  const double paid = largest_paid(pool.environment(0).tabulate());
  const double slack = precision * paid * discount / (1 - discount) + float_slack(5, paid, 9);
  for (std::size_t k = 0; k < pool.size(); ++k) {
    const Mdp mdp = discounted(pool.environment(k).tabulate(), discount);
    const StationaryPlan best = stationary_plan(mdp, 1e-9);
    const StationaryPlan cross = stationary_cross_value(mdp, plan, 1e-9);
    for (int x = 0; x < problem->states(); ++x) {
      EXPECT_NEAR(pool.full_value(k, x, 17), best.value[static_cast<std::size_t>(x)], slack);
      EXPECT_NEAR(pool.collected(plan, x, 17)[k], cross.value[static_cast<std::size_t>(x)], slack);
    }
  }
}

/// All that a pool says of what is told, environments and all.
std::vector<double> said_by(EnvironmentPool& pool, int states) {
  std::vector<double> all;
  for (std::size_t k = 0; k < pool.size(); ++k) {
    const Mdp mdp = pool.environment(k).tabulate();
    for (const Mdp::Arc& arc : mdp.arcs) all.push_back(arc.probability);
    for (int x = 0; x < states; ++x) all.push_back(static_cast<double>(pool.full_value(k, x, 1)));
  }
  return all;
}

TEST(EnvironmentPool, KeepsWhatNobodyBroughtNewsOf) {
  const auto problem = make_problem("bbrl_chain(prior=full)");
  EnvironmentPool pool(*problem->prior(), {.environments = 40, .discount = 0.9}, problem->horizon());
  Episode episode = walked_episode(*problem, 3, 0);
  const Situation& now = episode.situation();
  pool.know(now, Rng(1));
  std::vector<Mdp> before;
  for (std::size_t k = 0; k < pool.size(); ++k) before.push_back(pool.environment(k).tabulate());
  const auto met = static_cast<std::size_t>(now.state() * problem->actions() + 1);
  episode.act(1);
  episode.arrive();
  pool.know(now, Rng(2));
  std::size_t kept = 0;
  std::size_t renewed = 0;
  for (std::size_t k = 0; k < pool.size(); ++k) {
    const Mdp after = pool.environment(k).tabulate();
    std::size_t same = 0;
    bool met_is_same = true;
    for (std::size_t row = 0; row < after.reward.size(); ++row) {
      bool alike = true;
      for (std::size_t i = after.first_arc[row]; i < after.first_arc[row + 1]; ++i) {
        alike = alike && after.arcs[i].probability == before[k].arcs[i].probability;
      }
      same += alike ? 1 : 0;
      if (row == met) met_is_same = alike;
    }
    EXPECT_FALSE(met_is_same) << k;
    kept += same == after.reward.size() - 1 ? 1 : 0;
    renewed += same == 0 ? 1 : 0;
  }
  EXPECT_EQ(kept + renewed, pool.size());
  EXPECT_EQ(renewed, 3U) << "one in 16";
}

TEST(EnvironmentPool, ANewEpisodeDependsOnNothingBeforeIt) {
  for (const char* spec : {"bbrl_chain(prior=full)", "bbrl_chain(horizon=20,discount=1)"}) {
    const auto problem = make_problem(spec);
    const auto prior = problem->prior();
    const PoolSettings settings{.environments = 20, .discount = problem->discount()};
    EnvironmentPool fresh(*prior, settings, problem->horizon());
    EnvironmentPool used(*prior, settings, problem->horizon());
    for (int steps = 0; steps < 4; ++steps) used.know(walked(*problem, 5, steps), Rng(100));
    used.forget();
    for (int steps = 0; steps < 3; ++steps) {
      const Situation now = walked(*problem, 9, steps);
      fresh.know(now, Rng(3));
      used.know(now, Rng(3));
      EXPECT_EQ(said_by(fresh, problem->states()), said_by(used, problem->states())) << steps;
    }
  }
}

constexpr ExpectedSettings kFew{.pool = {.environments = 3, .discount = 0.9, .precision = 1e-3}};

/// Lower bounds are values of the expected environment, at the root and after every end; the ends' chances
/// are the belief's, and what they leave out is made up for.
void expect_expected(const Problem& problem, int steps, const ExpectedSettings& settings) {
  SCOPED_TRACE(problem.name() + " after " + std::to_string(steps));
  const double discount = settings.pool.discount;
  ExpectedModel model(*problem.prior(), settings, problem.horizon());
  const Situation now = walked(problem, 4, steps);
  const std::uint32_t root = model.begin(now, Rng(3));
  const int left = now.remaining();
  const bool endless = std::pow(discount, problem.horizon()) < settings.pool.precision;
  const auto values = [&](std::uint32_t belief, int h) {
    const Mdp mdp = discounted(model.knowledge(belief).expected(), discount);
    return endless ? stationary_plan(mdp, 1e-9).value : optimal_plan(mdp, h).value.back();
  };
  const Mdp expected = discounted(model.knowledge(root).expected(), discount);
  const double paid = largest_paid(expected);
  const double slack = endless ? 1e-3 * paid * discount / (1 - discount) + float_slack(10, paid, 20)
                               : float_slack(left, paid, problem.states());
  for (int h = 1; h <= left; h = endless ? left + 1 : h + 1) {
    const std::vector<double> right = values(root, h);
    for (int x = 0; x < problem.states(); ++x) {
      EXPECT_NEAR(model.bounds(root, x, h).lower, right[static_cast<std::size_t>(x)], slack) << h;
    }
  }
  const std::vector<double> next = values(root, left - 1);
  std::vector<BeliefModel::Choice> choices;
  model.look_ahead(root, now.state(), left, choices);
  for (const BeliefModel::Choice& choice : choices) {
    double sum = 0;
    double value = choice.reward;
    for (const BeliefModel::Successor& to : choice.successors) {
      sum += to.probability;
      value += discount * to.probability * model.bounds(root, to.state, left - 1).lower;
      EXPECT_EQ(to.arrived.reward, 0);
      if (left == 1) continue;
      const std::vector<double> then = values(to.belief, left - 1);
      EXPECT_NEAR(to.bounds.lower, then[static_cast<std::size_t>(to.state)], slack);
      EXPECT_EQ(to.bounds.lower, model.bounds(to.belief, to.state, left - 1).lower);
      EXPECT_LE(to.bounds.upper, 1e-3 + paid * (endless ? 1 / (1 - discount) : left));
    }
    EXPECT_NEAR(sum, 1, 1e-9);
    EXPECT_NEAR(value, action_value(expected, now.state(), choice.action, next), 2 * slack + 1e-9);
  }
}

TEST(ExpectedModel, CollectsWhatTheExpectedEnvironmentsPlanDoes) {
  // With more than 8 states that can all be reached, rows are kept without what they have in common.
  for (const char* spec : {"bbrl_chain(horizon=4,discount=1)", "chain(states=10,horizon=5,alpha=0.3)",
                           "bbrl_double_loop(horizon=5,prior=full)", "bbrl_grid(size=3,horizon=4,prior=full)",
                           "maze(map=small,horizon=3,truth=prior)", "bbrl_double_loop(prior=full)"}) {
    const auto problem = make_problem(spec);
    for (const int steps : {0, 1, 2}) expect_expected(*problem, steps, kFew);
  }
}

TEST(ExpectedModel, AFewSuccessorsStandForMany) {
  ExpectedSettings settings = kFew;
  settings.listed = 4;
  settings.drawn = 3;
  const auto problem = make_problem("chain(states=12,horizon=5,alpha=0.3)");
  for (const int steps : {0, 1, 3}) expect_expected(*problem, steps, settings);
  ExpectedModel model(*problem->prior(), settings, 5);
  std::vector<BeliefModel::Choice> choices;
  model.look_ahead(model.begin(walked(*problem, 1, 0), Rng(1)), 0, 5, choices);
  for (const BeliefModel::Choice& choice : choices) {
    // All 12 are equally likely: four as they are, and the middle of each third of the other eight.
    ASSERT_EQ(choice.successors.size(), 7U);
    for (std::size_t i = 0; i < 7; ++i) {
      EXPECT_NEAR(choice.successors[i].probability, i < 4 ? 1.0 / 12 : 8.0 / 12 / 3, 1e-12);
    }
    EXPECT_EQ(choice.successors[4].state, 5);
    EXPECT_TRUE(choice.successors[5].state == 7 || choice.successors[5].state == 8)
        << "on the border of both";
    EXPECT_EQ(choice.successors[6].state, 10);
  }
}

TEST(ExpectedModel, KnowsTheFullInformationValuesOfItsBeliefs) {
  const double z = laws::z_threshold();
  ExpectedSettings settings = kFew;
  settings.pool.environments = 1500;
  for (const char* spec : {"bbrl_chain(horizon=5)", "chain(states=3,horizon=5,alpha=1,truth=prior)"}) {
    SCOPED_TRACE(spec);
    const auto problem = make_problem(spec);
    ExpectedModel model(*problem->prior(), settings, 5);
    EXPECT_FALSE(model.lower_holds());
    const Situation now = walked(*problem, 6, 1);
    const std::uint32_t root = model.begin(now, Rng(5));
    const int left = now.remaining();
    const Plan plan = optimal_plan(discounted(model.knowledge(root).expected(), 0.9), left);
    const auto drawn_values = [&](std::uint32_t belief, int state, int h, bool full) {
      Rng rng(77);
      std::vector<double> all;
      for (int i = 0; i < 1000; ++i) {
        const Mdp mdp = discounted(model.knowledge(belief).sample_table(rng), 0.9);
        all.push_back((full ? optimal_plan(mdp, h).value : plan_value(mdp, plan, h))
                          .back()[static_cast<std::size_t>(state)]);
      }
      return mean_and_deviation(all);
    };
    const EstimatedBounds bounds = model.root_bounds(now.state(), left);
    const MeanAndError upper = drawn_values(root, now.state(), left, true);
    const MeanAndError lower = drawn_values(root, now.state(), left, false);
    EXPECT_NEAR(bounds.upper.value, upper.mean, z * std::hypot(upper.error, bounds.upper.standard_error));
    EXPECT_NEAR(bounds.lower.value, lower.mean, z * std::hypot(lower.error, bounds.lower.standard_error));
    EXPECT_NEAR(bounds.upper.standard_error, upper.deviation / std::sqrt(1500.0),
                0.2 * bounds.upper.standard_error);
    EXPECT_NEAR(bounds.lower.standard_error, lower.deviation / std::sqrt(1500.0),
                0.2 * bounds.lower.standard_error);
    std::vector<BeliefModel::Choice> choices;
    model.look_ahead(root, now.state(), left, choices);
    for (const BeliefModel::Successor& to : choices.front().successors) {
      if (to.probability < 0.05) continue;
      const MeanAndError then = drawn_values(to.belief, to.state, left - 1, true);
      const double weighted = then.deviation / std::sqrt(1500 * to.probability);
      EXPECT_NEAR(to.bounds.upper, then.mean, z * std::hypot(then.error, weighted));
    }
  }
}

TEST(ExpectedModel, WeighsEnvironmentsByWhatWasSeen) {
  // An action leads nearly always here or nearly always there, where landing pays 10; another pays 1. Once it
  // is seen where it leads, full information adds nothing: 10 a step, or 1.
  RowBuilder rows(2, 2);
  rows.horizon(4).start(0);
  for (int x = 0; x < 2; ++x) {
    rows.unknown(x, 0, {0, 1}, RowLaw{.alpha = 1e-3}).landing(x, 0, 1, 10);
    rows.known(x, 1, {{0, 1.0}}).reward(x, 1, 1);
  }
  const auto problem = row_problem("rows", rows.build());
  ExpectedSettings settings = kFew;
  settings.pool = {.environments = 400, .discount = 1};
  ExpectedModel model(*problem->prior(), settings, 4);
  std::vector<BeliefModel::Choice> choices;
  model.look_ahead(model.begin(walked(*problem, 1, 0), Rng(2)), 0, 4, choices);
  ASSERT_EQ(choices[0].successors.size(), 2U);
  for (const BeliefModel::Successor& to : choices[0].successors) {
    EXPECT_NEAR(to.probability, 0.5, 1e-12);
    // At 1 nobody knows its row: 30, or back by the other action for 1 + 10 + 1. At z standard errors of the
    // 200 environments that are left, whose values are 9 from their mean.
    if (to.state == 0) {
      EXPECT_NEAR(to.bounds.upper, 3, 0.2);
    } else {
      EXPECT_NEAR(to.bounds.upper, 21, laws::z_threshold() * 9 / std::sqrt(200.0));
    }
  }
}

}  // namespace
}  // namespace assay::test
