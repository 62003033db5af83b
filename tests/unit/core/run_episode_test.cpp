// What an agent sees of an episode, what it does not, and the loop that plays it.
#include <gtest/gtest.h>

#include <cmath>
#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "assay/core/episode.hpp"
#include "assay/problem/registry.hpp"
#include "support/episode_text.hpp"
#include "support/small_problems.hpp"

namespace assay {
namespace {

using test::for_every_small_problem;
using test::random_policy;
using test::seen_in;

// What an agent must not see or do does not compile.
template <class T>
concept ShowsTheTruth = requires(T& from) {
  from.truth();
}
|| requires(T& from) { from.environment(); };
template <class T>
concept IsToldOutcomes = requires(T& of) {
  of.act(0, Outcome{});
}
|| requires(T& of) { of.arrive(Outcome{}); };
template <class T>
concept IsPlayed = requires(T& in) {
  in.act(0);
}
|| requires(T& in) { in.arrive(); };
template <class T>
concept CanBeShown = requires(T& who, const Situation& now, Environment& truth) {
  who.reveal(now, truth);
};

static_assert(ShowsTheTruth<Episode> && !ShowsTheTruth<const Episode>);
static_assert(!ShowsTheTruth<Situation> && !ShowsTheTruth<const Situation>);
static_assert(IsPlayed<Episode> && !IsPlayed<const Episode> && !IsPlayed<Situation>);
static_assert(IsToldOutcomes<Situation> && !IsToldOutcomes<const Situation>);
static_assert(std::same_as<decltype(std::declval<const Episode&>().situation()), const Situation&>);
static_assert(std::same_as<decltype(std::declval<Episode&>().situation()), const Situation&>);
static_assert(std::same_as<decltype(std::declval<Situation&>().belief()), const Belief&>);
// Nor does a cast lead from a situation to its episode.
static_assert(!std::is_polymorphic_v<Situation>);
static_assert(!std::is_base_of_v<Situation, Episode> && !std::is_base_of_v<Episode, Situation>);
static_assert(!std::is_convertible_v<Episode, Situation> && !std::is_convertible_v<Situation, Episode>);
// A policy is given situations alone. The environment goes to an oracle, by the one function that only
// oracles have.
static_assert(std::same_as<decltype(&Policy::begin), void (Policy::*)(const Situation&)>);
static_assert(std::same_as<decltype(&Policy::act), int (Policy::*)(const Situation&, Rng&)>);
static_assert(std::same_as<decltype(&Policy::appraise), Appraisal (Policy::*)(const Situation&, Rng&)>);
static_assert(CanBeShown<Oracle> && !CanBeShown<Policy>);
static_assert(std::same_as<decltype(&Oracle::reveal), void (Oracle::*)(const Situation&, Environment&)>);
// There is no second agent in the same true environment by accident.
static_assert(!std::copyable<Episode> && std::movable<Episode> && std::copyable<Situation>);

TEST(Environments, OfATrueEnvironmentAreWhatItsOutcomesSay) {
  // Each outcome that happens is possible there; paid is what the episode paid, and led to.
  for_every_small_problem([](const std::string&, const Problem& problem) {
    const auto policy = random_policy(problem);
    for (std::uint64_t run = 0; run < 5; ++run) {
      Episode episode = problem.episode(Rng(21, run));
      const Mdp before = episode.truth().tabulate();
      Rng choices(22);
      while (!episode.done()) {
        const int state = episode.situation().state();
        const Outcome arrival = episode.arrive();
        EXPECT_EQ(arrival.next, state) << "arriving moves nobody";
        EXPECT_GT(episode.truth().likelihood(state, kArrive, arrival), 0);
        const int action = policy->act(episode.situation(), choices);
        const Outcome outcome = episode.act(action);
        EXPECT_EQ(episode.situation().state(), outcome.next);
        EXPECT_GT(episode.truth().likelihood(state, action, outcome), 0);
      }
      if (problem.traits().hidden_moves) continue;
      const Mdp after = episode.truth().tabulate();
      EXPECT_EQ(after.reward, before.reward) << "nobody changes it";
      EXPECT_TRUE(same_transitions(after, before));
    }
  });
}

TEST(Situations, TakeOutcomesInAsTheirBeliefDoes) {
  for_every_small_problem([](const std::string&, const Problem& problem) {
    const auto policy = random_policy(problem);
    Episode episode = problem.episode(Rng(23));
    Situation told = episode.situation();
    const auto belief = problem.prior();
    EXPECT_EQ(seen_in(told), seen_in(Situation(problem.prior(), told.state(), 0)));
    Rng choices(24);
    while (!episode.done()) {
      const int state = told.state();
      const Outcome arrival = episode.arrive();
      told.arrive(arrival);
      belief->observe(state, kArrive, arrival);
      EXPECT_EQ(told.belief().key(), belief->key());
      EXPECT_EQ(told.state(), state);
      const Situation before = told;
      const int action = policy->act(told, choices);
      const Outcome outcome = episode.act(action);
      told.act(action, outcome);
      belief->observe(state, action, outcome);
      EXPECT_EQ(told.belief().key(), belief->key());
      EXPECT_EQ(told.belief().text(), belief->text());
      EXPECT_EQ(told.state(), outcome.next);
      EXPECT_EQ(told.step(), before.step() + 1);
      EXPECT_EQ(before.state(), state) << "a copy stays where it is";
      EXPECT_EQ(seen_in(told), seen_in(episode.situation()));
      Situation assigned = before;
      assigned = told;
      EXPECT_EQ(seen_in(assigned), seen_in(told));
    }
  });
}

TEST(Situations, AreRefusedWhereThereIsNoSuchStateOrStep) {
  for_every_small_problem([](const std::string&, const Problem& problem) {
    EXPECT_NO_THROW(Situation(problem.prior(), problem.states() - 1, problem.horizon() - 1));
    EXPECT_THROW(Situation(problem.prior(), problem.states(), 0), UsageError);
    EXPECT_THROW(Situation(problem.prior(), -1, 0), UsageError);
    EXPECT_THROW(Situation(problem.prior(), 0, problem.horizon()), UsageError);
    EXPECT_THROW(Situation(problem.prior(), 0, -1), UsageError);
  });
}

TEST(RunEpisode, AddsUpTheRewardsOfItsRecordsDiscountedByStep) {
  for_every_small_problem([](const std::string&, const Problem& problem) {
    const auto policy = random_policy(problem);
    for (std::uint64_t run = 0; run < 20; ++run) {
      double discounted = 0;
      double undiscounted = 0;
      int steps = 0;
      const auto add = [&](const Situation& after, const StepRecord& r) {
        EXPECT_EQ(r.step, steps);
        EXPECT_EQ(after.step(), r.step + 1);
        EXPECT_EQ(after.state(), r.outcome.next);
        const double reward = r.arrival.reward + r.outcome.reward;
        discounted += std::pow(after.outline().discount, r.step) * reward;
        undiscounted += reward;
        ++steps;
      };
      const EpisodeReturn total = play_episode(problem, *policy, Rng(19, run), {.acted = add});
      EXPECT_EQ(steps, problem.horizon());
      EXPECT_EQ(total.decisions, steps);
      EXPECT_NEAR(total.discounted, discounted, 1e-12);
      EXPECT_NEAR(total.undiscounted, undiscounted, 1e-12);
    }
  });
}

TEST(RunEpisode, GivesTheSameReturnWatchedOrNot) {
  for_every_small_problem([](const std::string&, const Problem& problem) {
    const auto policy = random_policy(problem);
    const auto look = [](const Situation&, const StepRecord&) {};
    const EpisodeReturn watched = play_episode(problem, *policy, Rng(20), {.acted = look, .arrived = look});
    EXPECT_EQ(play_episode(problem, *policy, Rng(20)).discounted, watched.discounted);
  });
}

TEST(RunEpisode, ShowsTheSituationThatTheActionIsChosenIn) {
  /// Does what is allowed first, and keeps what it saw.
  struct Witness final : Policy {
    int act(const Situation& now, Rng& /*rng*/) override {
      chosen_in.push_back(seen_in(now));
      int action = 0;
      while (!now.allowed(action)) ++action;
      return action;
    }
    std::unique_ptr<Policy> clone() const override { return std::make_unique<Witness>(); }
    std::vector<std::string> chosen_in;
  };
  for_every_small_problem([](const std::string&, const Problem& problem) {
    Witness witness;
    std::vector<std::string> arrived;
    play_episode(problem, witness, Rng(25), {.arrived = [&](const Situation& now, const StepRecord& r) {
                   EXPECT_EQ(now.step(), r.step);
                   EXPECT_EQ(now.state(), r.state);
                   arrived.push_back(seen_in(now));
                 }});
    EXPECT_EQ(witness.chosen_in, arrived);
  });
}

TEST(RunEpisode, AsksAtEveryStepWhetherToStop) {
  const auto problem = make_problem("bandit(arms=2,horizon=10)");
  const auto policy = random_policy(*problem);
  int steps = 0;
  const Stop stop({.asked = [&] { return steps == 4; }});
  const auto count = [&](const Situation&, const StepRecord&) { ++steps; };
  EXPECT_THROW(play_episode(*problem, *policy, Rng(26), {.acted = count, .stop = stop}), Stopped);
  EXPECT_EQ(steps, 4);
}

/// Notes what it is shown, and does what is allowed first.
class Ceiling final : public Oracle {
 public:
  void begin(const Situation& /*situation*/) override { events += "begin "; }
  void reveal(const Situation& situation, Environment& truth) override {
    events += "reveal ";
    shown_state = situation.state();
    shown = &truth;
  }
  int act(const Situation& now, Rng& /*rng*/) override {
    events += "act ";
    int action = 0;
    while (!now.allowed(action)) ++action;
    return action;
  }
  std::unique_ptr<Policy> clone() const override { return std::make_unique<Ceiling>(); }

  std::string events;
  int shown_state = -1;
  Environment* shown = nullptr;
};

/// An agent that asks another policy; the hook leads to that one.
class Asking final : public Policy {
 public:
  explicit Asking(Policy& other) : other_(other) {}
  void begin(const Situation& now) override { other_.begin(now); }
  int act(const Situation& now, Rng& rng) override { return other_.act(now, rng); }
  std::unique_ptr<Policy> clone() const override { return std::make_unique<Asking>(other_); }
  Oracle* oracle() override { return other_.oracle(); }

 private:
  Policy& other_;
};

TEST(RunEpisode, ShowsTheTruthToOraclesAlone) {
  const auto problem = make_problem("t_maze(distance=1,arm=1,horizon=2)");
  Ceiling ceiling;
  EXPECT_EQ(ceiling.oracle(), &ceiling);
  Episode episode = problem->episode(Rng(27));
  const int start = episode.situation().state();
  run_episode(episode, ceiling, Rng(28));
  EXPECT_EQ(ceiling.events, "begin reveal act act ");
  EXPECT_EQ(ceiling.shown, &episode.truth());
  EXPECT_EQ(ceiling.shown_state, start);

  Ceiling behind;
  Asking asking(behind);
  play_episode(*problem, asking, Rng(29));
  EXPECT_EQ(behind.events, "begin reveal act act ") << "the hook says who is an oracle, not the type";

  const auto random = random_policy(*problem);
  EXPECT_EQ(random->oracle(), nullptr);
  EXPECT_EQ(Asking(*random).oracle(), nullptr);
}

TEST(Situations, RememberTheLastStepAndWhatItPaid) {
  for (const char* spec : {"t_maze", "bandit(arms=2)", "treasure_map(size=3)", "double_loop(horizon=20)"}) {
    const auto problem = make_problem(spec);
    const auto policy = random_policy(*problem);
    std::optional<StepRecord> before;
    for (std::uint64_t seed = 0; seed < 2; ++seed) {  // nothing is left of the first episode
      const EpisodeWatches watches{
          .acted = [&](const Situation&, const StepRecord& record) { before = record; },
          .arrived =
              [&](const Situation& now, const StepRecord& record) {
                ASSERT_EQ(now.last().has_value(), record.step > 0) << spec;
                if (!now.last()) return;
                EXPECT_EQ(now.last()->state, before->state);
                EXPECT_EQ(now.last()->action, before->action);
                EXPECT_EQ(now.last()->reward, before->outcome.reward);
                EXPECT_EQ(now.last()->arrival, record.arrival.reward);
              }};
      play_episode(*problem, *policy, Rng(seed), watches);
    }
    Episode episode = problem->episode(Rng(3));
    const Situation& now = episode.situation();
    episode.arrive();
    int action = 0;
    while (!now.allowed(action)) ++action;
    episode.act(action);
    EXPECT_TRUE(now.last().has_value());
    EXPECT_TRUE(Situation(now).last().has_value()) << "a copy remembers it, too";
    const Situation put(now.belief().clone(), now.state(), now.step());
    EXPECT_FALSE(put.last().has_value()) << "how it got there is not known";
  }
}

}  // namespace
}  // namespace assay
