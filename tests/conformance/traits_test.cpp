// The traits of every registered family, found once more by looking at what can happen; and why a method
// cannot be used on it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "assay/core/error.hpp"
#include "assay/core/rng.hpp"
#include "assay/problem/problem.hpp"
#include "support/small_problems.hpp"

namespace assay {
namespace {

using test::for_every_small_problem;

/// All environments if they are finitely many, else some of them. Of drawn ones no two are alike by chance.
std::vector<Mdp> environments_of(const Problem& problem) {
  constexpr int kDrawn = 20;
  const auto prior = problem.prior();
  std::vector<Mdp> all;
  if (problem.finite_model() != nullptr) {
    for (const Belief::Possibility& one : prior->environments()) all.push_back(one.environment);
  } else {
    Rng rng(41);
    for (int i = 0; i < kDrawn; ++i) all.push_back(prior->sample_table(rng));
  }
  return all;
}

/// Where an action leads with positive probability, and how likely each of it is.
std::map<int, double> successors(const Mdp& mdp, int state, int action) {
  const auto row = static_cast<std::size_t>(state * mdp.actions + action);
  std::map<int, double> all;
  for (std::size_t i = mdp.first_arc[row]; i < mdp.first_arc[row + 1]; ++i) {
    if (mdp.arcs[i].probability > 0) all[mdp.arcs[i].next] += mdp.arcs[i].probability;
  }
  return all;
}

bool alike(const std::map<int, double>& one, const std::map<int, double>& other) {
  return std::ranges::equal(one, other, [](const auto& l, const auto& r) {
    return l.first == r.first && std::abs(l.second - r.second) < 1e-12;
  });
}

TEST(Traits, SayWhetherEnvironmentsAreFinitelyManyAndHowTheyMove) {
  for_every_small_problem([](const std::string&, const Problem& problem) {
    const Traits& traits = problem.traits();
    EXPECT_EQ(traits.finite, problem.finite_model() != nullptr);
    const std::vector<Mdp> all = environments_of(problem);
    bool same = true;
    bool certain = true;
    for (const Mdp& one : all) {
      for (int x = 0; x < problem.states(); ++x) {
        for (int a = 0; a < problem.actions(); ++a) {
          if (!problem.outline().allowed(x, a)) continue;
          same = same && alike(successors(one, x, a), successors(all.front(), x, a));
          certain = certain && successors(one, x, a).size() == 1;
        }
      }
    }
    EXPECT_EQ(traits.known_moves, same);
    EXPECT_EQ(traits.certain_moves, same && certain);
  });
}

TEST(Traits, SayWhetherMovesCanBeExpected) {
  for_every_small_problem([](const std::string&, const Problem& problem) {
    const auto prior = problem.prior();
    bool told = true;
    try {
      // The expected environment moves by probabilities of its own.
      const Mdp expected = prior->expected();
      for (int x = 0; x < problem.states(); ++x) {
        for (int a = 0; a < problem.actions(); ++a) {
          if (!problem.outline().allowed(x, a)) continue;
          double sum = 0;
          for (const auto& [next, p] : successors(expected, x, a)) sum += p;
          EXPECT_NEAR(sum, 1, 1e-9);
        }
      }
    } catch (const UsageError&) {
      told = false;
    }
    EXPECT_EQ(problem.traits().expected_moves, told);
  });
}

/// Is anything paid or shown that may come of this? Unless the outcomes can be listed, there is.
bool something_is_collected(const Belief& prior, int state, int action) {
  try {
    const std::vector<Belief::Prediction> all = prior.predict(state, action, 10'000);
    return std::ranges::any_of(all, [](const Belief::Prediction& p) {
      return p.probability > 0 && (p.outcome.reward != 0 || !p.outcome.observation.empty());
    });
  } catch (const LimitError&) {
    return true;
  } catch (const UsageError&) {
    return true;
  }
}

TEST(Traits, SayWhereSomethingIsCollected) {
  for_every_small_problem([](const std::string&, const Problem& problem) {
    const auto prior = problem.prior();
    bool arriving = false;
    bool acting = false;
    for (int x = 0; x < problem.states(); ++x) {
      arriving = arriving || something_is_collected(*prior, x, kArrive);
      for (int a = 0; a < problem.actions(); ++a) {
        acting = acting || (problem.outline().allowed(x, a) && something_is_collected(*prior, x, a));
      }
    }
    const Collects due = arriving && acting ? Collects::kBoth
                         : arriving         ? Collects::kArriving
                         : acting           ? Collects::kActing
                                            : Collects::kNothing;
    EXPECT_EQ(problem.traits().collects, due);
  });
}

TEST(Traits, SayWhetherOutcomesAreFewEnoughToList) {
  constexpr std::size_t kFew = 64;
  for_every_small_problem([](const std::string&, const Problem& problem) {
    const auto prior = problem.prior();
    bool few = true;
    for (int x = 0; x < problem.states(); ++x) {
      for (int a = kArrive; a < problem.actions(); ++a) {
        if ((a != kArrive && !problem.outline().allowed(x, a)) || !prior->learns(x, a)) continue;
        try {
          few = few && prior->predict(x, a, 10'000).size() <= kFew;
        } catch (const LimitError&) {
          few = false;
        } catch (const UsageError&) {
          few = false;
        }
      }
    }
    EXPECT_EQ(problem.traits().listable, few);
  });
}

TEST(Traits, SayWhetherTheHiddenPartStaysAndEpisodesEnd) {
  for_every_small_problem([](const std::string&, const Problem& problem) {
    EXPECT_EQ(problem.traits().endless, problem.outline().cut.has_value());
    if (problem.traits().hidden_moves || problem.traits().endless) return;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      Episode episode = problem.episode(Rng(seed, 42));
      const Mdp before = episode.truth().tabulate();
      Rng luck(seed, 43);
      while (!episode.done()) {
        episode.arrive();
        int action = -1;
        while (!episode.situation().allowed(action)) {
          action = static_cast<int>(uniform_index(luck, static_cast<std::uint64_t>(problem.actions())));
        }
        episode.act(action);
      }
      const Mdp after = episode.truth().tabulate();
      EXPECT_EQ(after.reward, before.reward);
      for (int x = 0; x < problem.states(); ++x) {
        for (int a = 0; a < problem.actions(); ++a) {
          EXPECT_TRUE(alike(successors(after, x, a), successors(before, x, a)));
        }
      }
    }
  });
}

TEST(Traits, SayWhetherBeliefsAreAboutCells) {
  // Families that we know to be about independent cells, or not to be.
  const std::map<std::string, bool> due = {
      {"bandit", true},      {"treasure_map", true}, {"t_maze", false},
      {"two_doors", false},  {"chain", false},       {"double_loop", false},
      {"grid_world", false}, {"bbrl_chain", false},  {"bbrl_grid", false}};
  std::set<std::string> met;
  for_every_small_problem([&](const std::string& spec, const Problem& problem) {
    const auto prior = problem.prior();
    EXPECT_EQ(problem.traits().cells, prior->feature_cells() > 0);
    if (problem.traits().cells) {
      EXPECT_EQ(prior->feature_count() % prior->feature_cells(), 0U);
    }
    const auto known = due.find(spec.substr(0, spec.find('(')));
    if (known == due.end()) return;
    met.insert(known->first);
    EXPECT_EQ(problem.traits().cells, known->second);
  });
  EXPECT_EQ(met.size(), due.size()) << "a family that is not registered";
}

/// What a method says of a problem must come from the first thing that it needs and the problem has not.
TEST(Needs, TheFirstThatIsNotMetIsTheObjection) {
  std::set<Need> objected;
  for (const Entry<Method>& entry : methods().entries()) {
    for (const std::string& spec : entry.small) {
      SCOPED_TRACE(spec);
      const auto method = make_method(spec);
      for_every_small_problem([&](const std::string&, const Problem& problem) {
        const std::vector<Need> needs = method->needs();
        const auto first =
            std::ranges::find_if(needs, [&](Need need) { return !unmet(need, problem.traits()).empty(); });
        const std::string objection = method->objection(problem);
        if (first == needs.end()) {
          EXPECT_EQ(objection, method->refusal(problem));
          return;
        }
        objected.insert(*first);
        EXPECT_EQ(objection, unmet(*first, problem.traits()));
        try {
          (void)method->solve(problem, {.rng = Rng(1), .resources = 1});
          ADD_FAILURE() << "it objects, but does it";
        } catch (const UsageError& error) {
          const std::string what = error.what();
          EXPECT_NE(what.find(objection), std::string::npos) << what;
          EXPECT_NE(what.find(method->name()), std::string::npos) << what;
          EXPECT_NE(what.find(problem.name()), std::string::npos) << what;
        }
      });
    }
  }
  EXPECT_TRUE(objected.contains(Need::kFinite));
  EXPECT_TRUE(objected.contains(Need::kKnownMoves));
}

}  // namespace
}  // namespace assay
