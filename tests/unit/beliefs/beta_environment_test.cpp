// Drawn environments of Bernoulli cells whose cells are drawn when they are needed.
#include "assay/beliefs/detail/beta_environment.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/problem/registry.hpp"
#include "families/bandit.hpp"
#include "families/treasure_map.hpp"

namespace assay::test {
namespace {

using LazyArms = BetaEnvironment<Bandit, BetaBelief>;

Bandit ten_arms() { return Bandit({.arms = 10, .horizon = 20, .prior_a = 2, .prior_b = 3, .discount = 1}); }

BetaBelief after_a_win(const Bandit& family, int arm) {
  BetaBelief belief(family);
  belief.observe(family, 0, arm, {.next = 0, .reward = 1, .observation = {}});
  return belief;
}

TEST(BetaEnvironment, IsTheSameInWhateverOrderItIsNeeded) {
  const Bandit family = ten_arms();
  LazyArms at_once(family, BetaBelief(family));
  LazyArms in_parts(family, BetaBelief(family));
  std::vector<double> before;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    at_once.draw(Rng(seed));
    in_parts.draw(Rng(seed));
    for (const int arm : {7, 2, 7, 9}) (void)in_parts.step(0, arm, false);
    EXPECT_EQ(in_parts.whole(), at_once.whole());
    EXPECT_EQ(std::set<double>(before.begin(), before.end()).size(), before.size()) << "each on its own";
    EXPECT_NE(at_once.whole(), before) << "another environment";
    before = at_once.whole();
  }
}

TEST(BetaEnvironment, RenewsOnlyWhatThereIsNewsOf) {
  const Bandit family = ten_arms();
  LazyArms drawn(family, BetaBelief(family));
  drawn.draw(Rng(1));
  const std::vector<double> before = drawn.whole();
  drawn.renew(Rng(2));
  EXPECT_EQ(drawn.whole(), before);
  drawn.draw_from(after_a_win(family, 4));
  EXPECT_EQ(drawn.whole(), before) << "not yet";
  drawn.renew(Rng(2));
  const std::vector<double> after = drawn.whole();
  for (std::size_t c = 0; c < before.size(); ++c) EXPECT_EQ(after[c] == before[c], c != 4) << c;
  drawn.renew(Rng(3));
  EXPECT_EQ(drawn.whole(), after) << "the news was taken in";
}

TEST(BetaEnvironment, StepsPayAndMoveAsTheFamilySays) {
  for (const char* spec : {"treasure_map(size=3,looks=2)", "treasure_map(size=3,order=move_then_collect)"}) {
    const auto problem = make_problem(spec);
    const auto knowledge = problem->prior();
    const auto simulator = problem->prior()->environment();
    simulator->draw(Rng(4));
    const Mdp table = simulator->tabulate();
    for (int a = 0; a < table.actions; ++a) {
      if (!knowledge->allowed(4, a)) continue;
      const int from_here = 4 * table.actions + a;
      double rewards = 0;
      double arrivals = 0;
      int next = 0;
      constexpr int kSteps = 4000;
      for (int i = 0; i < kSteps; ++i) {
        const SimulatedStep step = simulator->step(4, a, false);
        next = step.next;
        rewards += step.reward;
        arrivals += step.arrival;
        EXPECT_EQ(simulator->step(4, a, true).arrival, 0);
      }
      EXPECT_EQ(next, table.arcs[table.first_arc[static_cast<std::size_t>(from_here)]].next);
      // On these maps a step pays either on arriving or by moving: what the table says of this or the next.
      const bool moving = std::string(spec).find("move_then") != std::string::npos;
      const int stay = 4;
      const int there = moving ? from_here : next * table.actions + stay;
      // A standard deviation is at most 0.5 / sqrt(4000) = 0.008.
      EXPECT_NEAR((moving ? rewards : arrivals) / kSteps, table.reward[static_cast<std::size_t>(there)],
                  0.045)
          << spec << " " << a;
      EXPECT_EQ(moving ? arrivals : rewards, 0);
    }
  }
}

TEST(BetaEnvironment, EvidenceIsWhatIsBelievedAfterwards) {
  const Bandit family = ten_arms();
  LazyArms drawn(family, BetaBelief(family));
  drawn.draw(Rng(1));
  // The same counts are the same sum, in whatever order; others are not.
  std::map<std::vector<int>, std::uint64_t> sums;
  std::map<std::uint64_t, std::vector<int>> counts_of;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    drawn.draw(Rng(seed));
    Rng choose(seed, 1);
    std::vector<int> counts(20);
    std::uint64_t sum = 0;
    for (int i = 0; i < 4; ++i) {
      const int arm = static_cast<int>(uniform_index(choose, 2));
      const SimulatedStep step = drawn.step(0, arm, false);
      EXPECT_NE(step.evidence, 0U);
      const int which = 2 * arm + (step.reward > 0 ? 1 : 0);
      ++counts[static_cast<std::size_t>(which)];
      sum += step.evidence;
    }
    EXPECT_EQ(sums.try_emplace(counts, sum).first->second, sum);
    EXPECT_EQ(counts_of.try_emplace(sum, counts).first->second, counts);
  }
  EXPECT_GT(sums.size(), 10U);
}

TEST(BetaEnvironment, NothingIsLearnedWhereNothingIsDrawn) {
  // Moving collects nothing here, arriving does: so the last step teaches nothing.
  const auto problem = make_problem("treasure_map(size=3)");
  const auto simulator = problem->prior()->environment();
  simulator->draw(Rng(4));
  EXPECT_EQ(simulator->step(0, 4, true).evidence, 0U);
  EXPECT_NE(simulator->step(0, 4, false).evidence, 0U);
}

}  // namespace
}  // namespace assay::test
