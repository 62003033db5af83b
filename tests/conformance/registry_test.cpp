// Every registered family and method, found through the registry: a new one is covered without another line.
#include "assay/problem/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace assay {
namespace {

/// Calls check(spec, problem) for every small spec of every family.
void for_every_small_problem(const std::function<void(const std::string&, const Problem&)>& check) {
  for (const Entry<Problem>& family : families().entries()) {
    for (const std::string& spec : family.small) {
      SCOPED_TRACE(spec);
      check(spec, *make_problem(spec));
    }
  }
}

TEST(Registry, EveryFamilyNamesAProblemSmallEnoughToEnumerate) {
  ASSERT_FALSE(families().entries().empty());
  for (const Entry<Problem>& family : families().entries()) {
    EXPECT_FALSE(family.small.empty()) << family.name << " has no small spec, so nothing here would test it";
    EXPECT_FALSE(family.summary.empty()) << family.name;
  }
}

TEST(Registry, EveryFamilyKeepsItsPromises) {
  for_every_small_problem([](const std::string&, const Problem& problem) {
    for (const std::string& complaint : problem.complaints(1)) ADD_FAILURE() << complaint;
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

TEST(Registry, DrawingsPutEveryStateInACellOfItsOwn) {
  for_every_small_problem([](const std::string&, const Problem& problem) {
    if (!problem.drawable()) return;
    std::set<std::pair<int, int>> taken;
    for (int x = 0; x < problem.states(); ++x) {
      const Cell cell = problem.cell(x);
      EXPECT_GE(cell.row, 0);
      EXPECT_GE(cell.column, 0);
      EXPECT_TRUE(taken.emplace(cell.row, cell.column).second) << "state " << x << " lies on another one";
    }
  });
}

TEST(Registry, ExactValuesLieBetweenCurrentAndFullInformation) {
  for_every_small_problem([](const std::string&, const Problem& problem) {
    const double value = problem.exact({})->bayes_optimal();
    const InformationValues known = problem.information({.seed = 1, .samples = 2000, .threads = 1});
    EXPECT_GE(value, known.current.value - 5 * known.current.standard_error - 1e-9);
    EXPECT_LE(value, known.full.value + 5 * known.full.standard_error + 1e-9);
    EXPECT_GE(known.bound.value, -5 * known.bound.standard_error - 1e-9);
  });
}

TEST(Registry, NoSourceOfInformationDoesHarm) {
  for_every_small_problem([](const std::string&, const Problem& problem) {
    const double with = problem.exact({})->bayes_optimal();
    for (const Silenced& silenced : problem.sources()) {
      EXPECT_LE(silenced.problem->exact({})->bayes_optimal(), with + 1e-9) << silenced.source;
      for (const std::string& complaint : silenced.problem->complaints(1)) ADD_FAILURE() << complaint;
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
  const auto policy = method.solve(problem, Rng(seed, 1), threads);
  const auto world = problem.world();
  const EpisodeReturn total =
      run_episode(*world, *policy, Rng(seed, 2), [&](const World& after, const StepRecord& step) {
        out << step.step << ' ' << step.state << ' ' << step.action << ' ';
        write(out, step.arrival);
        write(out, step.outcome);
        out << step.arrival_belief << ' ' << step.outcome_belief << ' ' << after.state() << '\n';
      });
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
    const double best = problem.exact({})->bayes_optimal();
    for (const char* name : {"vi_greedy", "vi_thompson", "pcr(epochs=2)", "thompson", "bayes_greedy", "beb",
                             "bamcp(simulations=50)"}) {
      const auto method = make_method(name);
      if (!method->objection(problem).empty()) continue;
      const auto policy = method->solve(problem, Rng(1), 1);
      const auto world = problem.world();
      double sum = 0;
      double square = 0;
      constexpr int kEpisodes = 300;
      for (std::uint64_t i = 0; i < kEpisodes; ++i) {
        const double one = run_episode(*world, *policy, Rng(i, 9)).discounted;
        sum += one;
        square += one * one;
      }
      const double mean = sum / kEpisodes;
      const double error = std::sqrt(std::max(0.0, square / kEpisodes - mean * mean) / kEpisodes);
      EXPECT_LE(mean, best + 5 * error + 1e-9) << name;
    }
  });
}

/// What a policy does from here to the end of an episode.
std::vector<int> actions_from(World& world, Policy& policy, Rng rng) {
  std::vector<int> all;
  policy.begin(world);
  while (!world.done()) {
    world.arrive();
    all.push_back(policy.act(world, rng));
    world.act(all.back());
  }
  return all;
}

/// After one step of an episode that the policy did not see.
std::unique_ptr<World> stepped_world(const Problem& problem) {
  auto world = problem.world();
  world->begin(Rng(5));
  world->arrive();
  int action = 0;
  while (!world->allowed(action)) ++action;
  world->act(action);
  return world;
}

/// Another episode begins where the one that was left would have gone on: at step 1, after step 0.
TEST(Registry, EveryPolicyForgetsAnEpisodeThatWasLeft) {
  for (const Entry<Method>& entry : methods().entries()) {
    for (const std::string& spec : entry.small) {
      SCOPED_TRACE(spec);
      const auto method = make_method(spec);
      for_every_small_problem([&](const std::string&, const Problem& problem) {
        if (!method->objection(problem).empty()) return;
        const auto used = method->solve(problem, Rng(1), 1);
        if (dynamic_cast<Oracle*>(used.get()) != nullptr) return;  // it has to be shown the world first
        const auto fresh = used->clone();
        const auto left = problem.world();
        left->begin(Rng(3));
        used->begin(*left);
        left->arrive();
        Rng rng(4);
        left->act(used->act(*left, rng));
        EXPECT_EQ(actions_from(*stepped_world(problem), *used, Rng(6)),
                  actions_from(*stepped_world(problem), *fresh, Rng(6)));
      });
    }
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
          EXPECT_THROW((void)method->solve(problem, Rng(1), 1), UsageError) << "it objects, but does it";
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
