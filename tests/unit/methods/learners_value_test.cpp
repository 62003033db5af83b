// Learners against the exact solver on random small problems of every kind: moves by chance or unknown,
// rewards on arriving and by acting, actions that are not allowed, several starts.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "assay/families/builders.hpp"
#include "assay/problem/method.hpp"
#include "assay/problem/registry.hpp"
#include "assay/solver/exact_solution.hpp"
#include "methods/tabular.hpp"
#include "source_dir.hpp"
#include "support/random_problem.hpp"

namespace assay {
namespace {

/// What a policy is expected to earn from a situation on, in which the agent is about to arrive: a sum over
/// all that can happen, by the belief's own predictions.
double expected_return(const Situation& situation, Policy& policy, double discount) {
  if (situation.done()) return 0;
  double sum = 0;
  const auto act = [&](double chance, double paid, const Situation& arrived) {
    Rng rng(1);
    const int action = policy.act(arrived, rng);
    double value = paid;
    for (const Belief::Prediction& p : arrived.belief().predict(arrived.state(), action)) {
      Situation next = arrived;
      next.act(action, p.outcome);
      value += p.probability * (p.outcome.reward + discount * expected_return(next, policy, discount));
    }
    sum += chance * value;
  };
  const auto arrivals = situation.belief().predict(situation.state(), kArrive);
  if (arrivals.empty()) act(1, 0, situation);
  for (const Belief::Prediction& p : arrivals) {
    Situation arrived = situation;
    arrived.arrive(p.outcome);
    act(p.probability, p.outcome.reward, arrived);
  }
  return sum;
}

double value_of(const Problem& problem, Policy& policy) {
  double sum = 0;
  for (const Start& start : problem.starts()) {
    const Situation begin(problem.prior(), start.state, 0);
    policy.begin(begin);
    sum += start.probability * expected_return(begin, policy, problem.discount());
  }
  return sum;
}

std::unique_ptr<Problem> small_problem(std::uint64_t seed) {
  return table_problem("random " + std::to_string(seed),
                       support::random_problem(Rng(seed, 4711), {3, 3, 3, 3}));
}

double learned_value(const Problem& problem, const std::string& method) {
  const auto policy = make_method(method)->solve(problem, {.rng = Rng(5), .resources = 1}).policy;
  return value_of(problem, *policy);
}

TEST(LearnersValue, TheExactPolicyHasTheExactValue) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto problem = small_problem(seed);
    EXPECT_NEAR(learned_value(*problem, "exact"), problem->exact({})->value(), 1e-9) << seed;
  }
}

// Rewards are between -2 and 2 on arriving and by acting: a value of 1 is an ordinary one, and 2 % of the
// larger of 1 and the value is asked for.
void expect_close_to_the_optimum(const std::string& method) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto problem = small_problem(seed);
    const double best = problem->exact({})->value();
    const double earned = learned_value(*problem, method);
    EXPECT_LE(earned, best + 1e-9) << method << " on random problem " << seed;
    EXPECT_GE(earned, best - 0.02 * std::max(1.0, std::abs(best))) << method << " on random problem " << seed;
  }
}

TEST(LearnersValue, NetworksComeCloseToTheOptimum) { expect_close_to_the_optimum("pcr(epsilon=0.3)"); }

TEST(LearnersValue, TablesComeCloseToTheOptimumHoweverTheyLearnCrossValues) {
  for (const char* cross : {"iteration", "known", "horizon", "policy", "counts"}) {
    expect_close_to_the_optimum(std::string("tabular_pcr(epochs=20000,rate=0.5,decay=0.002,cross=") + cross +
                                ")");
  }
}

TEST(LearnersValue, PlainTablesComeCloseToTheOptimum) {
  expect_close_to_the_optimum("tabular_td(epochs=20000,rate=0.5,decay=0.002)");
}

/// Unknown rewards and unknown moves: infinitely many environments, and cross-values that are drawn.
TEST(LearnersValue, LearnersComeCloseToTheOptimumAmongInfinitelyManyEnvironments) {
  for (const char* spec : {"bandit(arms=2,horizon=4)", "bbrl_chain(horizon=3)", "bbrl_double_loop(horizon=4)",
                           "chain(states=2,horizon=4,prior=sparse,alpha=1,truth=prior)"}) {
    const auto problem = make_problem(spec);
    const double best = problem->exact({})->value();
    for (const char* method : {"pcr(epsilon=0.3,samples=32,bound_samples=32,epochs=300)",
                               "tabular_pcr(epochs=30000,rate=0.5,decay=0.005)",
                               "tabular_td(epochs=30000,rate=0.5,decay=0.005)"}) {
      const double earned = learned_value(*problem, method);
      EXPECT_LE(earned, best + 1e-9) << method << " on " << spec;
      EXPECT_GE(earned, 0.98 * best) << method << " on " << spec;
    }
  }
}

/// The name of a learner's canonical settings does not matter here: what it has learned does.
std::string learned(const Problem& problem, TabularSettings settings, PlaceForm form) {
  settings.form = form;
  settings.epochs = 300;
  settings.clock = TableClock::kRemaining;
  const auto model = std::make_shared<const TabularModel>(problem, settings);
  TabularLearner learner(model, problem, Rng(3));
  while (learner.done() < learner.epochs()) learner.advance();
  return learner.policy_state();
}

/// Both forms apply where acting collects and moves are certain. There both make the same updates.
TEST(LearnersValue, BothFormsMakeTheSameTabularUpdates) {
  const auto problem = make_problem(ASSAY_SOURCE_DIR "/examples/problems/medical_test.toml");
  for (const CrossSource cross : {CrossSource::kIteration, CrossSource::kKnown, CrossSource::kHorizon,
                                  CrossSource::kPolicy, CrossSource::kCounts, CrossSource::kNone}) {
    TabularSettings settings;
    settings.cross = cross;
    const std::string state_form = learned(*problem, settings, PlaceForm::kState);
    EXPECT_EQ(state_form, learned(*problem, settings, PlaceForm::kAction));
    settings.rate *= 1.01;
    EXPECT_NE(state_form, learned(*problem, settings, PlaceForm::kAction)) << "the test would see nothing";
  }
}

}  // namespace
}  // namespace assay
