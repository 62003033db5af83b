#include "assay/core/world.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/core/policy.hpp"
#include "assay/core/samplers.hpp"
#include "assay/problem/registry.hpp"
#include "support/ks.hpp"

namespace assay {
namespace {

// What an agent must not do to the world it is in does not compile.
template <class W>
concept Clonable = requires(W& world) {
  world.clone();
};
template <class W>
concept Playable = requires(W& world) {
  world.act(0);
}
|| requires(W& world) { world.arrive(); }
|| requires(W& world) { world.begin(Rng(0)); }
|| requires(W& world) { world.recall(0, 0, {}, Rng(0)); };
template <class W>
concept Imaginable = requires(W& world) {
  world.imagine(Rng(0));
};

static_assert(Clonable<World> && Playable<World> && Imaginable<World>);
static_assert(!Clonable<const World> && !Playable<const World> && Imaginable<const World>);

/// Every bit of a step, as text: doubles in hexadecimal.
std::string bytes(const Outcome& outcome) {
  char reward[64];
  std::snprintf(reward, sizeof reward, "%a", outcome.reward);
  std::string text = "next " + std::to_string(outcome.next) + " reward " + reward + " seen";
  for (const int seen : outcome.observation) text += " " + std::to_string(seen);
  return text + "; ";
}

std::string bytes(const StepRecord& r) {
  return "step " + std::to_string(r.step) + " state " + std::to_string(r.state) + " arrival " +
         bytes(r.arrival) + r.arrival_belief + " action " + std::to_string(r.action) + " outcome " +
         bytes(r.outcome) + r.outcome_belief + "\n";
}

std::string bytes_of_key(const World& world) {
  std::string text;
  for (const std::uint64_t word : world.belief_key()) text += std::to_string(word) + " ";
  return text;
}

std::unique_ptr<Policy> random_policy(const Problem& problem) {
  return make_method("random")->solve(problem, Rng(0), 1);
}

/// An episode with random actions, as text.
std::string episode(World& world, Policy& policy, Rng rng) {
  std::string text;
  run_episode(world, policy, rng,
              [&](const World& w, const StepRecord& record) { text += bytes(record) + bytes_of_key(w); });
  return text;
}

/// The rest of an episode that has begun, with random actions, as text.
std::string play_on(World& world, Policy& policy, Rng rng) {
  std::string text;
  while (!world.done()) {
    text += bytes(world.arrive());
    const int action = policy.act(world, rng);
    text += std::to_string(action) + " " + bytes(world.act(action)) + bytes_of_key(world);
  }
  return text;
}

/// Everything that an agent sees, as text.
std::string knowledge(const World& world) {
  std::vector<double> features(world.feature_count());
  world.features(features);
  std::string text = bytes_of_key(world) + world.belief_text();
  for (const double f : features) text += " " + std::to_string(f);
  return text + " state " + std::to_string(world.state()) + " step " + std::to_string(world.step());
}

void for_each_small_problem(const std::function<void(const Problem&)>& check) {
  int problems = 0;
  for (const auto& entry : families().entries()) {
    EXPECT_FALSE(entry.small.empty()) << entry.name;
    for (const std::string& spec : entry.small) {
      SCOPED_TRACE(spec);
      check(*make_problem(spec));
      ++problems;
    }
  }
  EXPECT_GT(problems, 0);
}

TEST(World, ReplaysAnEpisodeFromTheSameStreamByteByByte) {
  for_each_small_problem([](const Problem& problem) {
    const auto policy = random_policy(problem);
    const auto world = problem.world();
    const std::string first = episode(*world, *policy, Rng(1, 2));
    EXPECT_EQ(episode(*world, *policy, Rng(1, 2)), first) << "in the same world, begun again";
    EXPECT_EQ(episode(*problem.world(), *policy, Rng(1, 2)), first) << "in a new world";
  });
}

TEST(World, PlaysDifferentEpisodesFromDifferentStreams) {
  for_each_small_problem([](const Problem& problem) {
    const auto policy = random_policy(problem);
    const auto world = problem.world();
    const std::string first = episode(*world, *policy, Rng(0));
    bool all_the_same = true;
    for (std::uint64_t run = 1; run < 50; ++run)
      all_the_same &= episode(*world, *policy, Rng(0, run)) == first;
    EXPECT_FALSE(all_the_same);
  });
}

TEST(World, GoesOnInACloneAsInTheOriginalFromEveryStep) {
  for_each_small_problem([](const Problem& problem) {
    const auto policy = random_policy(problem);
    const int horizon = problem.world()->horizon();
    for (int steps = 0; steps < horizon; ++steps) {
      for (const bool arrived : {false, true}) {
        const auto world = problem.world();
        world->begin(Rng(3).split(static_cast<std::uint64_t>(steps)));
        Rng choices(4);
        for (int i = 0; i < steps; ++i) {
          world->arrive();
          world->act(policy->act(*world, choices));
        }
        if (arrived) {  // between arrival and action
          world->arrive();
          const auto clone = world->clone();
          const int action = policy->act(*world, choices);
          EXPECT_EQ(bytes(clone->act(action)), bytes(world->act(action)));
          EXPECT_EQ(play_on(*clone, *policy, choices), play_on(*world, *policy, choices));
        } else {
          const auto clone = world->clone();
          EXPECT_EQ(knowledge(*clone), knowledge(*world));
          EXPECT_EQ(play_on(*clone, *policy, choices), play_on(*world, *policy, choices));
        }
      }
    }
  });
}

TEST(World, IsNotDisturbedByItsClonesAndImaginations) {
  for_each_small_problem([](const Problem& problem) {
    const auto policy = random_policy(problem);
    const auto play = [&](bool thinking) {
      const auto world = problem.world();
      world->begin(Rng(5));
      Rng choices(6);
      std::string text;
      while (!world->done()) {
        text += bytes(world->arrive());
        if (thinking) {
          const auto imagined = world->imagine(Rng(7));
          imagined->act(policy->act(*imagined, choices));
          (void)play_on(*imagined, *policy, Rng(8));
          const auto clone = world->clone();
          clone->begin(Rng(9));
          choices = Rng(6).split(static_cast<std::uint64_t>(world->step()));
        } else {
          choices = Rng(6).split(static_cast<std::uint64_t>(world->step()));
        }
        text += bytes(world->act(policy->act(*world, choices))) + knowledge(*world);
      }
      return text;
    };
    EXPECT_EQ(play(true), play(false));
  });
}

TEST(World, ImaginesWithTheSameKnowledgeAndClock) {
  for_each_small_problem([](const Problem& problem) {
    const auto policy = random_policy(problem);
    const auto world = problem.world();
    world->begin(Rng(10));
    Rng choices(11);
    while (!world->done()) {
      world->arrive();
      const auto imagined = world->imagine(Rng(12));
      EXPECT_EQ(knowledge(*imagined), knowledge(*world));
      EXPECT_EQ(imagined->remaining(), world->remaining());
      const auto again = world->imagine(Rng(12));
      const int action = policy->act(*world, choices);
      EXPECT_EQ(bytes(again->act(action)), bytes(imagined->act(action)))
          << "the same stream imagines the same";
      world->act(action);
    }
  });
}

enum TMazeAction { kStay, kUp, kDown, kLeft, kRight };  // as `t_maze` numbers them

/// A T-maze of four cells, after the agent went to the cue and read it. Returns the side that it showed.
int read_the_cue(World& world, Rng rng) {
  world.begin(rng);
  world.arrive();
  world.act(kDown);
  return world.arrive().observation.at(0);
}

/// From the cue to an arm's end: what is paid there.
double reward_at(World& world, int side) {
  world.act(kUp);
  world.arrive();
  world.act(side == 0 ? kLeft : kRight);
  return world.arrive().reward;
}

TEST(World, ImaginesTheEnvironmentThatItsBeliefIsCertainOf) {
  const auto problem = make_problem("t_maze(distance=1,arm=1,horizon=5)");
  for (std::uint64_t run = 0; run < 20; ++run) {
    const auto world = problem->world();
    const int side = read_the_cue(*world, Rng(13, run));
    for (std::uint64_t i = 0; i < 50; ++i) {
      EXPECT_EQ(reward_at(*world->imagine(Rng(14, i)), side), 1);
      EXPECT_EQ(reward_at(*world->imagine(Rng(14, i)), 1 - side), -7);
    }
    EXPECT_EQ(reward_at(*world, side), 1);
  }
}

TEST(World, ImaginesEnvironmentsAsOftenAsItsBeliefSaysWhateverTheTruthIs) {
  // A cue that is right with 0.8: the side it names pays in 0.8 of the imaginations, also when it lies.
  const auto problem = make_problem("t_maze(distance=1,arm=1,horizon=5,cue_accuracy=0.8)");
  const int imaginations = 4000;
  int lies = 0;
  for (std::uint64_t run = 0; run < 20; ++run) {
    const auto world = problem->world();
    const int side = read_the_cue(*world, Rng(15, run));
    int pays = 0;
    for (int i = 0; i < imaginations; ++i) {
      const auto imagined = world->imagine(Rng(16, run).split(static_cast<std::uint64_t>(i)));
      pays += reward_at(*imagined, side) > 0 ? 1 : 0;
    }
    const double standard_error = std::sqrt(0.8 * 0.2 / imaginations);
    EXPECT_NEAR(static_cast<double>(pays) / imaginations, 0.8, laws::z_threshold() * standard_error);
    lies += reward_at(*world, side) < 0 ? 1 : 0;
  }
  EXPECT_GT(lies, 0) << "no run tells imagining from cloning";
}

TEST(World, RefusesActionsThatAreNotAllowed) {
  for_each_small_problem([](const Problem& problem) {
    const auto world = problem.world();
    for (std::uint64_t run = 0; run < 20; ++run) {
      world->begin(Rng(17, run));
      world->arrive();
      for (const int action : {-2, kArrive, world->actions(), world->actions() + 100}) {
        EXPECT_THROW(world->act(action), UsageError) << action;
      }
      int possible = 0;
      for (int action = 0; action < world->actions(); ++action) {
        if (world->allowed(action)) {
          ++possible;
          EXPECT_NO_THROW(world->clone()->act(action)) << action;
        } else {
          EXPECT_THROW(world->act(action), UsageError) << action;
        }
      }
      EXPECT_GT(possible, 0);
      EXPECT_EQ(world->step(), 0) << "a refused action takes no time";
    }
  });
}

TEST(World, NamesTheActionAndTheStateThatItRefuses) {
  const auto world = make_problem("t_maze(distance=2,arm=1,horizon=3)")->world();
  world->begin(Rng(18));
  try {
    world->act(kLeft);
    FAIL() << "walked through a wall";
  } catch (const UsageError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("action 3"), std::string::npos) << what;
    EXPECT_NE(what.find("state 2"), std::string::npos) << what;
  }
}

TEST(RunEpisode, AddsUpTheRewardsOfItsRecordsDiscountedByStep) {
  for_each_small_problem([](const Problem& problem) {
    const auto policy = random_policy(problem);
    const auto world = problem.world();
    for (std::uint64_t run = 0; run < 20; ++run) {
      double discounted = 0;
      double undiscounted = 0;
      int steps = 0;
      const EpisodeReturn total =
          run_episode(*world, *policy, Rng(19, run), [&](const World& w, const StepRecord& r) {
            EXPECT_EQ(r.step, steps);
            const double reward = r.arrival.reward + r.outcome.reward;
            discounted += std::pow(w.discount(), r.step) * reward;
            undiscounted += reward;
            ++steps;
          });
      EXPECT_EQ(steps, world->horizon());
      EXPECT_NEAR(total.discounted, discounted, 1e-12);
      EXPECT_NEAR(total.undiscounted, undiscounted, 1e-12);
    }
  });
}

TEST(RunEpisode, GivesTheSameReturnWatchedOrNot) {
  for_each_small_problem([](const Problem& problem) {
    const auto policy = random_policy(problem);
    const auto world = problem.world();
    const EpisodeReturn watched =
        run_episode(*world, *policy, Rng(20), [](const World&, const StepRecord&) {});
    EXPECT_EQ(run_episode(*world, *policy, Rng(20)).discounted, watched.discounted);
  });
}

TEST(World, RemembersTheLastStepAndWhatItPaid) {
  for (const char* spec : {"t_maze", "bandit(arms=2)", "treasure_map(size=3)", "double_loop(horizon=20)"}) {
    const auto problem = make_problem(spec);
    const auto world = problem->world();
    const auto policy = random_policy(*problem);
    std::optional<StepRecord> before;
    for (std::uint64_t seed = 0; seed < 2; ++seed) {  // nothing is left of the first episode
      run_episode(
          *world, *policy, Rng(seed), [&](const World&, const StepRecord& record) { before = record; },
          [&](const World& w, const StepRecord& record) {
            ASSERT_EQ(w.last().has_value(), record.step > 0) << spec;
            if (!w.last()) return;
            EXPECT_EQ(w.last()->state, before->state);
            EXPECT_EQ(w.last()->action, before->action);
            EXPECT_EQ(w.last()->reward, before->outcome.reward);
            EXPECT_EQ(w.last()->arrival, record.arrival.reward);
          });
    }
    world->begin(Rng(3));
    world->arrive();
    int action = 0;
    while (!world->allowed(action)) ++action;
    world->act(action);
    EXPECT_TRUE(world->last().has_value());
    world->recall(world->state(), 1, world->belief_key(), Rng(4));
    EXPECT_FALSE(world->last().has_value()) << "how it got there is not known";
  }
}

}  // namespace
}  // namespace assay
