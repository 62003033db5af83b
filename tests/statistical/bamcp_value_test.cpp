// What policies that search or sample earn and do, against exact values and probabilities.
//
// Tolerances are those of support/earned.hpp. What is allowed for the search is a tenth of what acting
// without thinking of information loses in the maze (5.4), and some percent of a value otherwise.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "assay/beliefs/detail/beta_environment.hpp"
#include "assay/families/builders.hpp"
#include "assay/problem/registry.hpp"
#include "assay/solver/exact_solution.hpp"
#include "families/bandit.hpp"
#include "solver/bamcp.hpp"
#include "support/earned.hpp"
#include "support/ks.hpp"
#include "support/random_problem.hpp"

namespace assay {
namespace {

using test::behind;
using test::earned;
using test::Earned;
using test::expect_close_behind;
using test::mean_and_error;

TEST(BamcpValue, ApproachesTheOptimumOfBandits) {
  expect_close_behind(*make_problem("bandit(arms=2,horizon=5)"), "bamcp", 150, 0.05);
  expect_close_behind(*make_problem("bandit(arms=3,horizon=6,prior_a=0.5,prior_b=2,discount=0.9)"), "bamcp",
                      100, 0.05);
}

TEST(BamcpValue, GoesForTheCueOfTheMaze) {
  // Going straight for an arm is worth 0 or less; the cue is worth 5.4 and takes a detour.
  expect_close_behind(*make_problem("t_maze(distance=3,arm=3,discount=0.95)"), "bamcp(simulations=10000)", 12,
                      0.5);
}

TEST(BamcpValue, ApproachesTheOptimumOfAnyProblem) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const auto problem = table_problem("random " + std::to_string(seed),
                                       support::random_problem(Rng(seed, 78), {.states = 4, .horizon = 4}));
    expect_close_behind(*problem, "bamcp(simulations=500)", 100, 0.15);
  }
}

TEST(BamcpValue, MoreSimulationsEarnMore) {
  const auto problem = make_problem("t_maze(distance=3,arm=3,discount=0.95)");
  const auto lost = [&](const std::string& method, int episodes) {
    return behind(*problem, earned(*problem, method, episodes));
  };
  const Earned few = lost("bamcp(simulations=300)", 60);
  const Earned some = lost("bamcp(simulations=3000)", 30);
  const Earned many = lost("bamcp(simulations=10000)", 12);
  const auto more = [](const Earned& a, const Earned& b) {
    return (a.mean - b.mean) / std::hypot(a.error, b.error);  // in standard errors
  };
  EXPECT_GT(more(few, some), laws::z_threshold());
  EXPECT_GT(more(some, many), laws::z_threshold());
}

TEST(BamcpValue, ItsRootValueIsThatOfTheExactSolution) {
  // 200,000 returns of at most 3: a standard error below 0.007. Exploring costs 0.3 x 3 x sqrt(log n / n) a
  // visit at most, which is 0.01 for the action that is taken nearly always.
  const auto problem = make_problem("bandit(arms=2,horizon=4,prior_a=2)");
  Episode episode = problem->episode(Rng(1));
  episode.arrive();
  episode.act(1);
  episode.arrive();
  const Situation& now = episode.situation();
  const std::vector<double> exact =
      problem->exact({})->action_values(now.state(), now.belief(), now.remaining());
  Bamcp planner(*problem->prior(), {.exploration = 0.3});
  planner.run(now, Rng(3), {.simulations = 200'000});
  const auto best = static_cast<std::size_t>(problem->exact({})->best_action(now));
  EXPECT_EQ(planner.best_action(), static_cast<int>(best));
  EXPECT_NEAR(planner.view(1, 0)[best].value, exact[best], 0.03);
}

TEST(ThompsonLaw, DoesEachActionAsOftenAsItIsBest) {
  TableBuilder builder({"here"}, {"first", "second"});
  builder.horizon(2).start(0);
  builder.environment("first", 0.3);
  builder.environment("second", 0.7);
  for (int e = 0; e < 2; ++e) {
    builder.outcome(0, kArrive, {{e == 0 ? 0.8 : 0.4, {0, 0, {1}}}, {e == 0 ? 0.2 : 0.6, {0, 0, {0}}}}, e);
    for (int a = 0; a < 2; ++a) builder.outcome(0, a, {{1, {0, a == e ? 1.0 : 0.0, {}}}}, e);
  }
  const auto problem = table_problem("two", std::move(builder).build());
  const auto policy = make_method("thompson")->solve(*problem, {.rng = Rng(1), .resources = 1}).policy;
  // The first sign is 1 with probability 0.24 + 0.28; the posterior of "first" is then 0.24 / 0.52, else
  // 0.06 / 0.48.
  std::vector<double> counts(4);
  constexpr int kEpisodes = 20'000;
  for (std::uint64_t i = 0; i < kEpisodes; ++i) {
    Episode episode = problem->episode(Rng(i, 1));
    policy->begin(episode.situation());
    const int sign = episode.arrive().observation.front();
    Rng rng(i, 2);
    const int action = policy->act(episode.situation(), rng);
    const int which = 2 * sign + action;
    ++counts[static_cast<std::size_t>(which)];
  }
  const std::vector<double> expected = {kEpisodes * 0.06, kEpisodes * 0.42, kEpisodes * 0.24,
                                        kEpisodes * 0.28};
  const laws::ChiSquare fit = laws::chi_square(counts, expected);
  EXPECT_LE(fit.statistic, fit.threshold);
}

TEST(BetaEnvironmentLaw, CellsFollowTheirBetas) {
  const Bandit family({.arms = 2, .horizon = 20, .prior_a = 0.7, .prior_b = 2, .discount = 1});
  BetaBelief belief(family);
  for (int i = 0; i < 3; ++i) belief.observe(family, 0, 1, {.next = 0, .reward = 1, .observation = {}});
  BetaEnvironment<Bandit, BetaBelief> drawn(family, BetaBelief(family));
  drawn.draw_from(belief);
  std::vector<double> first, second, product, paid;
  for (std::uint64_t seed = 0; seed < 20'000; ++seed) {
    drawn.draw(Rng(seed));
    paid.push_back(drawn.step(0, 1, true).reward);
    const std::vector<double> all = drawn.whole();
    first.push_back(all[0]);
    second.push_back(all[1]);
    product.push_back(all[0] * all[1]);
  }
  const double z = laws::z_threshold();
  const double mean_one = 0.7 / 2.7;
  const double mean_two = 3.7 / 5.7;
  for (const auto& [values, mean] : {std::pair(&first, mean_one), std::pair(&second, mean_two),
                                     std::pair(&product, mean_one * mean_two), std::pair(&paid, mean_two)}) {
    const Earned seen = mean_and_error(*values);
    EXPECT_NEAR(seen.mean, mean, z * seen.error);
  }
  std::vector<double> squares;
  for (const double v : first) squares.push_back(v * v);
  const Earned second_moment = mean_and_error(squares);
  EXPECT_NEAR(second_moment.mean, 0.7 * 1.7 / (2.7 * 3.7), z * second_moment.error);
}

}  // namespace
}  // namespace assay
