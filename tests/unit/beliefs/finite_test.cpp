#include "assay/beliefs/finite.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "assay/core/rng.hpp"
#include "families/t_maze.hpp"

namespace assay {
namespace {

/// Several urns of balls in several colours; one urn is hidden, and each draw shows a colour. The smallest
/// family with as many environments, and as extreme odds, as a test wants.
struct Urns {
  using Hidden = int;
  std::vector<double> chances;               // [urn], prior
  std::vector<std::vector<double>> colours;  // [urn][colour], probability

  int states() const { return 1; }
  int actions() const { return 1; }
  int horizon() const { return 1; }
  double discount() const { return 1; }
  std::vector<Start> starts() const { return {{0, 1.0}}; }
  std::vector<double> prior() const { return chances; }

  template <class Visit>
  void outcomes(int x, int a, int urn, Visit&& visit) const {
    if (a == kArrive) return visit(1.0, Outcome{x, 0, {}});
    const auto& shown = colours[static_cast<std::size_t>(urn)];
    for (std::size_t c = 0; c < shown.size(); ++c) visit(shown[c], drawn(static_cast<int>(c)));
  }

  static Outcome drawn(int colour) { return {0, 0, {colour}}; }
};

template <class F>
std::vector<std::uint64_t> key_of(const FiniteBelief<F>& belief) {
  std::vector<std::uint64_t> key(belief.words());
  belief.pack(key);
  return key;
}

template <class F>
std::vector<double> weights_of(const FiniteBelief<F>& belief) {
  return {belief.weights().begin(), belief.weights().end()};
}

TMaze maze_with_cue(double accuracy) {
  return TMaze({.distance = 1, .arm = 1, .horizon = 5, .cue_accuracy = accuracy});
}

constexpr int kCue = 0, kJunction = 1, kLeftEnd = 2, kRightEnd = 3;
Outcome cue_says(int side) { return {kCue, 0, {side}}; }

// Each weight is kept to 40 significant bits; a few roundings of 5e-13 may add up.
constexpr double kBeliefRounding = 5e-12;

TEST(FiniteBelief, BeginsAtThePrior) {
  const Urns urns{{1, 3, 4}, {{1}, {1}, {1}}};
  const FiniteBelief<Urns> belief(urns);
  EXPECT_NEAR(belief.weights()[0], 0.125, kBeliefRounding);
  EXPECT_NEAR(belief.weights()[1], 0.375, kBeliefRounding);
  EXPECT_NEAR(belief.weights()[2], 0.5, kBeliefRounding);
}

TEST(FiniteBelief, MultipliesTheOddsByThoseOfEachCue) {
  // Odds left : right after l cues for the left and r for the right: (accuracy / (1 - accuracy))^(l - r).
  const TMaze maze = maze_with_cue(0.8);
  FiniteBelief<TMaze> belief(maze);
  double odds = 1;
  for (const int side : {0, 0, 1, 0, 1, 1, 1, 0, 0, 0}) {
    belief.observe(maze, kCue, kArrive, cue_says(side));
    odds *= side == 0 ? 4 : 0.25;
    EXPECT_NEAR(belief.weights()[0], odds / (1 + odds), kBeliefRounding);
    EXPECT_NEAR(belief.weights()[1], 1 / (1 + odds), kBeliefRounding);
  }
}

TEST(FiniteBelief, IsCertainAfterATrueCueAndStaysSo) {
  const TMaze maze = maze_with_cue(1);
  FiniteBelief<TMaze> belief(maze);
  for (int i = 0; i < 1000; ++i) {
    belief.observe(maze, kCue, kArrive, cue_says(1));
    ASSERT_EQ(weights_of(belief), (std::vector{0.0, 1.0}));  // exactly
  }
}

TEST(FiniteBelief, IsCertainAfterAReward) {
  const TMaze maze = maze_with_cue(0.8);
  for (const auto& [end, reward, left] : {std::tuple{kLeftEnd, 1.0, 1.0},
                                          {kLeftEnd, -7.0, 0.0},
                                          {kRightEnd, 1.0, 0.0},
                                          {kRightEnd, -7.0, 1.0}}) {
    FiniteBelief<TMaze> belief(maze);
    belief.observe(maze, end, kArrive, {end, reward, {}});
    EXPECT_EQ(weights_of(belief), (std::vector{left, 1 - left}));
  }
}

TEST(FiniteBelief, LearnsNothingFromWhatEveryEnvironmentDoes) {
  const TMaze maze = maze_with_cue(0.8);
  FiniteBelief<TMaze> belief(maze);
  belief.observe(maze, kCue, kArrive, cue_says(0));
  const auto before = key_of(belief);
  for (int i = 0; i < 100; ++i) belief.observe(maze, kCue, TMaze::kUp, {kJunction, 0, {}});
  EXPECT_EQ(key_of(belief), before);
}

TEST(FiniteBelief, HasTheSameKeyForEveryOrderOfTheSameCues) {
  // The exact solver meets a belief once only if every way there gives the same key.
  Rng rng(1);
  int differing = 0;
  int compared = 0;
  for (const double accuracy : {0.51, 0.6, 0.7, 0.8, 0.85, 0.9, 0.99}) {
    const TMaze maze = maze_with_cue(accuracy);
    for (int round = 0; round < 200; ++round) {
      std::vector<int> sides(2 + uniform_index(rng, 12));
      for (int& side : sides) side = bernoulli(rng, 0.5) ? 1 : 0;
      std::vector<std::uint64_t> first;
      for (int order = 0; order < 4; ++order) {
        for (std::size_t i = sides.size(); i > 1; --i) std::swap(sides[i - 1], sides[uniform_index(rng, i)]);
        FiniteBelief<TMaze> belief(maze);
        for (const int side : sides) belief.observe(maze, kCue, kArrive, cue_says(side));
        if (order == 0) {
          first = key_of(belief);
          continue;
        }
        differing += key_of(belief) != first ? 1 : 0;
        ++compared;
      }
    }
  }
  EXPECT_EQ(differing, 0) << "of " << compared << " reordered sequences of cues";
}

TEST(FiniteBelief, HasTheSameKeyForEveryOrderOfEvidenceAboutManyEnvironments) {
  Rng rng(2);
  int differing = 0;
  for (int round = 0; round < 500; ++round) {
    Urns urns{{1, 2, 3, 0.5}, {}};
    for (std::size_t urn = 0; urn < urns.chances.size(); ++urn) {
      const std::array<double, 3> shapes = {1, 2, 0.5};
      urns.colours.emplace_back(shapes.size());
      dirichlet(rng, shapes, std::span<double>(urns.colours.back()));
    }
    std::vector<int> colours = {0, 0, 1, 2, 2, 1};
    std::vector<std::uint64_t> first;
    for (int order = 0; order < 4; ++order) {
      FiniteBelief<Urns> belief(urns);
      for (const int colour : colours) belief.observe(urns, 0, 0, Urns::drawn(colour));
      if (order == 0) first = key_of(belief);
      differing += key_of(belief) != first ? 1 : 0;
      for (std::size_t i = colours.size(); i > 1; --i)
        std::swap(colours[i - 1], colours[uniform_index(rng, i)]);
    }
  }
  EXPECT_EQ(differing, 0) << "of 1500 reordered sequences of draws";
}

TEST(FiniteBelief, ComesBackFromItsKey) {
  const TMaze maze = maze_with_cue(0.7);
  FiniteBelief<TMaze> belief(maze);
  belief.observe(maze, kCue, kArrive, cue_says(0));
  FiniteBelief<TMaze> restored(maze);
  restored.unpack(key_of(belief));
  EXPECT_EQ(weights_of(restored), weights_of(belief));
  EXPECT_EQ(restored.text(maze), belief.text(maze));
}

/// What the error says when `belief` is shown `seen`, "" if there is none.
template <class F>
std::string complaint(const F& family, FiniteBelief<F>& belief, int x, int a, const Outcome& seen) {
  try {
    belief.observe(family, x, a, seen);
  } catch (const ImpossibleEvidence& error) {
    return error.what();
  }
  return "";
}

TEST(FiniteBelief, RefusesEvidenceThatNoPossibleEnvironmentCanGive) {
  const TMaze certain_cue = maze_with_cue(1);
  const std::vector<std::pair<int, Outcome>> impossible = {
      {kCue, cue_says(1)},            // the cue said left before
      {kCue, cue_says(2)},            // no such side
      {kCue, {kCue, 0, {}}},          // the cue says something
      {kCue, {kJunction, 0, {0}}},    // arriving does not move
      {kLeftEnd, {kLeftEnd, 5, {}}},  // no such reward
      {kLeftEnd, {kLeftEnd, std::numeric_limits<double>::quiet_NaN(), {}}},
  };
  for (const auto& [x, seen] : impossible) {
    FiniteBelief<TMaze> belief(certain_cue);
    belief.observe(certain_cue, kCue, kArrive, cue_says(0));
    const std::string what = complaint(certain_cue, belief, x, kArrive, seen);
    EXPECT_NE(what.find("probability zero"), std::string::npos) << "'" << what << "'";
    EXPECT_EQ(what.find("nan"), std::string::npos) << what;
    for (const double w : belief.weights()) EXPECT_FALSE(std::isnan(w));
  }
}

TEST(FiniteBelief, RefusesAPriorWithoutWeight) {
  EXPECT_THROW(FiniteBelief<Urns>(Urns{{0, 0}, {{1}, {1}}}), ImpossibleEvidence);
  EXPECT_THROW(FiniteBelief<Urns>(Urns{{HUGE_VAL, 1}, {{1}, {1}}}), ImpossibleEvidence);
  EXPECT_THROW(FiniteBelief<Urns>(Urns{{std::nan(""), 1}, {{1}, {1}}}), ImpossibleEvidence);
}

TEST(FiniteBelief, KeepsImpossibleEnvironmentsAtExactlyZero) {
  const Urns urns{{0.3, 0, 0.7}, {{0.5, 0.5}, {0.9, 0.1}, {0.2, 0.8}}};
  FiniteBelief<Urns> belief(urns);
  Rng rng(3);
  for (int i = 0; i < 200; ++i) {
    belief.observe(urns, 0, 0, Urns::drawn(i % 2));
    ASSERT_EQ(belief.weights()[1], 0.0);
    ASSERT_NE(belief.sample(urns, rng), 1);
  }
  EXPECT_EQ(belief.log_density(urns, 1), -HUGE_VAL);
  belief.for_each_environment(urns, [](double weight, int urn) {
    EXPECT_GT(weight, 0);
    EXPECT_NE(urn, 1);
  });
  EXPECT_EQ(belief.text(urns).find("e1"), std::string::npos);
}

TEST(FiniteBelief, LetsAVeryUnlikelyEnvironmentComeBack) {
  const Urns urns{{1, 1e-300}, {{1, 0}, {0.5, 0.5}}};
  FiniteBelief<Urns> belief(urns);
  EXPECT_NEAR(belief.weights()[1] / 1e-300, 1, kBeliefRounding);
  belief.observe(urns, 0, 0, Urns::drawn(0));
  EXPECT_NEAR(belief.weights()[1] / 0.5e-300, 1, kBeliefRounding);
  belief.observe(urns, 0, 0, Urns::drawn(1));
  EXPECT_EQ(weights_of(belief), (std::vector{0.0, 1.0}));
}

TEST(FiniteBelief, WeighsTinyWeightsAgainstEachOther) {
  const Urns urns{{1e-300, 3e-300}, {{0.5, 0.5}, {0.25, 0.75}}};
  FiniteBelief<Urns> belief(urns);
  EXPECT_NEAR(belief.weights()[0], 0.25, kBeliefRounding);
  belief.observe(urns, 0, 0, Urns::drawn(0));
  EXPECT_NEAR(belief.weights()[0], 0.125 / (0.125 + 0.1875), kBeliefRounding);
}

TEST(FiniteBelief, StaysNormalisedThroughVeryManyObservations) {
  const Urns urns{{1, 1, 1}, {{0.3, 0.7}, {0.31, 0.69}, {0.8, 0.2}}};
  FiniteBelief<Urns> belief(urns);
  Rng rng(4);
  for (int i = 0; i < 20000; ++i) {
    belief.observe(urns, 0, 0, Urns::drawn(bernoulli(rng, 0.7) ? 1 : 0));
    double sum = 0;
    for (const double w : belief.weights()) sum += w;
    ASSERT_NEAR(sum, 1, kBeliefRounding);
  }
}

TEST(FiniteBelief, PredictsTheMixtureOfItsEnvironmentsWithEachOutcomeOnce) {
  const Urns urns{{1, 3}, {{0.5, 0.5, 0}, {0.25, 0.75, 0}}};
  std::vector<std::pair<double, Outcome>> predicted;
  FiniteBelief<Urns>(urns).predict(urns, 0, 0,
                                   [&](double p, const Outcome& o) { predicted.emplace_back(p, o); });
  ASSERT_EQ(predicted.size(), 2U);  // the third colour cannot come up
  EXPECT_NEAR(predicted[0].first, 0.25 * 0.5 + 0.75 * 0.25, kBeliefRounding);
  EXPECT_EQ(predicted[0].second, Urns::drawn(0));
  EXPECT_NEAR(predicted[1].first, 0.25 * 0.5 + 0.75 * 0.75, kBeliefRounding);
  EXPECT_EQ(predicted[1].second, Urns::drawn(1));
}

TEST(FiniteBelief, ExpectsRewardsByItsWeights) {
  const TMaze maze = maze_with_cue(0.8);
  FiniteBelief<TMaze> belief(maze);
  EXPECT_DOUBLE_EQ(belief.expected_reward(maze, kLeftEnd, TMaze::kStay), 0.5 * 1 + 0.5 * -7);
  belief.observe(maze, kCue, kArrive, cue_says(0));
  EXPECT_NEAR(belief.expected_reward(maze, kLeftEnd, TMaze::kStay), 0.8 * 1 + 0.2 * -7, 10 * kBeliefRounding);
  EXPECT_NEAR(belief.expected_reward(maze, kRightEnd, TMaze::kStay), 0.2 * 1 + 0.8 * -7,
              10 * kBeliefRounding);
}

TEST(FiniteBelief, NamesTheMostProbableOfManyEnvironments) {
  const auto urns = [](int count) {
    Urns all;
    double sum = 0;
    for (int e = 0; e < count; ++e) sum += 1 + e % 3;
    for (int e = 0; e < count; ++e) {
      all.chances.push_back((1 + e % 3) / sum);
      all.colours.push_back({1});
    }
    return all;
  };
  const Urns few = urns(24);  // 8 of each weight, 48 in all
  const std::string all_named = FiniteBelief<Urns>(few).text(few);
  EXPECT_TRUE(all_named.starts_with("e0 0.02083, e1 0.04167, e2 0.0625, e3 0.02083")) << all_named;
  EXPECT_EQ(all_named.find("others"), std::string::npos);
  const Urns many = urns(60);  // 20 of each weight, 120 in all
  const std::string shortened = FiniteBelief<Urns>(many).text(many);
  EXPECT_TRUE(shortened.starts_with("e2 0.025, e5 0.025, ")) << shortened;
  // The 20 heaviest and 4 of the next ones are named.
  EXPECT_TRUE(shortened.ends_with("e10 0.01667, and 36 others 0.4333")) << shortened;
}

}  // namespace
}  // namespace assay
