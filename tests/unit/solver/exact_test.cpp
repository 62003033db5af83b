// The exact solver against brute force, against arithmetic done by hand, and against its own policy played
// out.
#include "assay/solver/detail/exact.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "assay/problem/registry.hpp"
#include "families/bandit.hpp"
#include "families/t_maze.hpp"
#include "families/treasure_map.hpp"
#include "support/expectimax.hpp"
#include "support/random_family.hpp"
#include "support/typed_models.hpp"

namespace assay {
namespace {

constexpr double kExactRounding = 1e-9;

template <class F, class B>
ExactSolution solve(const F& family, std::uint64_t max_states = 10'000'000) {
  return support::solved_exactly<F, B>(family, {.max_states = max_states, .threads = 1});
}

double exact_value(const std::string& spec) { return make_problem(spec)->exact({})->value(); }

/// gamma^from + ... + gamma^(to-1).
double geometric_sum(double gamma, int from, int to) {
  if (gamma == 1) return to - from;
  return (std::pow(gamma, from) - std::pow(gamma, to)) / (1 - gamma);
}

void expect_bandit_matches_brute_force(const BanditSettings& settings) {
  const Bandit bandit(settings);
  EXPECT_NEAR((solve<Bandit, BetaBelief>(bandit).value()), oracle::UrnExpectimax(bandit).value(),
              kExactRounding)
      << settings.arms << " arms, horizon " << settings.horizon;
}

TEST(ExactSolution, EqualsBruteForceOnBandits) {
  for (const double discount : {0.0, 0.7, 1.0}) {
    for (int arms = 1; arms <= 3; ++arms) {
      for (int horizon = 1; horizon <= 5; ++horizon) {
        expect_bandit_matches_brute_force({.arms = arms, .horizon = horizon, .discount = discount});
      }
    }
  }
  expect_bandit_matches_brute_force({.arms = 2, .horizon = 8});
  expect_bandit_matches_brute_force(
      {.arms = 2, .horizon = 6, .prior_a = 0.3, .prior_b = 2.5, .discount = 0.9});
}

TEST(ExactSolution, EqualsBruteForceOnTMazes) {
  for (const double accuracy : {0.5, 0.7, 1.0}) {
    for (const double discount : {0.0, 0.9, 1.0}) {
      for (const int horizon : {1, 4, 7}) {
        const TMaze maze({.distance = 1,
                          .arm = 1,
                          .horizon = horizon,
                          .punishment = -1.5,
                          .discount = discount,
                          .cue_accuracy = accuracy});
        EXPECT_NEAR((solve<TMaze, FiniteBelief<TMaze>>(maze).value()), oracle::FiniteExpectimax(maze).value(),
                    kExactRounding)
            << "accuracy " << accuracy << ", discount " << discount << ", horizon " << horizon;
      }
    }
  }
  const TMaze wide({.distance = 2, .arm = 2, .horizon = 8, .discount = 0.9, .cue_accuracy = 0.8});
  EXPECT_NEAR((solve<TMaze, FiniteBelief<TMaze>>(wide).value()), oracle::FiniteExpectimax(wide).value(),
              kExactRounding);
}

TEST(ExactSolution, EqualsBruteForceOnTreasureMapsOfBothOrders) {
  struct Size {
    int size, looks, horizon;
  };
  const std::vector<Size> sizes = {{1, 0, 4}, {1, 2, 3}, {2, 0, 4}, {2, 1, 3}, {2, 2, 2},
                                   {3, 0, 3}, {3, 1, 1}, {2, 3, 1}, {2, 1, 1}};
  for (const CollectionOrder order : {CollectionOrder::kCollectThenMove, CollectionOrder::kMoveThenCollect}) {
    for (const Size& s : sizes) {
      for (const double discount : {0.0, 0.96, 1.0}) {
        const TreasureMap map({.size = s.size,
                               .looks = s.looks,
                               .horizon = s.horizon,
                               .discount = discount,
                               .prior_a = 0.4,
                               .prior_b = 1.2,
                               .order = order});
        EXPECT_NEAR((solve<TreasureMap, BetaBelief>(map).value()), oracle::UrnExpectimax(map).value(),
                    kExactRounding)
            << "size " << s.size << ", looks " << s.looks << ", horizon " << s.horizon << ", discount "
            << discount << (order == CollectionOrder::kMoveThenCollect ? ", move first" : "");
      }
    }
  }
}

TEST(ExactSolution, HasTheKnownValuesOfBandits) {
  EXPECT_NEAR(exact_value("bandit(arms=2,horizon=20)"), 12.431265, 1e-6);
  EXPECT_NEAR(exact_value("bandit(arms=3,horizon=10)"), 6.409643, 1e-6);
  // One arm: nothing to decide.
  EXPECT_NEAR(exact_value("bandit(arms=1,horizon=30,prior_a=2,prior_b=3)"), 30 * 0.4, kExactRounding);
}

TEST(ExactSolution, GoesToTheCueFirstWhereThatPays) {
  // Down to the cue (d steps), up to the right end (2d steps), then rewards to the last of 20 steps.
  EXPECT_NEAR(exact_value("t_maze(distance=2,arm=1,discount=1)"), geometric_sum(1, 6, 20), kExactRounding);
  EXPECT_NEAR(exact_value("t_maze(distance=3,arm=3,discount=0.95)"), geometric_sum(0.95, 9, 20),
              kExactRounding);
  EXPECT_NEAR(exact_value("t_maze(distance=2,arm=1,discount=1)"), 14, kExactRounding);
  EXPECT_NEAR(exact_value("t_maze(distance=3,arm=3,discount=0.95)"), 5.435, 5e-4);
}

TEST(ExactSolution, OfTheDefaultMazeGoesFromTheStemToTheCue) {
  const auto maze = make_problem("t_maze");
  EXPECT_EQ(maze->state_name(maze->starts().front().state), "stem 4");
  // Four steps to the cue, eight to the end that it names. Without it: four steps to an end, and if it was
  // the wrong one, one punishment and six steps to the other.
  const double with_cue = geometric_sum(0.9, 12, 20);
  const double without = (geometric_sum(0.9, 4, 20) - 7 * std::pow(0.9, 4) + geometric_sum(0.9, 10, 20)) / 2;
  EXPECT_NEAR(exact_value("t_maze"), with_cue, kExactRounding);
  EXPECT_NEAR(maze->sources()[0].problem->exact({})->value(), without, kExactRounding);
  EXPECT_GT(with_cue, without + 0.09) << "the cue must pay";
}

TEST(ExactSolution, OfMazesWithANicheTurnsAwayFromTheEmptyStem) {
  // Above the junction: distance - arm + 1 steps to the cue, 1 + arm to either end.
  EXPECT_NEAR(exact_value("t_maze(cue=junction)"), geometric_sum(0.9, 2 + 4, 20), kExactRounding);
  EXPECT_NEAR(exact_value("t_maze(distance=6,cue=junction,discount=0.95)"), geometric_sum(0.95, 4 + 4, 20),
              kExactRounding);
  // Above the cell before the right end: distance steps to the cue, 2 to the right end, 2 arm to the left
  // one.
  EXPECT_NEAR(exact_value("t_maze(cue=arm)"),
              (geometric_sum(0.9, 4 + 2, 20) + geometric_sum(0.9, 4 + 6, 20)) / 2, kExactRounding);
  EXPECT_THROW((void)make_problem("t_maze(arm=1,cue=arm)"), UsageError);
}

TEST(ExactSolution, TriesAnArmWhereThatIsWorthTheRisk) {
  // Three steps to an end. Right half of the time; else one punishment and two steps to the other end.
  const double lucky = geometric_sum(0.95, 3, 20);
  const double unlucky = -7 * std::pow(0.95, 3) + geometric_sum(0.95, 5, 20);
  EXPECT_NEAR(exact_value("t_maze(distance=3,arm=1,discount=0.95)"), (lucky + unlucky) / 2, kExactRounding);
  EXPECT_NEAR(exact_value("t_maze(distance=3,arm=1,discount=0.95)"), 6.141, 5e-4);
}

constexpr int kMostBruteDelays = 3;

/// At every belief state that can be reached: the action values and the choice are those of brute force.
template <class F>
void expect_choices_match_brute_force(const F& family) {
  const auto solution = solve<F, FiniteBelief<F>>(family);
  const oracle::FiniteExpectimax<F> brute(family);
  for (int step = 0; step < family.horizon(); ++step) {
    const int remaining = family.horizon() - step;
    solution.for_each_state(step, [&](int x, const Belief& arriving, double value) {
      const std::vector<double> weights(arriving.weights().begin(), arriving.weights().end());
      EXPECT_NEAR(value, brute.value(x, weights, remaining), kExactRounding);
      for (const auto& seen : brute.branches(x, kArrive, weights)) {
        const std::unique_ptr<Belief> known = arriving.clone();
        known->observe(x, kArrive, seen.outcome);
        const std::vector<double> expected = brute.action_values(x, seen.joint, remaining);
        const std::vector<double> actual = solution.action_values(x, *known, remaining);
        ASSERT_EQ(actual.size(), expected.size());
        for (std::size_t a = 0; a < actual.size(); ++a) {
          if (std::isfinite(expected[a])) {
            EXPECT_NEAR(actual[a], expected[a], kExactRounding);
          } else {
            EXPECT_EQ(actual[a], expected[a]);
          }
        }
        if (remaining > kMostBruteDelays) continue;  // brute force knows no delays by heart
        EXPECT_EQ(solution.best_action(x, *known, remaining),
                  oracle::earliest_best(expected, brute.action_delays(x, seen.joint, remaining)));
      }
    });
  }
}

TEST(ExactSolution, ChoosesWhatBruteForceChooses) {
  expect_choices_match_brute_force(TMaze({.distance = 1, .arm = 1, .horizon = 5, .cue_accuracy = 0.8}));
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("random family " + std::to_string(seed));
    expect_choices_match_brute_force(support::RandomFamily(Rng(seed, 1)));
  }
}

TEST(ExactSolution, ChoosesWhatBruteForceChoosesForBernoulliCells) {
  const TreasureMap map({.size = 2, .looks = 1, .horizon = 2, .prior_a = 0.4});
  const auto solution = solve<TreasureMap, BetaBelief>(map);
  const oracle::UrnExpectimax brute(map);
  for (int step = 0; step < map.horizon(); ++step) {
    const int remaining = map.horizon() - step;
    solution.for_each_state(step, [&](int x, const Belief& known, double value) {
      const auto& belief = typed_belief<TreasureMap, BetaBelief>(known);
      oracle::UrnExpectimax<TreasureMap>::Urns urns;
      for (std::size_t c = 0; c < belief.cells(); ++c) urns.push_back({belief.a(c), belief.b(c)});
      EXPECT_NEAR(value, brute.value(x, urns, remaining), kExactRounding);
      // Whoever chose in this belief without arriving; the last step's values need no successor.
      if (remaining > 1) return;
      EXPECT_EQ(solution.best_action(x, known, 1), oracle::lowest_best(brute.action_values(x, urns, 1)));
    });
  }
}

void expect_played_mean_is_the_value(const std::string& spec) {
  const auto problem = make_problem(spec);
  const auto policy = make_method("exact")->solve(*problem, {.rng = Rng(1), .resources = 1}).policy;
  constexpr int kEpisodes = 20'000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kEpisodes; ++i) {
    const double r = play_episode(*problem, *policy, Rng(20, static_cast<std::uint64_t>(i))).discounted;
    sum += r;
    squares += r * r;
  }
  const double mean = sum / kEpisodes;
  const double standard_error = std::sqrt((squares / kEpisodes - mean * mean) / kEpisodes);
  EXPECT_NEAR(mean, problem->exact({})->value(), 5 * standard_error) << spec;
  EXPECT_GT(standard_error, 0);
}

TEST(ExactSolution, ValueIsTheMeanReturnOfItsPolicy) {
  expect_played_mean_is_the_value("t_maze(distance=2,arm=1,horizon=14,cue_accuracy=0.8)");
  expect_played_mean_is_the_value("bandit(arms=2,horizon=12,discount=0.95)");
  expect_played_mean_is_the_value("treasure_map(size=2,looks=1,horizon=4,prior_a=0.5)");
}

/// The belief states that a LimitError says were reached, 0 if it says nothing of the kind.
std::uint64_t count_named_by(const LimitError& error, std::uint64_t limit) {
  const std::string text = error.what();
  const std::string before = "more than " + std::to_string(limit) + " belief states: ";
  const std::size_t at = text.find(before);
  if (at == std::string::npos) return 0;
  std::istringstream rest(text.substr(at + before.size()));
  std::uint64_t reached = 0;
  std::string were;
  std::string word;
  rest >> reached >> were >> word;
  return were == "were" && word.starts_with("reached") ? reached : 0;
}

TEST(ExactLimit, IsALimitErrorThatNamesTheCountReached) {
  try {
    static_cast<void>(make_problem("bandit(arms=3,horizon=20)")->exact({.max_states = 1000, .threads = 2}));
    FAIL() << "a limit of 1000 belief states was not noticed";
  } catch (const LimitError& error) {
    EXPECT_GT(count_named_by(error, 1000), 1000U) << error.what();
  }
}

TEST(ExactLimit, IsExact) {
  for (const std::string spec : {"bandit(arms=2,horizon=12)", "t_maze(distance=2,arm=1,cue_accuracy=0.8)",
                                 "treasure_map(size=2,looks=1,horizon=4)"}) {
    const auto problem = make_problem(spec);
    const std::uint64_t needed = problem->exact({})->states();
    EXPECT_EQ(problem->exact({.max_states = needed, .threads = 2})->states(), needed) << spec;
    EXPECT_THROW(static_cast<void>(problem->exact({.max_states = needed - 1, .threads = 2})), LimitError)
        << spec;
  }
}

/// Many halls, each with the same coin to toss twenty times, and all doors lead to hall 0: five million
/// successors of which nearly all are met before.
class Halls : public BernoulliOutcomes<Halls> {
 public:
  static constexpr int kHalls = 8192;
  static constexpr int kTosses = 20;

  int states() const { return kHalls; }
  int actions() const { return 13; }
  int horizon() const { return 2; }
  double discount() const { return 1; }
  std::vector<Start> starts() const {
    std::vector<Start> all;
    for (int x = 0; x < kHalls; ++x) all.push_back({x, 1.0 / kHalls});
    return all;
  }
  int cells() const { return 1; }
  double prior_a() const { return 1; }
  double prior_b() const { return 1; }
  std::span<const Pull> pulls(int /*x*/, int a) const {
    if (a == kArrive) return {};
    return {&toss_, 1};
  }
  int next(int x, int a) const { return a == kArrive ? x : 0; }

 private:
  Pull toss_{.cell = 0, .looks = kTosses, .rewarded = true};
};

TEST(ExactLimit, CountsABeliefStateOnceHoweverOftenItIsMet) {
  // Each hall, then hall 0 after 0 to 21 successes.
  constexpr std::uint64_t kNeeded = Halls::kHalls + Halls::kTosses + 2;
  const auto solution = solve<Halls, BetaBelief>(Halls(), kNeeded);
  EXPECT_EQ(solution.states(), kNeeded);
  EXPECT_NEAR(solution.value(), 1, kExactRounding);
}

TEST(ExactLimit, EndsAtOnceWhenOneStateHasMoreSuccessorsThanAnyoneCanCount) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(
      static_cast<void>(make_problem("treasure_map(size=5)")->exact({.max_states = 1000, .threads = 1})),
      LimitError);
  // Enumerating all would take longer than the sun has; a loaded machine gets a minute.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

TEST(Sources, AreWorthNothingOrMore) {
  for (const std::string spec :
       {"t_maze(distance=2,arm=1)", "t_maze(distance=2,arm=2,horizon=12,cue_accuracy=0.7)",
        "treasure_map(size=2,looks=1,horizon=4)",
        "treasure_map(size=2,looks=1,horizon=3,order=move_then_collect,discount=1)"}) {
    const auto problem = make_problem(spec);
    const double with = problem->exact({})->value();
    ASSERT_FALSE(problem->sources().empty()) << spec;
    for (const Silenced& silenced : problem->sources()) {
      EXPECT_LE(silenced.problem->exact({})->value(), with + kExactRounding)
          << spec << ": " << silenced.source;
    }
  }
}

TEST(Sources, TheCueIsWorthTheDifferenceToTryingAnArm) {
  // Without the cue: three steps to an end, and if it was the wrong one, one punishment and six steps to the
  // other.
  const double lucky = geometric_sum(0.95, 3, 20);
  const double unlucky = -7 * std::pow(0.95, 3) + geometric_sum(0.95, 9, 20);
  const std::vector<Silenced> sources = make_problem("t_maze(distance=3,arm=3,discount=0.95)")->sources();
  ASSERT_EQ(sources.size(), 1U);
  EXPECT_EQ(sources[0].source, "cue");
  EXPECT_NEAR(sources[0].problem->exact({})->value(), (lucky + unlucky) / 2, kExactRounding);
}

}  // namespace
}  // namespace assay
