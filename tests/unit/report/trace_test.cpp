// Traced episodes against the episode loop, the estimators of cross-values and draws from the belief.
#include "report/trace.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "assay/cashing/cashing.hpp"
#include "assay/lab/evaluation.hpp"
#include "assay/problem/registry.hpp"
#include "cashing/places.hpp"

namespace assay {
namespace {

std::unique_ptr<Policy> policy_of(const Problem& problem, const std::string& method) {
  return make_method(method)->solve(problem, {.rng = Rng(1), .resources = 1}).policy;
}

TEST(Traces, EarnWhatTheTestEpisodesEarned) {
  const std::vector<std::pair<std::string, std::string>> all = {
      {"treasure_map(size=3)", "pcr(epochs=3)"},
      {"treasure_map(size=3)", "pcr(preset=paper,epochs=3)"},  // draws at every step
      {"treasure_map(size=3,order=move_then_collect)", "pcr(epochs=3)"},
      {"treasure_map(size=4)", "td(epochs=3)"},
      {"treasure_map(size=4)", "oracle"},
      {"treasure_map(size=4)", "vi_thompson"},
      {"t_maze(cue_accuracy=0.8)", "tabular_pcr(epochs=50)"},
      {"t_maze", "exact"},
      {"bandit(arms=3,horizon=10)", "pcr(epochs=3)"},
      {"bandit(arms=3,horizon=10)", "random"}};
  for (const auto& [family, method] : all) {
    const auto problem = make_problem(family);
    const auto policy = policy_of(*problem, method);
    TestEpisodes test;
    test.seed = 5;
    test.episodes = 4;
    const std::vector<EpisodeReturn> returns = evaluate(*problem, *policy, test);
    for (int i = 0; i < test.episodes; ++i) {
      const Trace trace = trace_episode(*problem, *policy, test_episode_rng(test.seed, i));
      const EpisodeReturn& due = returns[static_cast<std::size_t>(i)];
      EXPECT_EQ(trace.undiscounted, due.undiscounted) << family << " " << method;
      EXPECT_EQ(trace.discounted, due.discounted) << family << " " << method;
      ASSERT_EQ(trace.steps.size(), static_cast<std::size_t>(problem->horizon()));
      double sum = 0;
      for (const TraceStep& step : trace.steps) sum += step.reward;
      EXPECT_NEAR(sum, trace.undiscounted, 1e-12);
    }
  }
}

TEST(Traces, ShowTheDecompositionThatThePolicyActsOn) {
  const auto problem = make_problem("treasure_map(size=4)");
  for (const char* method : {"pcr(epochs=5)", "pcr(preset=paper,epochs=5)"}) {
    const auto policy = policy_of(*problem, method);
    const Trace trace = trace_episode(*problem, *policy, Rng(3));
    for (std::size_t i = 0; i + 1 < trace.steps.size(); ++i) {  // at the last one nothing is left to collect
      const TraceStep& step = trace.steps[i];
      ASSERT_EQ(step.total.size(), 16U);
      for (std::size_t x = 0; x < 16; ++x) {
        EXPECT_NEAR(step.total[x], step.current[x] + step.future[x], 1e-5);
        EXPECT_GE(step.future[x], 0);
        EXPECT_LE(step.future[x], step.bound[x] + 1e-6);
      }
      const auto next = static_cast<std::size_t>(trace.steps[i + 1].state);
      EXPECT_EQ(step.at.total, step.total[next]);
      EXPECT_EQ(step.at.bound, step.bound[next]);
    }
    EXPECT_TRUE(trace.steps.back().total.empty());
    EXPECT_TRUE(std::isnan(trace.steps.back().at.total));
  }
}

TEST(Traces, ActGreedilyInTheTotalThatTheyShow) {
  const auto problem = make_problem("t_maze");  // finite: nothing is drawn, so what is shown is what was seen
  for (const char* method : {"pcr(epochs=5)", "tabular_pcr(epochs=300)", "tabular_td(epochs=300)"}) {
    const auto policy = policy_of(*problem, method);
    const Trace trace = trace_episode(*problem, *policy, Rng(4));
    const Places places(*problem->prior());
    for (std::size_t i = 0; i + 1 < trace.steps.size(); ++i) {
      const TraceStep& step = trace.steps[i];
      for (const Places::Option& option : places.options(step.state)) {
        EXPECT_GE(step.at.total, step.total[static_cast<std::size_t>(option.place)] - 1e-6) << method;
      }
    }
  }
}

// The finite belief's cross-values are sums: the trace's table and the estimators' solver must agree.
TEST(Traces, CashAtTheCueWhatTheEstimatorsSay) {
  const auto problem = make_problem("t_maze(distance=2,arm=1,horizon=12,cue_accuracy=0.9)");
  const auto policy = policy_of(*problem, "exact");
  const Trace trace = trace_episode(*problem, *policy, Rng(2));
  const auto knowledge = problem->prior();
  int cashed = 0;
  std::string first_at;
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const TraceStep& step = trace.steps[i];
    CrossSampler sampler(Summed{}, StepsLeft{problem->horizon() - static_cast<int>(i)}, default_kernel(), 1);
    const CrossSamples before = sampler.sample(*knowledge, {});
    knowledge->observe(step.state, kArrive, step.arrival);
    const CrossSamples after = sampler.sample(*knowledge, {});
    EXPECT_NEAR(step.cashed, approximate_cashed_reward(step.state, before, after).value, 1e-4) << i;
    if (step.cashed > 1) first_at = cashed++ == 0 ? problem->state_name(step.state) : first_at;
    knowledge->observe(step.state, step.action, step.outcome);
  }
  EXPECT_EQ(first_at, "cue");
}

TEST(Traces, ShowTheBelief) {
  const auto problem = make_problem("t_maze(distance=2,arm=1,cue_accuracy=0.9)");
  const auto policy = policy_of(*problem, "exact");
  const Trace trace = trace_episode(*problem, *policy, Rng(2));
  // At first both ends pay 1 or -7 with the same probability; behind the cue 0.9 and 0.1.
  const std::vector<double>& first = trace.steps.front().mean;
  const auto end = static_cast<std::size_t>(problem->states() - 1);
  EXPECT_DOUBLE_EQ(first[end], -3);
  EXPECT_DOUBLE_EQ(trace.steps.front().spread[end], 4);
  bool read = false;
  for (const TraceStep& step : trace.steps) {
    if (step.arrival.observation.empty() || read) continue;
    read = true;
    EXPECT_NEAR(step.spread[end], 8 * std::sqrt(0.09), 1e-9);
  }
  EXPECT_TRUE(read);
  for (const TraceStep& step : trace.steps) EXPECT_EQ(step.mean[0], 0) << "the cue pays nothing";
}

TEST(Traces, HiddenRewardsAreThoseOfTheEpisode) {
  const auto problem = make_problem("treasure_map(size=3)");
  const auto oracle = policy_of(*problem, "oracle");
  // Cells that pay for certain, in the truth, must have paid whenever the agent was there; improbable ones,
  // never.
  for (int episode = 0; episode < 20; ++episode) {
    const Rng rng = test_episode_rng(9, episode);
    const std::vector<double> truth = hidden_rewards(*problem, rng);
    const Trace trace = trace_episode(*problem, *oracle, rng);
    for (const TraceStep& step : trace.steps) {
      const double p = truth[static_cast<std::size_t>(step.state)];
      EXPECT_TRUE(p >= 1e-12 || step.reward == 0);
      EXPECT_GE(p, 0);
      EXPECT_LE(p, 1);
    }
  }
}

// The spread against environments drawn from the belief. 20000 draws tell a standard deviation to
// sqrt((kurtosis - 1) / 4n); Beta(0.1, 1) has kurtosis 20 or so: 1.6 % is one standard error, 8 % five.
TEST(Traces, TheSpreadIsThatOfDrawnEnvironments) {
  for (const char* family :
       {"treasure_map(size=3,order=move_then_collect)", "treasure_map(size=3)", "bandit(arms=2,horizon=5)"}) {
    const auto problem = make_problem(family);
    Episode episode = problem->episode(Rng(7));
    const Situation& now = episode.situation();
    episode.arrive();
    int first = 0;
    while (!now.allowed(first)) ++first;
    episode.act(first);
    const auto drawn = now.belief().environment();
    constexpr int kDraws = 20000;
    for (int a = 0; a < problem->actions(); ++a) {
      if (!now.allowed(a)) {
        EXPECT_TRUE(std::isnan(now.belief().reward_spread(now.state(), a)));
        continue;
      }
      double sum = 0;
      double squares = 0;
      for (int i = 0; i < kDraws; ++i) {
        drawn->draw(Rng(8).split(static_cast<std::uint64_t>(i)));
        const double pays = drawn->expected_reward(now.state(), a);
        sum += pays;
        squares += pays * pays;
      }
      const double deviation = std::sqrt(squares / kDraws - sum * sum / kDraws / kDraws);
      EXPECT_NEAR(now.belief().reward_spread(now.state(), a), deviation, 0.08 * deviation)
          << family << " " << a;
    }
  }
}

TEST(Traces, DoWithoutValuesWhereTheyWouldTakeTooLong) {
  const auto problem = make_problem("treasure_map(size=51,horizon=200)");
  const Trace trace = trace_episode(*problem, *policy_of(*problem, "random"), Rng(1));
  EXPECT_TRUE(trace.steps.front().current.empty());
  EXPECT_FALSE(trace.steps.front().mean.empty());
  for (const TraceStep& step : trace.steps) EXPECT_EQ(step.why, "");
}

TEST(Traces, DoWithoutMapsWhereTheyWouldFillTheMemory) {
  const auto problem = make_problem("t_maze(distance=1000,arm=1000,horizon=5000)");
  const Trace trace = trace_episode(*problem, *policy_of(*problem, "random"), Rng(1));
  ASSERT_EQ(trace.steps.size(), 5000U);
  EXPECT_TRUE(trace.steps.front().mean.empty());
  EXPECT_FALSE(trace.steps.front().belief.empty());
  EXPECT_EQ(trace.steps.front().why, "");
}

}  // namespace
}  // namespace assay
