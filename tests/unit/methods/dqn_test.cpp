// Deep Q-learning: its targets by hand, the optimum of small problems of every kind, the same bytes for any
// threads and interruptions, and what a state of others may not do.
#include "methods/dqn.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "assay/problem/registry.hpp"
#include "assay/solver/exact_solution.hpp"
#include "source_dir.hpp"

namespace assay {
namespace {

const std::string kExamples = ASSAY_SOURCE_DIR "/examples/problems/";

/// The exact value of a policy whose actions depend on state, clock and belief alone: all outcomes, by their
/// predictive probabilities.
class PolicyValue {
 public:
  PolicyValue(const Problem& problem, Policy& policy) : problem_(problem), policy_(policy) {}

  double operator()() {
    double value = 0;
    for (const Start& start : problem_.starts()) {
      value += start.probability * before(Situation(problem_.prior(), start.state, 0));
    }
    return value;
  }

 private:
  double before(const Situation& now) {
    if (now.done()) return 0;
    const auto key = std::make_tuple(now.state(), now.step(), now.belief().key());
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    double value = 0;
    for (const Belief::Prediction& arrival : now.belief().predict(now.state(), kArrive)) {
      Situation here = now;
      here.arrive(arrival.outcome);
      value += arrival.probability * (arrival.outcome.reward + after(here));
    }
    return known_[key] = value;
  }
  double after(const Situation& here) {
    Rng rng(1);
    const int action = policy_.act(here, rng);
    double value = 0;
    for (const Belief::Prediction& step : here.belief().predict(here.state(), action)) {
      Situation next = here;
      next.act(action, step.outcome);
      value += step.probability * (step.outcome.reward + problem_.discount() * before(next));
    }
    return value;
  }

  const Problem& problem_;
  Policy& policy_;
  std::map<std::tuple<int, int, std::vector<std::uint64_t>>, double> known_;
};

void expect_optimum(const std::string& name, const std::string& method) {
  SCOPED_TRACE(name);
  const std::unique_ptr<Problem> problem = make_problem(name);
  const auto policy = make_method(method)->solve(*problem, {.rng = Rng(1), .resources = 2}).policy;
  const double best = problem->exact({})->value();
  const double earned = PolicyValue(*problem, *policy)();
  EXPECT_LE(earned, best + 1e-9 * std::abs(best)) << "no policy beats the optimum";
  EXPECT_GE(earned, best - 0.02 * std::abs(best));
}

TEST(Dqn, ReachesTheOptimumOfSmallProblemsOfEveryKind) {
  const std::string brief = "dqn(epochs=300,hidden=32)";
  expect_optimum("t_maze(distance=2,arm=1,horizon=8)", brief);      // finite, pays on arriving
  expect_optimum("bandit(arms=2,horizon=5)", brief);                // infinite, pays by acting
  expect_optimum("treasure_map(size=2,looks=1,horizon=3)", brief);  // cells, some actions not allowed
  expect_optimum("chain(states=3,horizon=4,rewards=known,truth=prior)", brief);  // unknown moves
  expect_optimum(kExamples + "machine_part.toml", brief);                        // moves by chance
  expect_optimum(kExamples + "fishery.toml", brief);                             // transitions that differ
}

TEST(Dqn, ReachesTheOptimumWhereObservationsAreNoisyAndMistakesExpensive) {
  const std::string longer = "dqn(epochs=800,hidden=32,rate=0.001)";
  expect_optimum(kExamples + "tiger.toml", longer);
  expect_optimum(kExamples + "medical_test.toml", longer);
}

TEST(Dqn, HubersLossIsSquareAndThenLinear) {
  EXPECT_DOUBLE_EQ(huber_loss(0.5, 2), 0.125);
  EXPECT_DOUBLE_EQ(huber_loss(-3, 2), 2 * (3 - 1));
  for (const double at : {-5.0, -2.1, -1.0, 0.3, 1.9, 2.5}) {
    constexpr double kStep = 1e-6;
    const double slope = (huber_loss(at + kStep, 2) - huber_loss(at - kStep, 2)) / (2 * kStep);
    EXPECT_NEAR(huber_slope(at, 2), slope, 1e-8) << at;
  }
}

/// A network without hidden layers, whose outputs are its biases: Q of each action is a chosen number.
std::vector<float> constant_values(const DqnModel& model, const std::vector<float>& values) {
  std::vector<float> parameters(model.network().parameters());
  std::ranges::copy(values, parameters.end() - static_cast<std::ptrdiff_t>(values.size()));
  return parameters;
}

TEST(Dqn, TargetsAreThoseByHand) {
  const std::unique_ptr<Problem> problem = make_problem("bandit(arms=3,horizon=4,discount=0.5)");
  const auto target = [&](const DqnSettings& settings, std::size_t at, double scale) {
    const DqnModel model(*problem, settings);
    Replay replay(1, 4, model.inputs().known_count());
    Replay::Played played;
    for (int t = 0; t < 4; ++t) {
      played.decisions.push_back({0, 4 - t, t % 3, t == 2, static_cast<float>(t + 1)});
      played.numbers.resize(played.numbers.size() + model.inputs().known_count());
    }
    replay.add(played);
    const std::vector<float> online = constant_values(model, {1, 5, 3});
    const std::vector<float> slow = constant_values(model, {20, 7, 2});
    Perceptron::Activity activity = model.network().activity();
    return model.target(replay, at, online, slow, scale, activity);
  };
  DqnSettings settings;
  settings.layers = 0;
  settings.steps = 1;
  // The learned network prefers action 1, which the target network values at 7.
  EXPECT_DOUBLE_EQ(target(settings, 0, 1), 1 + 0.5 * 7);
  EXPECT_DOUBLE_EQ(target(settings, 1, 10), 0.2 + 0.5 * 7);  // rewards are in units of the scale
  EXPECT_DOUBLE_EQ(target(settings, 3, 1), 4);               // nothing comes after the last decision
  settings.double_q = false;
  EXPECT_DOUBLE_EQ(target(settings, 0, 1), 1 + 0.5 * 20);
  settings.double_q = true;
  settings.steps = 3;  // the third decision was random
  EXPECT_DOUBLE_EQ(target(settings, 0, 1), 1 + 0.5 * 2 + 0.25 * 7);
  EXPECT_DOUBLE_EQ(target(settings, 2, 1), 3 + 0.5 * 4);
  settings.cut = false;
  EXPECT_DOUBLE_EQ(target(settings, 0, 1), 1 + 0.5 * 2 + 0.25 * 3 + 0.125 * 7);
}

TEST(Dqn, TargetsUseAllowedActionsOnly) {
  // From the corner of a map one cannot go beyond the edge.
  const std::unique_ptr<Problem> problem = make_problem("treasure_map(size=2,looks=1,horizon=3)");
  DqnSettings settings;
  settings.layers = 0;
  const DqnModel model(*problem, settings);
  for (int x = 0; x < problem->states(); ++x) {
    std::vector<float> values(static_cast<std::size_t>(problem->actions()));
    for (int a = 0; a < problem->actions(); ++a) {
      values[static_cast<std::size_t>(a)] = problem->outline().allowed(x, a) ? static_cast<float>(a) : 1000;
    }
    const int best = model.best_action(x, values);
    EXPECT_TRUE(problem->outline().allowed(x, best));
    for (int a = best + 1; a < problem->actions(); ++a) EXPECT_FALSE(problem->outline().allowed(x, a));
  }
}

struct DqnTraining {
  std::vector<double> curve;
  std::string saved, policy;
};

DqnTraining trained_dqn(const std::string& method, const std::string& name, int threads) {
  const std::unique_ptr<Problem> problem = make_problem(name);
  const auto learner = make_method(method)->learner(*problem, Rng(8), threads);
  DqnTraining trained;
  while (learner->done() < learner->epochs()) {
    const EpochReport report = learner->advance();
    trained.curve.insert(trained.curve.end(), {report.mean_return, report.loss});
  }
  trained.saved = learner->save();
  trained.policy = learner->policy_state();
  return trained;
}

// The first replay is overwritten within the training; the other is not.
constexpr const char* kSmallReplay =
    "dqn(epochs=6,batch=4,replay=90,sticky=3,target_period=5,target_share=1)";
constexpr const char* kLargeReplay = "dqn(epochs=5,batch=3,layers=1,steps=1,keep=last)";

TEST(DqnThreads, NeverChangeAResult) {
  for (const char* method : {kSmallReplay, kLargeReplay}) {
    const DqnTraining one = trained_dqn(method, "treasure_map(size=3,horizon=9)", 1);
    for (const int threads : {2, 8}) {
      const DqnTraining many = trained_dqn(method, "treasure_map(size=3,horizon=9)", threads);
      EXPECT_EQ(one.curve, many.curve) << method;
      EXPECT_EQ(one.saved, many.saved) << method;
      EXPECT_EQ(one.policy, many.policy) << method;
    }
  }
}

TEST(Dqn, AResumedTrainingGoesOnToTheSameBits) {
  for (const std::string& name : {std::string("treasure_map(size=3,horizon=9)"), std::string("bandit"),
                                  std::string("chain(states=3,horizon=9)"), kExamples + "tiger.toml"}) {
    for (const char* method : {kSmallReplay, kLargeReplay}) {
      SCOPED_TRACE(name + " " + method);
      const DqnTraining whole = trained_dqn(method, name, 1);
      const std::unique_ptr<Problem> problem = make_problem(name);
      const std::unique_ptr<Method> made = make_method(method);
      for (int stop = 0; stop < 5; ++stop) {
        const auto first = made->learner(*problem, Rng(8), 1);
        while (first->done() < stop) first->advance();
        const auto second = made->learner(*problem, Rng(8), 1);
        second->restore(first->save());
        ASSERT_EQ(second->save(), first->save());
        while (second->done() < second->epochs()) second->advance();
        ASSERT_EQ(second->save(), whole.saved) << "stopped after " << stop;
        ASSERT_EQ(second->policy_state(), whole.policy);
      }
    }
  }
}

TEST(Dqn, ARestoredReplayHoldsTheSameDecisions) {
  const std::unique_ptr<Problem> problem = make_problem("treasure_map(size=3,horizon=9)");
  DqnSettings settings;
  settings.epochs = 9;
  settings.batch = 3;
  settings.replay = 9 * 10;
  const auto model = std::make_shared<const DqnModel>(*problem, settings);
  DqnLearner one(model, *problem, Rng(3), 1);
  for (int i = 0; i < 5; ++i) one.advance();
  DqnLearner two(model, *problem, Rng(3), 1);
  two.restore(one.save());
  ASSERT_EQ(two.replay().decisions(), 90U);
  ASSERT_EQ(two.replay().added(), 15U);
  for (std::size_t i = 0; i < 90; ++i) {
    const Replay::Decision& left = one.replay().decision(i);
    const Replay::Decision& right = two.replay().decision(i);
    EXPECT_EQ(std::tie(left.state, left.remaining, left.action, left.explored, left.reward),
              std::tie(right.state, right.remaining, right.action, right.explored, right.reward));
    EXPECT_TRUE(std::ranges::equal(one.replay().numbers(i), two.replay().numbers(i)));
  }
}

TEST(Dqn, StatesOfOthersAreRefused) {
  const std::unique_ptr<Problem> problem = make_problem("treasure_map(size=2,horizon=5)");
  const std::unique_ptr<Problem> larger = make_problem("treasure_map(size=3,horizon=5)");
  const std::unique_ptr<Method> dqn = make_method("dqn(epochs=3)");
  const auto learner = dqn->learner(*problem, Rng(1), 1);
  learner->advance();
  const std::string state = learner->policy_state();
  EXPECT_NO_THROW((void)dqn->policy(*problem, state, 1));
  EXPECT_THROW((void)dqn->policy(*larger, state, 1), CorruptError);
  EXPECT_THROW((void)dqn->policy(*problem, state.substr(1), 1), CorruptError);
  EXPECT_THROW((void)dqn->policy(*problem, "", 1), CorruptError);
  for (const float weight : {NAN, INFINITY}) {
    std::string changed = state;
    std::memcpy(changed.data() + changed.size() - sizeof weight, &weight, sizeof weight);
    EXPECT_THROW((void)dqn->policy(*problem, changed, 1), CorruptError) << weight;
  }
  const std::string saved = learner->save();
  EXPECT_THROW(learner->restore(saved.substr(0, saved.size() / 2)), CorruptError);
  EXPECT_THROW(learner->restore(state), CorruptError);
  std::string changed = saved;
  changed.back() = 0x7f;  // the high byte of the last action
  EXPECT_THROW(learner->restore(changed), CorruptError);
  EXPECT_EQ(learner->save(), saved) << "a refused state changes nothing";
  EXPECT_THROW(dqn->learner(*larger, Rng(1), 1)->restore(saved), CorruptError);
}

TEST(Dqn, AppraisesWhatItExpectsToEarn) {
  // With one arm there is nothing to decide; the last pull earns its mean.
  const std::unique_ptr<Problem> problem = make_problem("bandit(arms=1,horizon=3)");
  const auto policy = make_method("dqn(epochs=300)")->solve(*problem, {.rng = Rng(1), .resources = 1}).policy;
  Episode episode = problem->episode(Rng(2));
  Rng rng(1);
  const Appraisal all = policy->appraise(episode.situation(), rng);
  ASSERT_EQ(all.total.size(), 1U);
  EXPECT_NEAR(all.total.front(), 1.5, 0.05);  // three pulls of a uniform prior
}

TEST(SituationInputs, AreOfLimitedNumberAndTellSituationsApart) {
  for (const char* name : {"t_maze", "treasure_map(size=5)", "bandit(arms=600)", "chain(states=300)"}) {
    SCOPED_TRACE(name);
    const std::unique_ptr<Problem> problem = make_problem(name);
    const SituationInputs inputs(*problem);
    const std::unique_ptr<Belief> belief = problem->prior();
    SituationInputs::Scratch scratch;
    std::vector<float> known(inputs.known_count());
    std::vector<float> all(inputs.count());
    EXPECT_LE(inputs.count(), SituationInputs::kMostStates + BeliefInputs::kMostInputs + 100U +
                                  static_cast<std::size_t>(problem->actions()));
    std::map<std::vector<float>, int> met;
    for (int x = 0; x < problem->states(); ++x) {
      for (const int remaining : {1, problem->horizon()}) {
        inputs.know(*belief, x, scratch, known);
        inputs.show(x, remaining, known, all);
        EXPECT_TRUE(std::ranges::all_of(all, [](float n) { return std::isfinite(n); }));
        ++met[all];
      }
    }
    EXPECT_EQ(met.size(), 2U * static_cast<std::size_t>(problem->states()));
  }
}

}  // namespace
}  // namespace assay
