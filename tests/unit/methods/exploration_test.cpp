// Exploration: the share of random actions, the length of runs, and the random numbers of epsilon-greedy.
#include "methods/exploration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace assay {
namespace {

constexpr int kActions = 4;
constexpr auto kSame = [](std::size_t i) { return static_cast<int>(i); };

TEST(Exploration, WithoutRunsIsEpsilonGreedyWithTheSameNumbers) {
  Exploration exploration(0.3, 1);
  Rng one(7);
  Rng other(7);
  for (int t = 0; t < 1000; ++t) {
    const auto chosen = exploration.choose(one, kActions, kSame);
    if (uniform(other) < 0.3) {
      ASSERT_TRUE(chosen.has_value());
      EXPECT_EQ(*chosen, uniform_index(other, kActions));
    } else {
      EXPECT_FALSE(chosen.has_value());
    }
  }
}

TEST(Exploration, RunsHaveTheirMeanLengthAndEpsilonItsShare) {
  for (const double sticky : {1.0, 2.5, 8.0}) {
    for (const double epsilon : {0.05, 0.5, 1.0}) {
      Exploration exploration(epsilon, sticky);
      Rng rng(11);
      constexpr int kSteps = 200'000;
      int explored = 0;
      int again = 0;
      int last = -1;
      for (int t = 0; t < kSteps; ++t) {
        const auto chosen = exploration.choose(rng, kActions, kSame);
        explored += chosen ? 1 : 0;
        again += chosen && static_cast<int>(*chosen) == last ? 1 : 0;
        last = chosen ? static_cast<int>(*chosen) : -1;
      }
      // Each run is one draw of `sticky` actions on average, with a variance below sticky^2; there are
      // epsilon * kSteps / sticky runs. The share has a deviation below sqrt(2 sticky epsilon / kSteps).
      const double share = static_cast<double>(explored) / kSteps;
      EXPECT_NEAR(share, epsilon, 5 * std::sqrt(2 * sticky * epsilon / kSteps)) << sticky;
      // After a random action the same follows because the run goes on, or because a new one begins with it.
      const double begin = epsilon / (epsilon + sticky * (1 - epsilon));
      const double due = (1 - 1 / sticky) + begin / sticky / kActions;
      EXPECT_NEAR(static_cast<double>(again) / explored, due, 5 * std::sqrt(0.25 / explored))
          << sticky << ", " << epsilon;
    }
  }
}

TEST(Exploration, ARunEndsWhereItsActionIsNotAllowedAndWithTheEpisode) {
  Exploration exploration(1, 1e6);  // the first run never ends by chance
  Rng rng(3);
  const auto first = exploration.choose(rng, kActions, kSame);
  ASSERT_TRUE(first.has_value());
  for (int t = 0; t < 50; ++t) EXPECT_EQ(exploration.choose(rng, kActions, kSame), first);
  // The action has another place among the choices of another state.
  const auto turned = [](std::size_t i) { return static_cast<int>((i + 1) % kActions); };
  EXPECT_EQ(turned(*exploration.choose(rng, kActions, turned)), static_cast<int>(*first));
  const auto others = [&](std::size_t i) { return static_cast<int>(i < *first ? i : i + 1); };
  const auto next = exploration.choose(rng, kActions - 1, others);
  ASSERT_TRUE(next.has_value());
  EXPECT_NE(others(*next), static_cast<int>(*first));
  EXPECT_EQ(exploration.choose(rng, kActions, kSame), static_cast<std::size_t>(others(*next)));
  exploration.begin();
  std::vector<bool> met(kActions);
  for (int t = 0; t < 100; ++t, exploration.begin()) met[*exploration.choose(rng, kActions, kSame)] = true;
  EXPECT_EQ(met, std::vector<bool>(kActions, true));
}

TEST(Exploration, NeverWithoutEpsilon) {
  for (const double sticky : {1.0, 4.0}) {
    Exploration exploration(0, sticky);
    Rng rng(1);
    for (int t = 0; t < 100; ++t) EXPECT_FALSE(exploration.choose(rng, kActions, kSame).has_value());
  }
}

}  // namespace
}  // namespace assay
