// What the tabular learners collect in T-mazes, in both environments, with fixed seeds.
//
// The shares that the tests ask for leave room: over 200 other seeds PCR as the paper has it is at the cue in
// 93 % of trainings after 1500 epochs and TD at 0 in 58 % of them (71 % after 1000); in mazes with a niche
// ours is at the optimum in 97 % or more after 1000 epochs. With 10 trainings, fewer than 6 of them would
// come out by chance once in 300,000 times.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "assay/lab/evaluation.hpp"
#include "assay/problem/registry.hpp"
#include "experiments/driver.hpp"
#include "lab/experiment.hpp"
#include "lab/statistics.hpp"
#include "report/trace.hpp"

namespace assay {
namespace {

/// What the greedy policy collects after the last epoch, mean of both environments, for seeds 101, 102, ...
std::vector<double> collected(const std::string& family, const std::string& method, int trainings) {
  const auto problem = make_problem(family);
  const auto made = make_method(method);
  std::vector<double> all;
  for (int i = 1; i <= trainings; ++i) {
    const auto learner = made->learner(*problem, Rng(100 + static_cast<std::uint64_t>(i)), 1);
    double last = 0;
    while (learner->done() < learner->epochs()) last = learner->advance().mean_return;
    all.push_back(last);
  }
  return all;
}

int count_of(const std::vector<double>& all, double value) {
  return static_cast<int>(std::ranges::count(all, value));
}

TEST(TMaze, TheDefaultHasThePapersOutcome) {
  // By the cue: 4 steps, then 8, then rewards to the last of 20 steps.
  EXPECT_EQ(median(collected("t_maze", "tabular_pcr(preset=paper,epochs=1500)", 15)), 8);
  EXPECT_EQ(median(collected("t_maze", "tabular_td(preset=paper,epochs=1000)", 15)), 0);
}

TEST(TMaze, FleeingFromTheArmsIsNotLearning) {
  // With exact cross-values v^c alone leads to a cue at the end of the stem, and away from one in a niche.
  const std::string alone = "tabular_pcr(preset=paper,cross=iteration,epochs=1)";
  EXPECT_EQ(collected("t_maze", alone, 1).front(), 8);
  for (const char* family : {"t_maze(cue=junction)", "t_maze(cue=arm)"}) {
    EXPECT_EQ(collected(family, alone, 1).front(), 0) << family;
    const std::string paper = "tabular_pcr(preset=paper,cross=iteration,epochs=1000)";
    EXPECT_EQ(count_of(collected(family, paper, 5), 0), 5) << family;
  }
}

TEST(TMaze, OursFindsTheCueWhereverItIs) {
  // 20 steps without the way to the cue and from there to an end; cue=arm: 2 or 6 steps from there.
  struct Case {
    const char* family;
    double optimum;
  };
  for (const char* method : {"tabular_pcr(epochs=1000)", "tabular_pcr(cross=iteration,epochs=1000)"}) {
    for (const Case& c : {Case{"t_maze", 8}, Case{"t_maze(cue=junction)", 14}, Case{"t_maze(cue=arm)", 12},
                          Case{"t_maze(distance=6,cue=junction,discount=0.95)", 12}}) {
      EXPECT_GE(count_of(collected(c.family, method, 10), c.optimum), 6) << c.family << " " << method;
    }
  }
}

TEST(TMaze, TheExperimentTestsBothEnvironmentsOnce) {
  const auto experiment =
      experiments::make_experiment(experiments::embedded_text("t_maze"), "t_maze", {true, 1});
  for (const assay::Run& run : experiment->runs()) {
    ASSERT_EQ(run.episodes, 2);
    EXPECT_NE(hidden_rewards(*run.problem, test_episode_rng(run.test_seed, 0)),
              hidden_rewards(*run.problem, test_episode_rng(run.test_seed, 1)));
  }
}

}  // namespace
}  // namespace assay
