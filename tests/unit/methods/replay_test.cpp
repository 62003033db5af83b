// The replay: a ring of episodes, uniform draws, and returns of several steps against hand calculation.
#include "methods/replay.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace assay {
namespace {

constexpr int kLength = 4;

/// Episode n: states 10 n, 10 n + 1, ...; rewards 1, 2, 4, 8.
Replay::Played numbered(int n) {
  Replay::Played played;
  for (int t = 0; t < kLength; ++t) {
    played.decisions.push_back({10 * n + t, kLength - t, t, t == 2, static_cast<float>(1 << t)});
    played.numbers.insert(played.numbers.end(), {static_cast<float>(n), static_cast<float>(t)});
  }
  return played;
}

TEST(Replay, KeepsTheLatestEpisodes) {
  Replay replay(3, kLength, 2);
  EXPECT_EQ(replay.decisions(), 0U);
  for (int n = 0; n < 5; ++n) {
    replay.add(numbered(n));
    EXPECT_EQ(replay.episodes(), static_cast<std::size_t>(std::min(n + 1, 3)));
  }
  EXPECT_EQ(replay.added(), 5U);
  EXPECT_EQ(replay.decisions(), 3U * kLength);
  for (std::uint64_t n = 2; n < 5; ++n) {
    for (std::size_t t = 0; t < kLength; ++t) {
      const std::size_t index = replay.index(n, t);
      EXPECT_EQ(replay.decision(index).state, static_cast<int>(10 * n + t));
      EXPECT_EQ(replay.numbers(index)[0], static_cast<float>(n));
      EXPECT_EQ(replay.numbers(index)[1], static_cast<float>(t));
    }
  }
}

TEST(Replay, ReturnsOfSeveralStepsAreThoseByHand) {
  Replay replay(2, kLength, 2);
  replay.add(numbered(0));
  replay.add(numbered(1));
  const auto expect = [&](std::size_t index, int steps, bool cut, double reward, double weight, int next) {
    const Replay::Return paid = replay.steps_from(index, steps, 0.5, cut);
    EXPECT_DOUBLE_EQ(paid.reward, reward);
    EXPECT_DOUBLE_EQ(paid.weight, weight);
    EXPECT_EQ(paid.next ? static_cast<int>(*paid.next) : -1, next);
  };
  expect(0, 1, false, 1, 0.5, 1);
  expect(0, 2, false, 1 + 0.5 * 2, 0.25, 2);
  expect(0, 3, false, 1 + 0.5 * 2 + 0.25 * 4, 0.125, 3);
  expect(0, 4, false, 1 + 1 + 1 + 1, 0.0625, -1);
  expect(0, 9, false, 4, 0.0625, -1);  // an episode does not go on into the next
  expect(3, 1, false, 8, 0.5, -1);     // the last decision
  expect(6, 2, false, 4 + 0.5 * 8, 0.25, -1);
  // The third decision of each episode is random: sums end before it, but it counts where it is the first.
  expect(0, 4, true, 1 + 0.5 * 2, 0.25, 2);
  expect(1, 4, true, 2, 0.5, 2);
  expect(2, 4, true, 4 + 0.5 * 8, 0.25, -1);
}

TEST(Replay, DrawsEveryDecisionWithTheSameProbability) {
  for (const int episodes : {2, 7}) {  // half full, and full with the oldest replaced
    Replay replay(5, kLength, 2);
    for (int n = 0; n < episodes; ++n) replay.add(numbered(n));
    std::vector<double> drawn(replay.decisions());
    Rng rng(9);
    constexpr int kDraws = 40'000;
    for (int i = 0; i < kDraws; ++i) ++drawn[replay.draw(rng)];
    const double due = static_cast<double>(kDraws) / static_cast<double>(drawn.size());
    double squares = 0;  // chi squared
    for (const double n : drawn) squares += (n - due) * (n - due) / due;
    // Its mean is the degrees of freedom k, its deviation sqrt(2 k).
    const auto freedom = static_cast<double>(drawn.size() - 1);
    EXPECT_NEAR(squares, freedom, 5 * std::sqrt(2 * freedom)) << episodes;
  }
}

}  // namespace
}  // namespace assay
