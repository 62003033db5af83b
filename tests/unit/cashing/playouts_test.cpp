// Playing actions out, compared with the same rule in a plain implementation, with every way in which it can
// end.
#include "cashing/playouts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "cashing/conjugate_model.hpp"
#include "support/belief_models.hpp"

namespace assay::test {
namespace {

/// What who has arrived collects by doing `action`, and by planning for what is expected at every step after
/// it: all that can be seen, one by one.
double planned_anew(const Belief& known, int state, int action, int remaining, double discount);

double arriving_then_greedy(const Belief& known, int state, int remaining, double discount) {
  const auto after = [&](const Belief& then) {
    const Plan plan = optimal_plan(then.mean(), remaining);
    const int action = plan.action.back()[static_cast<std::size_t>(state)];
    return planned_anew(then, state, action, remaining, discount);
  };
  double sum = 0;
  for (const Belief::Prediction& one : known.predict(state, kArrive)) {
    const auto then = known.clone();
    then->observe(state, kArrive, one.outcome);
    sum += one.probability * (one.outcome.reward + after(*then));
  }
  return sum;
}

double planned_anew(const Belief& known, int state, int action, int remaining, double discount) {
  double sum = 0;
  for (const Belief::Prediction& one : known.predict(state, action)) {
    sum += one.probability * one.outcome.reward;
    if (remaining == 1) continue;
    const auto then = known.clone();
    then->observe(state, action, one.outcome);
    sum +=
        one.probability * discount * arriving_then_greedy(*then, one.outcome.next, remaining - 1, discount);
  }
  return sum;
}

/// A little nearby, more far away: where to go depends on the time that is left.
CellFamily corridor() {
  TableBuilder table({"little", "on the way", "nothing", "more"}, {"back", "on"});
  table.horizon(7).discount(0.9).start(1);
  table.environment("the only one");
  for (int x = 0; x < 4; ++x) {
    table.outcome(x, 0, {{1, {std::max(0, x - 1), 0, {}}}});
    table.outcome(x, 1, {{1, {std::min(3, x + 1), 0, {}}}});
  }
  CellBuilder builder(table.build());
  builder.pull(0, kArrive, {builder.unknown(bernoulli_reward("little", 3.1, 4.3)), 0, true});
  builder.pull(3, kArrive, {builder.unknown(bernoulli_reward("more", 1.7, 0.9, 0.95)), 1, true});
  return builder.build();
}

/// No two plans are worth the same, in whatever order outcomes come: then there is one greedy rule.
std::vector<std::unique_ptr<Problem>> problems_without_ties() {
  std::vector<std::unique_ptr<Problem>> all;
  all.push_back(cell_problem("corridor", corridor()));
  all.push_back(cell_problem("slippery", slippery_cells(5, 0.9)));
  all.push_back(cell_problem(
      "arms", written_bandit({bernoulli_reward("x", 1.13, 2.07), bernoulli_reward("y", 0.31, 0.57, 1.1),
                              bernoulli_reward("z", 3.3, 5.9, 0.97)},
                             6)));
  return all;
}

TEST(Playouts, EarnWhatTheRuleEarns) {
  double changes = 0;  // what planning anew adds to the plan of the present
  for (const auto& problem : problems_without_ties()) {
    SCOPED_TRACE(problem->name());
    const double discount = 0.9;
    const auto prior = problem->prior();
    Playouts playouts(*prior, {.environments = 4096, .discount = discount, .hopeless = 1e9});
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const Situation now = walked(*problem, seed, 1);
      const Belief& known = now.belief();
      KnownMoves plan(*prior, discount);
      plan.resize(1);
      plan.set(0, known);
      plan.solve(now.remaining() - 1);
      const auto played = playouts.run(known, now.state(), now.remaining(), Rng(seed));
      ASSERT_EQ(played.size(), plan.allowed(now.state()).size());
      for (std::size_t i = 0; i < played.size(); ++i) {
        const PlayedOut& one = played[i];
        EXPECT_EQ(one.action, plan.allowed(now.state())[i]);
        if (one.first_to >= 0) continue;  // another rule: what it is worth, the brute force does not say
        const double right = planned_anew(known, now.state(), one.action, now.remaining(), discount);
        // 20 comparisons; 4.5 standard errors are exceeded by one in 150 000 that are right.
        EXPECT_NEAR(one.value, right, 4.5 * one.standard_error + 1e-5);
        // With one action there is nothing to choose, and one round was played.
        if (played.size() > 1) {
          EXPECT_LT(one.standard_error, 0.02);
        }
        changes =
            std::max(changes, right - plan.reward(now.state(), i, 0) + known.expected_arrival(now.state()) -
                                  discount * plan.value_after(now.state(), i, 0));
      }
    }
  }
  EXPECT_GT(changes, 0.05) << "nothing was to be seen: any plan would have passed";
}

TEST(Playouts, KnowExactlyWhatAPlanCollectsThatNothingChanges) {
  // Two steps: what is seen on the way to the second is of no use any more.
  const auto problem = make_problem("treasure_map(size=3,looks=0,horizon=2)");
  const Situation now = walked(*problem, 5, 0);
  const Belief& known = now.belief();
  Playouts playouts(known, {.environments = 8, .discount = problem->discount()});
  for (const PlayedOut& one : playouts.run(known, now.state(), 2, Rng(1))) {
    EXPECT_NEAR(one.standard_error, 0, 1e-6);
    const double there =
        known.mean().reward[static_cast<std::size_t>(now.state() * problem->actions() + one.action)];
    EXPECT_GT(there, 0);
    const double right = planned_anew(known, now.state(), one.action, 2, problem->discount());
    EXPECT_NEAR(one.value, right, 1e-6);
  }
}

TEST(Playouts, GoToTheMapFirst) {
  const auto problem = make_problem("treasure_map(size=7)");
  const int corner = 0;
  const int map = 24;
  const auto known = problem->prior();
  Playouts playouts(*known, {.environments = 128, .discount = problem->discount()});
  const auto played = playouts.run(*known, corner, 25, Rng(3));
  const auto best = std::ranges::max_element(played, {}, &PlayedOut::value);
  EXPECT_EQ(problem->action_name(best->action), "down-right");
  EXPECT_EQ(best->first_to, map);
  // Without time to use it, nobody looks at it.
  for (const PlayedOut& one : playouts.run(*known, corner, 4, Rng(3))) EXPECT_NE(one.first_to, map);
  for (const PlayedOut& one : playouts.run(*known, corner, 3, Rng(3))) EXPECT_EQ(one.first_to, -1);
}

TEST(Playouts, DoNotDependOnWhatWasPlayedBefore) {
  for (const auto& problem : known_moves_problems()) {
    SCOPED_TRACE(problem->name());
    const PlayoutSettings settings{.environments = 100, .discount = problem->discount()};
    const auto prior = problem->prior();
    Playouts used(*prior, settings);
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const Situation now = walked(*problem, seed, static_cast<int>(seed % 3));
      const Belief& known = now.belief();
      Playouts fresh(*prior, settings);
      const auto one = used.run(known, now.state(), now.remaining(), Rng(seed));
      const auto two = fresh.run(known, now.state(), now.remaining(), Rng(seed));
      ASSERT_EQ(one.size(), two.size());
      for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_EQ(one[i].value, two[i].value);
        EXPECT_EQ(one[i].first_to, two[i].first_to);
        EXPECT_EQ(one[i].playouts, two[i].playouts);
      }
    }
  }
}

TEST(Playouts, GiveUpWhatIsHopelessAndStopWhenTold) {
  const auto problem = make_problem("treasure_map(size=5)");
  const auto known = problem->prior();
  Playouts playouts(*known, {.environments = 640, .discount = problem->discount()});
  const auto count = [&](const std::function<bool()>& stop) {
    std::size_t most = 0;
    std::size_t sum = 0;
    for (const PlayedOut& one : playouts.run(*known, 2, 25, Rng(1), stop)) {
      most = std::max(most, one.playouts);
      sum += one.playouts;
    }
    return std::pair(most, sum);
  };
  const auto [most, sum] = count({});
  EXPECT_LT(sum, 6 * most)
      << "to go along the wall is worse than to go to the map, by whichever of three ways";
  const auto [stopped, all] = count([] { return true; });
  EXPECT_EQ(all, 6 * stopped) << "one round of all";
  EXPECT_LT(stopped, most);
}

TEST(Playouts, NeedMovesThatAreKnown) {
  const auto chain = make_problem("bbrl_chain(horizon=3)");
  const auto prior = chain->prior();
  EXPECT_THROW(Playouts(*prior, {}), UsageError);
}

/// Has everything that can be seen at most so many ways to turn out?
bool has_at_most(const Problem& problem, std::size_t most) {
  const auto prior = problem.prior();
  for (int x = 0; x < problem.states(); ++x) {
    for (int a = kArrive; a < problem.actions(); ++a) {
      if ((a != kArrive && !prior->allowed(x, a)) || !prior->learns(x, a)) continue;
      try {
        EXPECT_LE(prior->predict(x, a, most).size(), most);
      } catch (const LimitError&) {
        return false;
      } catch (const UsageError&) {  // normal rewards: there is no list
        return false;
      }
    }
  }
  return true;
}

TEST(Playouts, AreForEndsThatCannotBeListed) {
  const auto listed = [](const Problem& problem) {
    const bool all = problem.traits().listable;
    EXPECT_EQ(all, has_at_most(problem, 64)) << problem.name();
    return all;
  };
  // A cell shows a reward or none, and 0 to 5 good looks.
  const auto map = make_problem("treasure_map(size=3)");
  EXPECT_FALSE(listed(*map));
  const auto without_looks = make_problem("treasure_map(size=3,looks=0)");
  EXPECT_TRUE(listed(*without_looks));
  EXPECT_TRUE(has_at_most(*without_looks, 2));
  EXPECT_FALSE(has_at_most(*without_looks, 1));
  const auto bandit = make_problem("bandit");
  EXPECT_TRUE(listed(*bandit));
  EXPECT_TRUE(has_at_most(*bandit, 2));
  const auto normal = cell_problem("normal", written_bandit({normal_reward("x", 1, 2, 0.5)}, 6));
  EXPECT_FALSE(listed(*normal));
  EXPECT_FALSE(has_at_most(*normal, 1000));
}

}  // namespace
}  // namespace assay::test
