// Test episodes, and what the laboratory keeps of them while a test is under way.
#include "assay/lab/evaluation.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>

#include "lab/experiment.hpp"
#include "lab/laboratory.hpp"
#include "support/folder.hpp"

namespace assay {
namespace {

std::vector<double> undiscounted_of(const std::vector<EpisodeReturn>& returns) {
  std::vector<double> all;
  for (const EpisodeReturn& r : returns) all.push_back(r.undiscounted);
  return all;
}

// A copy of a policy plays several episodes: nothing may come from one into the next. Each played by a copy
// of its own is what they all should be.
TEST(TestEpisode, DoesNotDependOnTheOnesBefore) {
  for (const char* family : {"treasure_map(size=3)", "bandit(arms=2,horizon=12)", "double_loop(horizon=30)",
                             "grid_world(size=5,horizon=210)", "bbrl_chain(horizon=30)"}) {
    const bool many = std::string(family).starts_with("grid");  // so many steps that plans have no end
    for (const char* name : {"bamcp(simulations=20)", "thompson", "thompson(period=7)", "bayes_greedy", "beb",
                             "vi_greedy", "vi_thompson", "via(state=1)", "random", "oracle"}) {
      const std::unique_ptr<Problem> problem = make_problem(family);
      const std::unique_ptr<Method> method = make_method(name);
      if (!method->objection(*problem).empty() || (many && std::string(name).starts_with("bamcp"))) continue;
      const std::unique_ptr<Policy> policy = method->policy(*problem, "", 1);
      const int episodes = many ? 2 : 6;
      const std::unique_ptr<Policy> shared = policy->clone();
      for (int i = 0; i < episodes; ++i) {
        const std::unique_ptr<Policy> own = policy->clone();
        const Rng rng = test_episode_rng(3, i);
        EXPECT_EQ(play_episode(*problem, *shared, rng).discounted,
                  play_episode(*problem, *own, rng).discounted)
            << family << " " << name << " " << i;
      }
    }
  }
}

TEST(TestEpisode, BlocksCoverAllAndDependOnTheirNumberAlone) {
  const std::unique_ptr<Problem> problem = make_problem("bandit(arms=2,horizon=7)");
  const std::unique_ptr<Policy> policy = make_method("random")->policy(*problem, "", 1);
  for (const auto& [episodes, largest] : std::map<int, std::size_t>{{1, 1}, {20, 1}, {100, 6}, {2000, 25}}) {
    for (const int threads : {1, 3}) {
      std::mutex mutex;
      std::map<int, std::size_t> blocks;
      TestEpisodes test{.seed = 1, .episodes = episodes, .threads = threads};
      test.watch = [&](const TestedBlock& block) {
        const std::lock_guard lock(mutex);
        blocks[block.first] = block.returns.size();
        EXPECT_GT(block.seconds, 0);
        for (const EpisodeReturn& r : block.returns) EXPECT_EQ(r.decisions, 7);
      };
      (void)evaluate(*problem, *policy, test);
      int next = 0;
      for (const auto& [first, size] : blocks) {
        EXPECT_EQ(first, next);
        EXPECT_LE(size, largest);
        next += static_cast<int>(size);
      }
      EXPECT_EQ(next, episodes);
      EXPECT_EQ(blocks.begin()->second, largest);
    }
  }
}

TEST(TestEpisode, KnownOnesAreNotPlayedAgain) {
  const std::unique_ptr<Problem> problem = make_problem("bandit(arms=2,horizon=7)");
  const std::unique_ptr<Policy> policy = make_method("random")->policy(*problem, "", 1);
  TestEpisodes test{.seed = 1, .episodes = 100};
  std::vector<double> due = undiscounted_of(evaluate(*problem, *policy, test));
  for (const int known : {0, 1, 2, 3, 4, 5, 8, 99}) {
    test.known[known] = {-1, -2};
    due[static_cast<std::size_t>(known)] = -2;
  }
  int played = 0;
  test.watch = [&](const TestedBlock& block) {
    for (std::size_t i = 0; i < block.returns.size(); ++i, ++played) {
      const auto episode = static_cast<std::size_t>(block.first) + i;
      EXPECT_EQ(block.returns[i].undiscounted, due[episode]) << episode;
      EXPECT_FALSE(test.known.contains(static_cast<int>(episode)));
    }
  };
  EXPECT_EQ(undiscounted_of(evaluate(*problem, *policy, test)), due);
  EXPECT_EQ(played, 92);
}

class Tests : public test::TemporaryFolder {
 protected:
  static assay::Run run() {
    return make_run(make_problem("bandit(arms=3,horizon=20)"), "bamcp(simulations=20)", 0, 40, 5);
  }
};

TEST_F(Tests, AnInterruptedOneGoesOnWhereItWasAndEndsTheSame) {
  RunStore whole(folder_ / "whole", RunStore::Mode::kReadWrite);
  make_runs({run()}, whole, {});
  const std::vector<EpisodeRecord> due = whole.episodes(*whole.find(run().settings()));

  RunStore store(folder_ / "stopped", RunStore::Mode::kReadWrite);
  LabOptions options;
  options.threads = 1;
  std::atomic<int> asked = 0;
  options.stop = Stop({.asked = [&] { return ++asked > 700; }});
  EXPECT_THROW(make_runs({run()}, store, options), Interrupted);
  const RunStore::Id id = *store.find(run().settings());
  const std::vector<EpisodeRecord> tested = store.tested(id);
  EXPECT_GT(tested.size(), 0U);
  EXPECT_LT(tested.size(), 40U);
  EXPECT_EQ(tested.size() % 2, 0U) << "an episode that was not finished takes its block of 2 with it";
  for (const EpisodeRecord& e : tested) EXPECT_EQ(e, due[static_cast<std::size_t>(e.episode)]);
  EXPECT_EQ(store.test_time(id)->decisions, static_cast<std::int64_t>(tested.size()) * 20);

  make_runs({run()}, store, {});
  EXPECT_EQ(store.episodes(id), due);
  EXPECT_TRUE(store.tested(id).empty());
  EXPECT_EQ(store.test_time(id)->decisions, 40 * 20);
  EXPECT_GT(*seconds_per_decision(store, run()), 0);
}

TEST_F(Tests, WhatIsTestedIsTakenFromTheStore) {
  RunStore store(folder_ / "s", RunStore::Mode::kReadWrite);
  const RunStore::Id id = store.add(run().settings(), {});
  store.save_tested(id, std::vector<EpisodeRecord>{{7, 1234, 567}}, {1000, 20});
  make_runs({run()}, store, {});
  EXPECT_EQ(store.episodes(id)[7], (EpisodeRecord{7, 1234, 567}));
  EXPECT_EQ(store.test_time(id)->decisions, 40 * 20) << "of 39 episodes, and those that were saved";
  EXPECT_GT(store.test_time(id)->seconds, 1000);
}

TEST_F(Tests, AreKeptOnTheWayAsOftenAsCheckpoints) {
  RunStore store(folder_ / "s", RunStore::Mode::kReadWrite);
  LabOptions options;
  options.threads = 1;
  options.checkpoint_seconds = 0;
  std::size_t most = 0;
  options.stop = Stop({.asked = [&] {
    const auto id = store.find(run().settings());
    most = std::max(most, id ? store.tested(*id).size() : 0);
    return false;
  }});
  make_runs({run()}, store, options);
  EXPECT_EQ(most, 38U) << "all but the last block, which was to come";
  EXPECT_EQ(store.test_time(*store.find(run().settings()))->decisions, 40 * 20) << "nothing counted twice";
}

TEST(Visits, AreCountedByHand) {
  // `via` goes to the cell of the map, 4, by a shortest way from any of nine cells: no steps from itself, one
  // from all others.
  const std::unique_ptr<Problem> problem = make_problem("treasure_map(size=3)");
  const std::unique_ptr<Policy> policy = make_method("via(state=4)")->policy(*problem, "", 1);
  const TestEpisodes test{.seed = 4, .episodes = 60, .threads = 2};
  int elsewhere = 0;
  const auto count = [&](const Situation&, const StepRecord& step) {
    elsewhere += step.step == 0 && step.state != 4 ? 1 : 0;
  };
  for (int i = 0; i < test.episodes; ++i) {
    play_episode(*problem, *policy, test_episode_rng(test.seed, i), {.arrived = count});
  }
  const Visits seen = visits_to(*problem, *policy, 4, test);
  EXPECT_EQ(seen.episodes, 60);
  EXPECT_EQ(seen.visiting, 60);
  EXPECT_DOUBLE_EQ(seen.mean_first_step, elsewhere / 60.0);

  // The greedy policy of the T-maze stays away from the arms: nobody ever visits their ends.
  const std::unique_ptr<Problem> maze = make_problem("t_maze");
  const std::unique_ptr<Policy> careful = make_method("bayes_greedy")->policy(*maze, "", 1);
  const Visits none = visits_to(*maze, *careful, maze->states() - 1, test);
  EXPECT_EQ(none.visiting, 0);
  EXPECT_TRUE(std::isnan(none.mean_first_step));
}

std::vector<EpochRecord> losses_of(const std::vector<double>& losses) {
  std::vector<EpochRecord> all;
  for (const double loss : losses) all.push_back({static_cast<int>(all.size()), 0, loss});
  return all;
}

TEST(Divergence, IsALossAboveItsLimitInTheLastTenth) {
  std::vector<double> losses(20, 5);
  EXPECT_FALSE(has_diverged(losses_of(losses), 5));
  EXPECT_TRUE(has_diverged(losses_of(losses), 4.9));
  losses[17] = 1e9;
  EXPECT_FALSE(has_diverged(losses_of(losses), 5)) << "it came back";
  losses[18] = 6;
  EXPECT_TRUE(has_diverged(losses_of(losses), 5)) << "the mean of 6 and 5";
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL}) {
    losses[19] = bad;
    EXPECT_TRUE(has_diverged(losses_of(losses), 1e300));
  }
  EXPECT_FALSE(has_diverged({}, 1));
}

}  // namespace
}  // namespace assay
