// Episodes: how they are drawn, copied, and replaced by drawn ones.
#include "assay/core/episode.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "assay/problem/registry.hpp"
#include "support/episode_text.hpp"
#include "support/ks.hpp"
#include "support/small_problems.hpp"

namespace assay {
namespace {

using test::bytes;
using test::copy_of;
using test::for_every_small_problem;
using test::imagined;
using test::play_on;
using test::played_text;
using test::random_policy;
using test::seen_in;

TEST(Episodes, ReplayFromTheSameStreamByteByByte) {
  for_every_small_problem([](const std::string&, const Problem& problem) {
    const auto policy = random_policy(problem);
    const std::string first = played_text(problem, *policy, Rng(1, 2));
    EXPECT_EQ(played_text(problem, *policy, Rng(1, 2)), first) << "of the same problem";
    EXPECT_EQ(played_text(*make_problem(problem.name()), *policy, Rng(1, 2)), first) << "of a new one";
  });
}

TEST(Episodes, DifferFromStreamToStream) {
  for_every_small_problem([](const std::string&, const Problem& problem) {
    const auto policy = random_policy(problem);
    const std::string first = played_text(problem, *policy, Rng(0));
    bool all_the_same = true;
    for (std::uint64_t run = 1; run < 50; ++run) {
      all_the_same &= played_text(problem, *policy, Rng(0, run)) == first;
    }
    EXPECT_FALSE(all_the_same);
  });
}

TEST(Episodes, GoOnInACopyAsInTheOriginalFromEveryStep) {
  for_every_small_problem([](const std::string&, const Problem& problem) {
    const auto policy = random_policy(problem);
    for (int steps = 0; steps < problem.horizon(); ++steps) {
      for (const bool arrived : {false, true}) {
        const Rng luck = Rng(3).split(static_cast<std::uint64_t>(steps));
        Episode episode = problem.episode(luck);
        Rng choices(4);
        for (int i = 0; i < steps; ++i) {
          episode.arrive();
          episode.act(policy->act(episode.situation(), choices));
        }
        if (arrived) {  // between arrival and action
          episode.arrive();
          Episode copy = copy_of(episode, luck);
          EXPECT_EQ(seen_in(copy.situation()), seen_in(episode.situation()));
          const int action = policy->act(episode.situation(), choices);
          EXPECT_EQ(bytes(copy.act(action)), bytes(episode.act(action)));
          EXPECT_EQ(play_on(copy, *policy, choices), play_on(episode, *policy, choices));
        } else {
          Episode copy = copy_of(episode, luck);
          EXPECT_EQ(seen_in(copy.situation()), seen_in(episode.situation()));
          EXPECT_EQ(play_on(copy, *policy, choices), play_on(episode, *policy, choices));
        }
      }
    }
  });
}

TEST(Episodes, AreNotDisturbedByWhatIsImaginedOrCopied) {
  for_every_small_problem([](const std::string&, const Problem& problem) {
    const auto policy = random_policy(problem);
    const auto play = [&](bool thinking) {
      Episode episode = problem.episode(Rng(5));
      const Situation& now = episode.situation();
      std::string text;
      while (!episode.done()) {
        text += bytes(episode.arrive());
        Rng choices = Rng(6).split(static_cast<std::uint64_t>(now.step()));
        if (thinking) {
          Rng other(6);
          Episode thought = imagined(now, Rng(7));
          thought.act(policy->act(thought.situation(), other));
          (void)play_on(thought, *policy, Rng(8));
          Episode copy = copy_of(episode, Rng(9));
          copy.truth().draw_from(now.belief());
          copy.truth().draw(Rng(9));
          copy.act(policy->act(copy.situation(), other));
          (void)play_on(copy, *policy, Rng(10));
        }
        text += bytes(episode.act(policy->act(now, choices))) + seen_in(now);
      }
      return text;
    };
    EXPECT_EQ(play(true), play(false));
  });
}

TEST(Episodes, AreImaginedWithTheSameKnowledgeAndClock) {
  for_every_small_problem([](const std::string&, const Problem& problem) {
    const auto policy = random_policy(problem);
    Episode episode = problem.episode(Rng(10));
    const Situation& now = episode.situation();
    Rng choices(11);
    while (!episode.done()) {
      episode.arrive();
      Episode thought = imagined(now, Rng(12));
      EXPECT_EQ(seen_in(thought.situation()), seen_in(now));
      EXPECT_EQ(thought.situation().remaining(), now.remaining());
      Episode again = imagined(now, Rng(12));
      const int action = policy->act(now, choices);
      EXPECT_EQ(bytes(again.act(action)), bytes(thought.act(action))) << "the same stream imagines the same";
      episode.act(action);
    }
  });
}

TEST(Episodes, ForPracticeAreInEnvironmentsOfThePrior) {
  // The chain's truth is one, and its prior was only put on it: there practice is elsewhere. A T-maze draws
  // its truth from the prior: there both are alike.
  const auto chain = make_problem("chain(horizon=3)");
  const auto maze = make_problem("t_maze");
  const auto rewards_and_arcs = [](Episode episode) {
    const Mdp mdp = episode.truth().tabulate();
    std::vector<double> numbers = mdp.reward;
    for (const Mdp::Arc& arc : mdp.arcs) numbers.push_back(arc.probability);
    return numbers;
  };
  bool left = false;
  bool right = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(rewards_and_arcs(chain->episode(Rng(seed))), rewards_and_arcs(chain->episode(Rng(0))));
    EXPECT_NE(rewards_and_arcs(chain->practice(Rng(seed))), rewards_and_arcs(chain->episode(Rng(seed))));
    EXPECT_NE(rewards_and_arcs(chain->practice(Rng(seed))), rewards_and_arcs(chain->practice(Rng(seed + 1))));
    const int number = maze->episode(Rng(seed)).truth().number();
    EXPECT_EQ(maze->practice(Rng(seed)).truth().number(), number);
    EXPECT_EQ(chain->practice(Rng(seed)).truth().number(), -1) << "they are not numbered";
    left = left || number == 0;
    right = right || number == 1;
    EXPECT_TRUE(number == 0 || number == 1);
  }
  EXPECT_TRUE(left && right);
}

enum TMazeAction { kStay, kUp, kDown, kLeft, kRight };  // as `t_maze` numbers them

/// A T-maze of four cells: the agent goes to the cue and reads it. Returns the side that it showed.
int read_the_cue(Episode& episode) {
  episode.arrive();
  episode.act(kDown);
  return episode.arrive().observation.at(0);
}

/// From the cue to an arm's end: what is paid there.
double reward_at(Episode& episode, int side) {
  episode.act(kUp);
  episode.arrive();
  episode.act(side == 0 ? kLeft : kRight);
  return episode.arrive().reward;
}

double imagined_reward_at(const Situation& now, int side, Rng rng) {
  Episode thought = imagined(now, rng);
  return reward_at(thought, side);
}

TEST(Episodes, AreImaginedInTheEnvironmentThatTheBeliefIsCertainOf) {
  const auto problem = make_problem("t_maze(distance=1,arm=1,horizon=5)");
  for (std::uint64_t run = 0; run < 20; ++run) {
    Episode episode = problem->episode(Rng(13, run));
    const int side = read_the_cue(episode);
    for (std::uint64_t i = 0; i < 50; ++i) {
      EXPECT_EQ(imagined_reward_at(episode.situation(), side, Rng(14, i)), 1);
      EXPECT_EQ(imagined_reward_at(episode.situation(), 1 - side, Rng(14, i)), -7);
    }
    EXPECT_EQ(episode.truth().number(), side);
    EXPECT_EQ(reward_at(episode, side), 1);
  }
}

TEST(Episodes, AreImaginedAsOftenAsTheBeliefSaysWhateverTheTruthIs) {
  // A cue that is right with 0.8: the side it names pays in 0.8 of the imaginations, also when it lies.
  const auto problem = make_problem("t_maze(distance=1,arm=1,horizon=5,cue_accuracy=0.8)");
  const int imaginations = 4000;
  int lies = 0;
  for (std::uint64_t run = 0; run < 20; ++run) {
    Episode episode = problem->episode(Rng(15, run));
    const int side = read_the_cue(episode);
    int pays = 0;
    for (int i = 0; i < imaginations; ++i) {
      const Rng rng = Rng(16, run).split(static_cast<std::uint64_t>(i));
      pays += imagined_reward_at(episode.situation(), side, rng) > 0 ? 1 : 0;
    }
    const double standard_error = std::sqrt(0.8 * 0.2 / imaginations);
    EXPECT_NEAR(static_cast<double>(pays) / imaginations, 0.8, laws::z_threshold() * standard_error);
    lies += reward_at(episode, side) < 0 ? 1 : 0;
  }
  EXPECT_GT(lies, 0) << "no run tells imagining from the truth";
}

TEST(Episodes, RefuseActionsThatAreNotAllowed) {
  for_every_small_problem([](const std::string&, const Problem& problem) {
    for (std::uint64_t run = 0; run < 20; ++run) {
      Episode episode = problem.episode(Rng(17, run));
      const Situation& now = episode.situation();
      episode.arrive();
      const std::string before = seen_in(now);
      for (const int action : {-2, kArrive, now.actions(), now.actions() + 100}) {
        EXPECT_FALSE(now.allowed(action)) << action;
        EXPECT_THROW(episode.act(action), UsageError) << action;
      }
      int possible = 0;
      for (int action = 0; action < now.actions(); ++action) {
        if (now.allowed(action)) {
          ++possible;
          EXPECT_NO_THROW(copy_of(episode, Rng(17, run)).act(action)) << action;
        } else {
          EXPECT_THROW(episode.act(action), UsageError) << action;
        }
      }
      EXPECT_GT(possible, 0);
      EXPECT_EQ(now.step(), 0) << "a refused action takes no time";
      EXPECT_EQ(seen_in(now), before) << "nor does it teach anything";
    }
  });
}

TEST(Episodes, NameTheActionAndTheStateThatTheyRefuse) {
  Episode episode = make_problem("t_maze(distance=2,arm=1,horizon=3)")->episode(Rng(18));
  try {
    episode.act(kLeft);
    FAIL() << "walked through a wall";
  } catch (const UsageError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("action 3"), std::string::npos) << what;
    EXPECT_NE(what.find("state 2"), std::string::npos) << what;
  }
}

TEST(Episodes, EndWithTheLastStep) {
  for_every_small_problem([](const std::string&, const Problem& problem) {
    const auto policy = random_policy(problem);
    Episode episode = problem.episode(Rng(19));
    const Situation& now = episode.situation();
    Rng choices(20);
    for (int step = 0; step < problem.horizon(); ++step) {
      EXPECT_FALSE(episode.done());
      EXPECT_EQ(now.step(), step);
      EXPECT_EQ(now.remaining(), problem.horizon() - step);
      episode.arrive();
      episode.act(policy->act(now, choices));
    }
    EXPECT_TRUE(episode.done() && now.done());
    EXPECT_EQ(now.remaining(), 0);
    int action = 0;
    while (!now.allowed(action)) ++action;
    try {
      episode.act(action);
      FAIL() << "acted after the end";
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("over"), std::string::npos) << error.what();
    }
  });
}

}  // namespace
}  // namespace assay
