#include "solver/fixed_plan.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "advice/outlook.hpp"
#include "assay/core/detail/kernel.hpp"
#include "assay/problem/registry.hpp"
#include "assay/solver/exact_solution.hpp"
#include "support/problem_text.hpp"
#include "support/random_problem.hpp"

namespace assay {
namespace {

/// Every plan there is, one after the other, each followed in every environment by recursion.
class EveryPlan {
 public:
  EveryPlan(std::vector<Mdp> environments, std::vector<double> weights, int steps)
      : environments_(std::move(environments)),
        weights_(std::move(weights)),
        steps_(steps),
        plan_(static_cast<std::size_t>(steps) + 1,
              std::vector<int>(static_cast<std::size_t>(environments_[0].states))) {}

  double best(int x) {
    best_ = -std::numeric_limits<double>::infinity();
    choose(1, 0, x);
    return best_;
  }

 private:
  [[nodiscard]] std::size_t row(int x, int a) const {
    return static_cast<std::size_t>(x * environments_[0].actions + a);
  }

  void choose(int h, int at, int x) {
    if (at == environments_[0].states) return choose(h + 1, 0, x);
    if (h > steps_) {
      double sum = 0;
      for (std::size_t e = 0; e < weights_.size(); ++e) {
        if (weights_[e] > 0) sum += weights_[e] * follow(environments_[e], steps_, x);
      }
      best_ = std::max(best_, sum);
      return;
    }
    for (int a = 0; a < environments_[0].actions; ++a) {
      if (!std::isfinite(environments_[0].reward[row(at, a)])) continue;
      plan_[static_cast<std::size_t>(h)][static_cast<std::size_t>(at)] = a;
      choose(h, at + 1, x);
    }
  }

  double follow(const Mdp& mdp, int h, int x) {
    if (h == 0) return 0;
    const std::size_t pair = row(x, plan_[static_cast<std::size_t>(h)][static_cast<std::size_t>(x)]);
    double sum = mdp.reward[pair];
    for (std::uint32_t i = mdp.first_arc[pair]; i < mdp.first_arc[pair + 1]; ++i) {
      sum += mdp.discount * mdp.arcs[i].probability * follow(mdp, h - 1, mdp.arcs[i].next);
    }
    return sum;
  }

  std::vector<Mdp> environments_;
  std::vector<double> weights_;
  int steps_;
  FixedPlans::Actions plan_;  // [h][state]
  double best_ = 0;
};

struct SmallProblem {
  explicit SmallProblem(std::uint64_t seed)
      : problem(table_problem(
            "random", support::random_problem(Rng(seed, 5),
                                              {.states = 3, .actions = 2, .environments = 3, .horizon = 3}))),
        prior(problem->prior()) {
    for (const Belief::Possibility& p : prior->environments()) {
      environments.push_back(p.environment);
      weights.push_back(p.probability);
    }
  }

  std::unique_ptr<Problem> problem;
  std::unique_ptr<Belief> prior;
  std::vector<Mdp> environments;
  std::vector<double> weights;
};

TEST(FixedPlans, AreTheBestOfAllThatThereAre) {
  int differ = 0;
  int beyond = 0;  // problems whose best plan is the plan of no environment
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const SmallProblem drawn(seed);
    const int steps = drawn.problem->horizon();
    FixedPlans plans(drawn.environments, steps);
    EveryPlan every(drawn.environments, drawn.weights, steps);
    const auto outlook = advice::outlook(*drawn.prior, steps);
    differ += drawn.prior->known_transitions() ? 0 : 1;
    for (int x = 0; x < drawn.problem->states(); ++x) {
      const double truth = every.best(x);
      const FixedPlans::Masses from = {{x, drawn.weights}};
      const FixedPlans::Found found = plans.best(from);
      EXPECT_NEAR(found.value.lower, truth, 1e-9) << seed;
      EXPECT_NEAR(found.value.upper, truth, 1e-9) << seed;
      EXPECT_NEAR(plans.value(found.plan, from), truth, 1e-9) << seed;
      EXPECT_NEAR(outlook->value(x, *drawn.prior).lower, truth, 1e-9) << seed;
      EXPECT_NEAR(outlook->value(x, *drawn.prior).upper, truth, 1e-9) << seed;
      double simple = -std::numeric_limits<double>::infinity();
      for (const Mdp& mdp : drawn.environments) {
        simple = std::max(simple, plans.value(optimal_plan(mdp, steps).action, from));
      }
      beyond += simple < truth - 1e-6 ? 1 : 0;
    }
  }
  EXPECT_GT(differ, 50);
  EXPECT_GT(beyond, 15);
}

TEST(FixedPlans, AreBoundedHoweverLittleWorkIsAllowed) {
  int open = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const SmallProblem drawn(seed);
    const int steps = drawn.problem->horizon();
    EveryPlan every(drawn.environments, drawn.weights, steps);
    for (const double work : {0.0, 20.0, 200.0}) {
      FixedPlans plans(drawn.environments, steps, {.work = work, .branch_work = work});
      for (int x = 0; x < drawn.problem->states(); ++x) {
        const double truth = every.best(x);
        const Bounds found = plans.best({{x, drawn.weights}}).value;
        EXPECT_LE(found.lower, truth + 1e-9) << seed;
        EXPECT_GE(found.upper, truth - 1e-9) << seed;
        EXPECT_LE(found.lower, found.upper) << seed;
        open += found.upper > found.lower + 1e-9 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(open, 20);
}

TEST(FixedPlans, NoSingleChangeHelpsThoughNothingIsSearched) {
  int better = 0;  // than the plan of every environment
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const SmallProblem drawn(seed);
    const int steps = drawn.problem->horizon();
    FixedPlans plans(drawn.environments, steps, {.work = 0, .branch_work = 0});
    for (int x = 0; x < drawn.problem->states(); ++x) {
      const FixedPlans::Masses from = {{x, drawn.weights}};
      const FixedPlans::Found found = plans.best(from);
      double simple = -std::numeric_limits<double>::infinity();
      for (const Mdp& mdp : drawn.environments) {
        simple = std::max(simple, plans.value(optimal_plan(mdp, steps).action, from));
      }
      EXPECT_GE(found.value.lower, simple - 1e-9) << seed;
      better += found.value.lower > simple + 1e-6 ? 1 : 0;
      for (std::size_t h = 1; h < found.plan.size(); ++h) {
        for (std::size_t at = 0; at < found.plan[h].size(); ++at) {
          for (int a = 0; a < drawn.problem->actions(); ++a) {
            if (!drawn.prior->allowed(static_cast<int>(at), a)) continue;
            FixedPlans::Actions changed = found.plan;
            changed[h][at] = a;
            EXPECT_LE(plans.value(changed, from), found.value.lower + 1e-9) << seed;
          }
        }
      }
    }
  }
  EXPECT_GT(better, 10);
}

/// Eight hiding places: the best plan that ignores what is seen goes from one to the next, and is over where
/// the treasure is. The plan that is best for one place goes there and stays.
TEST(FixedPlans, SearchPlaceAfterPlace) {
  const auto problem = make_problem(test::example_problem("hint_room"));
  const auto prior = problem->prior();
  ASSERT_FALSE(prior->known_transitions());
  const Bounds found = advice::outlook(*prior, problem->horizon())->value(problem->starts()[0].state, *prior);
  // Without the hint nothing is seen but whether the treasure is here, and that ends the episode.
  double without = 0;
  for (const Silenced& silenced : problem->sources()) without = silenced.problem->exact({})->value();
  EXPECT_NEAR(without, 6, 1e-9);
  EXPECT_NEAR(found.lower, without, 1e-9);
  EXPECT_NEAR(found.upper, without, 1e-9);
}

TEST(Transitions, AreKnownWhateverOutcomesShow) {
  for (const char* name : {"tiger", "medical_test", "rocksample"}) {
    const auto problem = make_problem(test::example_problem(name));
    const auto prior = problem->prior();
    EXPECT_TRUE(prior->known_transitions()) << name;
  }
  EXPECT_FALSE(make_problem(test::example_problem("fishery"))->prior()->known_transitions());
}

TEST(Transitions, AreComparedBySuccessorUpToRounding) {
  const auto row = [](std::vector<Mdp::Arc> arcs) {
    Mdp mdp{.states = 3, .actions = 1, .discount = 1, .reward = {0}, .first_arc = {0}, .arcs = {}};
    mdp.arcs = std::move(arcs);
    mdp.end_row();
    return mdp;
  };
  const Mdp one = row({{2, 0.7}, {1, 0.1}, {1, 0.2}, {0, 0}});
  ASSERT_EQ(one.arcs.size(), 2U);
  EXPECT_EQ(one.arcs[0].next, 1);
  EXPECT_DOUBLE_EQ(one.arcs[0].probability, 0.3);
  EXPECT_EQ(one.arcs[1].next, 2);
  EXPECT_TRUE(same_transitions(one, row({{1, 0.3}, {2, 0.7}})));
  EXPECT_TRUE(same_transitions(row({{1, 0.3}, {2, 0.7}}), one));
  EXPECT_FALSE(same_transitions(one, row({{1, 0.3 + 1e-9}, {2, 0.7 - 1e-9}})));
  EXPECT_FALSE(same_transitions(one, row({{0, 0.3}, {2, 0.7}})));
  EXPECT_FALSE(same_transitions(one, row({{2, 1}})));
}

}  // namespace
}  // namespace assay
