// Every registered family and method, found through the registry: a new one is covered without another line.
#include "assay/problem/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "assay/solver/exact_solution.hpp"
#include "assay/testing/conformance.hpp"
#include "support/small_problems.hpp"

namespace assay {
namespace {

using test::for_every_small_problem;

TEST(Registry, EveryFamilyNamesAProblemSmallEnoughToEnumerate) {
  ASSERT_FALSE(families().entries().empty());
  for (const Entry<Problem>& family : families().entries()) {
    EXPECT_EQ(family.small.empty(), !test::can_be_enumerated(family))
        << family.name << " has no small spec, so nothing here would test it";
    EXPECT_FALSE(family.summary.empty()) << family.name;
  }
}

TEST(Registry, EveryFamilyKeepsItsPromises) {
  for_every_small_problem([](const std::string&, const Problem& problem) {
    for (const std::string& complaint : assay::testing::complaints(problem, Rng(1)))
      ADD_FAILURE() << complaint;
  });
}

TEST(Registry, EveryNameLeadsBackToTheSameProblem) {
  for_every_small_problem([](const std::string&, const Problem& problem) {
    EXPECT_EQ(make_problem(problem.name())->name(), problem.name());
  });
}

TEST(Registry, EveryParameterIsDocumented) {
  for (const Entry<Problem>& family : families().entries()) {
    for (const ParameterInfo& p : family.parameters) {
      EXPECT_FALSE(p.help.empty() || p.range.empty() || p.type.empty() || p.default_value.empty())
          << family.name << ": " << p.name;
    }
  }
}

TEST(Registry, EveryStateAndActionHasAName) {
  for_every_small_problem([](const std::string&, const Problem& problem) {
    std::set<std::string> states;
    for (int x = 0; x < problem.states(); ++x) {
      EXPECT_FALSE(problem.state_name(x).empty()) << "state " << x;
      EXPECT_TRUE(states.insert(problem.state_name(x)).second)
          << "two states are called " << problem.state_name(x);
    }
    std::set<std::string> actions;
    for (int a = 0; a < problem.actions(); ++a) {
      EXPECT_FALSE(problem.action_name(a).empty()) << "action " << a;
      EXPECT_TRUE(actions.insert(problem.action_name(a)).second)
          << "two actions are called " << problem.action_name(a);
    }
  });
}

/// States of one place differ in what the agent carries or remembers of the episode, such as the step; their
/// names begin alike.
TEST(Registry, DrawingsPutEveryPlaceInACellOfItsOwn) {
  for_every_small_problem([](const std::string&, const Problem& problem) {
    if (!problem.drawable()) return;
    const auto place = [&](int x) {
      return problem.state_name(x).substr(0, problem.state_name(x).find(','));
    };
    std::map<std::pair<int, int>, int> taken;
    std::set<std::string> places;
    for (int x = 0; x < problem.states(); ++x) {
      const Cell cell = problem.cell(x);
      EXPECT_GE(cell.row, 0);
      EXPECT_GE(cell.column, 0);
      const auto [first, added] = taken.emplace(std::pair(cell.row, cell.column), x);
      EXPECT_EQ(places.insert(place(x)).second, added) << "state " << x << " has the name of another place";
      if (added) continue;
      EXPECT_EQ(place(x), place(first->second)) << "state " << x << " lies on another place";
      EXPECT_EQ(problem.landmark(x), problem.landmark(first->second)) << "state " << x;
    }
  });
}

TEST(Registry, ExactValuesLieBetweenCurrentAndFullInformation) {
  for_every_small_problem([](const std::string&, const Problem& problem) {
    const double value = problem.exact({})->value();
    const InformationValues known = problem.information({.seed = 1, .samples = 2000, .threads = 1});
    EXPECT_GE(value, known.current.value - 5 * known.current.standard_error - 1e-9);
    EXPECT_LE(value, known.full.value + 5 * known.full.standard_error + 1e-9);
    EXPECT_GE(known.bound.value, -5 * known.bound.standard_error - 1e-9);
  });
}

TEST(Registry, NoSourceOfInformationDoesHarm) {
  for_every_small_problem([](const std::string&, const Problem& problem) {
    const double with = problem.exact({})->value();
    for (const Silenced& silenced : problem.sources()) {
      EXPECT_LE(silenced.problem->exact({})->value(), with + 1e-9) << silenced.source;
      for (const std::string& complaint : assay::testing::complaints(*silenced.problem, Rng(1)))
        ADD_FAILURE() << complaint;
    }
  });
}

void write(std::ostream& out, const Outcome& o) {
  out << o.next << '/' << std::bit_cast<std::uint64_t>(o.reward);
  for (const int seen : o.observation) out << '/' << seen;
  out << ' ';
}

/// An episode, byte for byte.
std::string episode(const Problem& problem, const Method& method, std::uint64_t seed, int threads) {
  std::ostringstream out;
  const auto policy = method.solve(problem, {.rng = Rng(seed, 1), .resources = threads}).policy;
  std::string believed;
  const EpisodeWatches watches{
      .acted =
          [&](const Situation& after, const StepRecord& step) {
            out << step.step << ' ' << step.state << ' ' << step.action << ' ';
            write(out, step.arrival);
            write(out, step.outcome);
            out << believed << ' ' << after.belief().text() << ' ' << after.state() << '\n';
          },
      .arrived = [&](const Situation& now, const StepRecord&) { believed = now.belief().text(); }};
  const EpisodeReturn total = play_episode(problem, *policy, Rng(seed, 2), watches);
  out << std::bit_cast<std::uint64_t>(total.discounted) << ' '
      << std::bit_cast<std::uint64_t>(total.undiscounted);
  return out.str();
}

TEST(Registry, EveryLearnerResumesOnEveryFamily) {
  for (const Entry<Method>& entry : methods().entries()) {
    const auto method = make_method(entry.small.front());
    for_every_small_problem([&](const std::string&, const Problem& problem) {
      if (!method->objection(problem).empty()) return;
      const auto whole = method->learner(problem, Rng(4), 1);
      if (!whole) return;
      SCOPED_TRACE(entry.name);
      whole->advance();
      const auto resumed = method->learner(problem, Rng(4), 1);
      resumed->restore(whole->save());
      whole->advance();
      resumed->advance();
      EXPECT_EQ(whole->save(), resumed->save());
      EXPECT_EQ(whole->policy_state(), resumed->policy_state());
    });
  }
}

TEST(Registry, NoPolicyBeatsTheOptimumOnAverage) {
  for_every_small_problem([](const std::string&, const Problem& problem) {
    const double best = problem.exact({})->value();
    for (const char* name : {"vi_greedy", "vi_thompson", "pcr(epochs=2)", "thompson", "bayes_greedy", "beb",
                             "bamcp(simulations=50)"}) {
      const auto method = make_method(name);
      if (!method->objection(problem).empty()) continue;
      const auto policy = method->solve(problem, {.rng = Rng(1), .resources = 1}).policy;
      double sum = 0;
      double square = 0;
      constexpr int kEpisodes = 300;
      for (std::uint64_t i = 0; i < kEpisodes; ++i) {
        const double one = play_episode(problem, *policy, Rng(i, 9)).discounted;
        sum += one;
        square += one * one;
      }
      const double mean = sum / kEpisodes;
      const double error = std::sqrt(std::max(0.0, square / kEpisodes - mean * mean) / kEpisodes);
      EXPECT_LE(mean, best + 5 * error + 1e-9) << name;
    }
  });
}

/// An agent is put here; an oracle is shown where.
void begin_in(Episode& episode, Policy& policy) {
  policy.begin(episode.situation());
  if (Oracle* oracle = policy.oracle()) oracle->reveal(episode.situation(), episode.truth());
}

/// What a policy does from here to the end of an episode.
std::vector<int> actions_from(Episode episode, Policy& policy, Rng rng) {
  std::vector<int> all;
  begin_in(episode, policy);
  while (!episode.done()) {
    episode.arrive();
    all.push_back(policy.act(episode.situation(), rng));
    episode.act(all.back());
  }
  return all;
}

/// After one step of an episode that the policy did not see.
Episode stepped_episode(const Problem& problem) {
  Episode episode = problem.episode(Rng(5));
  episode.arrive();
  int action = 0;
  while (!episode.situation().allowed(action)) ++action;
  episode.act(action);
  return episode;
}

/// Calls check(problem, policy) for every policy that a method makes of a small problem.
void for_every_policy(const std::function<void(const Problem&, Policy&)>& check) {
  for (const Entry<Method>& entry : methods().entries()) {
    for (const std::string& spec : entry.small) {
      SCOPED_TRACE(spec);
      const auto method = make_method(spec);
      for_every_small_problem([&](const std::string&, const Problem& problem) {
        if (!method->objection(problem).empty()) return;
        check(problem, *method->solve(problem, {.rng = Rng(1), .resources = 1}).policy);
      });
    }
  }
}

/// Another episode begins where the one that was left would have gone on: at step 1, after step 0.
TEST(Registry, EveryPolicyForgetsAnEpisodeThatWasLeft) {
  for_every_policy([](const Problem& problem, Policy& used) {
    const auto fresh = used.clone();
    Episode left = problem.episode(Rng(3));
    begin_in(left, used);
    left.arrive();
    Rng rng(4);
    left.act(used.act(left.situation(), rng));
    EXPECT_EQ(actions_from(stepped_episode(problem), used, Rng(6)),
              actions_from(stepped_episode(problem), *fresh, Rng(6)));
  });
}

/// An episode that somebody plays a step at a time, saying before each where the agent is.
class Interrupted {
 public:
  Interrupted(const Problem& problem, std::uint64_t seed)
      : episode_(problem.episode(Rng(seed))), rng_(seed, 8) {}

  void step(Policy& policy) {
    if (episode_.done()) return;
    begin_in(episode_, policy);
    episode_.arrive();
    actions_.push_back(policy.act(episode_.situation(), rng_));
    episode_.act(actions_.back());
  }
  [[nodiscard]] const std::vector<int>& actions() const { return actions_; }

 private:
  Episode episode_;
  Rng rng_;
  std::vector<int> actions_;
};

/// After `begin`, what a policy does depends on the situation and on nothing else that it has been in.
TEST(Registry, EveryPolicyPlaysTwoInterleavedEpisodesAsEachAlone) {
  constexpr int kSteps = 5;
  for_every_policy([](const Problem& problem, Policy& policy) {
    const auto alone = [&](std::uint64_t seed) {
      const auto own = policy.clone();
      Interrupted episode(problem, seed);
      for (int step = 0; step < kSteps; ++step) episode.step(*own);
      return episode.actions();
    };
    const auto shared = policy.clone();
    Interrupted one(problem, 31);
    Interrupted other(problem, 32);
    for (int step = 0; step < kSteps; ++step) {
      one.step(*shared);
      other.step(*shared);
    }
    EXPECT_EQ(one.actions(), alone(31));
    EXPECT_EQ(other.actions(), alone(32));
  });
}

/// The true environment is given to a policy by one function, which the loop finds by this hook.
TEST(Registry, OnlyTheOraclePolicyIsAnOracle) {
  for (const Entry<Method>& entry : methods().entries()) {
    const auto method = make_method(entry.small.front());
    SCOPED_TRACE(entry.name);
    for_every_small_problem([&](const std::string&, const Problem& problem) {
      if (!method->objection(problem).empty()) return;
      const auto policy = method->solve(problem, {.rng = Rng(1), .resources = 1}).policy;
      EXPECT_EQ(policy->oracle() != nullptr, entry.name == "oracle");
      EXPECT_EQ(policy->clone()->oracle() != nullptr, entry.name == "oracle");
      EXPECT_EQ(dynamic_cast<Oracle*>(policy.get()), policy->oracle());
    });
  }
}

TEST(Registry, EveryMethodRepeatsItselfOnEveryFamily) {
  ASSERT_FALSE(methods().entries().empty());
  for (const Entry<Method>& entry : methods().entries()) {
    EXPECT_FALSE(entry.small.empty()) << entry.name;
    for (const std::string& spec : entry.small) {
      SCOPED_TRACE(spec);
      const auto method = make_method(spec);
      EXPECT_EQ(make_method(method->name())->name(), method->name()) << "the canonical name leads back";
      int used = 0;
      for_every_small_problem([&](const std::string&, const Problem& problem) {
        if (!method->objection(problem).empty()) {
          EXPECT_THROW((void)method->solve(problem, {.rng = Rng(1), .resources = 1}).policy, UsageError)
              << "it objects, but does it";
          return;
        }
        ++used;
        const std::string first = episode(problem, *method, 7, 1);
        EXPECT_EQ(episode(problem, *method, 7, 1), first);
        EXPECT_EQ(episode(problem, *make_method(spec), 7, 2), first) << "with two threads";
      });
      EXPECT_GT(used, 0) << "no family can be used";
    }
  }
}

}  // namespace
}  // namespace assay
