// Problems of unknown rewards as methods see them; the methods can be used on them.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "assay/lab/evaluation.hpp"
#include "assay/problem/registry.hpp"
#include "assay/solver/detail/drawn_environments.hpp"
#include "cashing/places.hpp"
#include "families/treasure_map.hpp"
#include "support/written_cells.hpp"

namespace assay {
namespace {

using test::bernoulli_reward;
using test::normal_reward;
using test::written_bandit;
using test::written_out;

TEST(CellMethods, GreedyLeavesANoiselessArmAsSoonAsItIsWorseThanTheOther) {
  const auto problem = cell_problem(
      "normal", written_bandit({normal_reward("x", 1, 2, 0), normal_reward("y", 0.5, 1, 0.3)}, 4));
  const auto policy = make_method("vi_greedy")->solve(*problem, {.rng = Rng(1), .resources = 1}).policy;
  int left = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Episode episode = problem->episode(Rng(seed));
    const Situation& now = episode.situation();
    policy->begin(now);
    Rng rng(0);
    episode.arrive();
    ASSERT_EQ(policy->act(now, rng), 0);
    const double paid = episode.act(0).reward;
    EXPECT_NEAR(now.belief().expected_reward(0, 0), paid, 1e-12);
    EXPECT_EQ(now.belief().reward_spread(0, 0), 0);
    episode.arrive();
    EXPECT_EQ(policy->act(now, rng), paid < 0.5 ? 1 : 0);
    left += paid < 0.5 ? 1 : 0;
    EXPECT_NEAR(episode.act(0).reward, paid, 1e-12);  // the same again, and no evidence against it
  }
  EXPECT_GT(left, 5);
  EXPECT_LT(left, 35);
}

TEST(CellMethods, ThompsonChoosesAnArmAsOftenAsItIsTheBest) {
  const auto problem =
      cell_problem("normal", written_bandit({normal_reward("x", 1, 2, 3), normal_reward("y", 0.5, 1, 1),
                                             bernoulli_reward("z", 0.01, 0.01, -40)},
                                            2));
  const auto policy = make_method("vi_thompson")->solve(*problem, {.rng = Rng(1), .resources = 1}).policy;
  Episode episode = problem->episode(Rng(1));
  episode.arrive();
  const int draws = 2000;
  std::vector<int> chosen(3);
  Rng rng(5);
  for (int i = 0; i < draws; ++i) {
    policy->begin(episode.situation());  // an environment is drawn once a step
    ++chosen[static_cast<std::size_t>(policy->act(episode.situation(), rng))];
  }
  // z pays about -40 or about 0, both with probability 1/2 and up to 1e-3. Then it is the best where x and y
  // are both negative.
  const double x_negative = std::erfc(1 / 2.0 / std::numbers::sqrt2) / 2;
  const double y_negative = std::erfc(0.5 / std::numbers::sqrt2) / 2;
  const double z_best = x_negative * y_negative / 2;
  EXPECT_NEAR(chosen[2], draws * z_best, 5 * std::sqrt(draws * z_best) + draws * 2e-3);
  EXPECT_GT(chosen[0], chosen[1]);
  EXPECT_GT(chosen[1], draws / 4);
}

TEST(CellMethods, LearnOnAGridOfNormalCellsAlikeForAnyThreads) {
  const TreasureMap grid({.size = 3, .looks = 0, .horizon = 6});
  const auto problem = cell_problem(
      "grid", written_out(grid, [](int c) { return normal_reward("", c, 1 + c, c % 2); }).build());
  const auto train = [&](const char* method, int threads) {
    const auto learner = make_method(method)->learner(*problem, Rng(8), threads);
    while (learner->done() < learner->epochs()) EXPECT_TRUE(std::isfinite(learner->advance().mean_return));
    return learner->policy_state();
  };
  for (const char* method : {"pcr(epochs=3)", "pcr(preset=paper,epochs=2)", "td(epochs=2)"}) {
    const std::string state = train(method, 1);
    EXPECT_EQ(state, train(method, 2)) << method;
    const auto policy = make_method(method)->policy(*problem, state, 1);
    for (const EpisodeReturn& r : evaluate(*problem, *policy, {.seed = 1, .episodes = 5})) {
      EXPECT_TRUE(std::isfinite(r.undiscounted)) << method;
    }
  }
}

TEST(CellKnowledge, DrawsRewardsOfChoicesEvenWhereTheyCoincide) {
  const auto rewards = [](const Problem& problem, std::uint64_t seed) {
    DrawnEnvironments drawn;
    problem.prior()->draw({seed, 0, 0, 0}, 1, 0, drawn);
    return drawn.plans->dynamics().rewards();
  };
  // Both chances are often exactly 1.
  const auto bandit = cell_problem(
      "bandit", written_bandit({bernoulli_reward("x", 0.01, 0.01), bernoulli_reward("y", 0.01, 0.01)}, 2));
  for (std::uint64_t seed = 0; seed < 60; ++seed) EXPECT_EQ(rewards(*bandit, seed), 2U) << seed;
  // Whatever is done at s0 pays x, at s1 y.
  CellBuilder builder(test::known_moves(2, 2, 3, 1, {{0, 1}}, [](int, int a) { return a; }));
  for (int x = 0; x < 2; ++x) {
    builder.unknown(bernoulli_reward(x == 0 ? "x" : "y", 1, 1));
    for (int a = 0; a < 2; ++a) builder.pull(x, a, {x, 0, true});
  }
  const auto alike = cell_problem("alike", builder.build());
  EXPECT_EQ(rewards(*alike, 1), 4U);
  EXPECT_EQ(Places(*alike->prior()).count(), 4);
  EXPECT_EQ(make_method("vi_thompson")->objection(*alike), "");
}

TEST(CellKnowledge, SeesCellsCollectionsAndMovesForWhatTheyAre) {
  CellBuilder builder = written_out(TreasureMap({.size = 2, .looks = 0, .horizon = 3}), [](int c) {
    return c == 3 ? normal_reward("", 1, 1, 1) : bernoulli_reward("", 1, 2);
  });
  const auto problem = cell_problem("map", builder.build());
  const auto knowledge = problem->prior();
  EXPECT_TRUE(knowledge->known_transitions());
  EXPECT_FALSE(knowledge->finite());
  EXPECT_EQ(knowledge->feature_cells(), 4U);
  EXPECT_TRUE(knowledge->collects(3, kArrive));
  EXPECT_FALSE(knowledge->collects(3, 4));
  EXPECT_EQ(Places(*knowledge).kind(), Places::Kind::kArrival);
  const Mdp mean = knowledge->mean();
  EXPECT_NEAR(mean.reward[0 * 9 + 4], 1.0 / 3, 1e-15);
  EXPECT_NEAR(mean.reward[3 * 9 + 4], 1, 1e-15);
  DrawnEnvironments drawn;
  knowledge->draw({1, 0, 0, 0}, 3, 2, drawn);
  EXPECT_EQ(drawn.plans->dynamics().form, Dynamics::Form::kKingGrid);
  EXPECT_EQ(drawn.worlds->count(), 2U);
  EXPECT_NE(drawn.worlds->reward_tile(0)[0], drawn.plans->reward_tile(0)[0]);
}

TEST(CellKnowledge, DrawsWhatWasNotLearnedAboutAlike) {
  const auto problem = cell_problem(
      "bandit",
      written_bandit(
          {bernoulli_reward("x", 0.4, 2), normal_reward("y", 1, 2, 1), bernoulli_reward("z", 3, 1)}, 4));
  const auto before = problem->prior();
  const auto after = before->clone();
  after->observe(0, 0, {0, 1, {}});
  DrawnEnvironments one;
  DrawnEnvironments other;
  before->draw({9, 0, 0, 0}, 40, 0, one);
  after->draw({9, 0, 0, 0}, 20, 0, other);
  int changed = 0;
  for (std::size_t i = 0; i < 16; ++i) {
    const auto lane = [&](DrawnEnvironments& drawn, std::size_t arm) {
      return drawn.plans->reward_tile(0)[arm * kTile + i];
    };
    changed += lane(one, 0) != lane(other, 0) ? 1 : 0;
    EXPECT_EQ(lane(one, 1), lane(other, 1)) << i;
    EXPECT_EQ(lane(one, 2), lane(other, 2)) << i;
  }
  EXPECT_GT(changed, 12);
}

}  // namespace
}  // namespace assay
