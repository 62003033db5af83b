// cue_chaining: its values against a recursion over what is known, and by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "support/solved.hpp"

namespace assay {
namespace {

using Where = std::pair<int, int>;  // row, column

struct ChainTask {
  int horizon = 12;
  double punishment = -1;
  double cost = 0;
  double discount = 1;
  bool first_shows = true;
  bool second_shows = true;
};

constexpr std::array<Where, 4> kCues = {{{0, 2}, {1, 3}, {3, 3}, {4, 2}}};

/// Nobody does better than to go straight to the next of the places that show or pay something.
class CueChain {
 public:
  explicit CueChain(const ChainTask& task) : task_(task) {}
  double best() { return value(0, {0, 0}, 15, -1, false); }

 private:
  static int distance(Where a, Where b) {
    return std::abs(a.first - b.first) + std::abs(a.second - b.second);
  }
  static int count(int mask) { return (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1) + (mask >> 3 & 1); }

  /// `mask` has the possible places of the second cue, `paying` is which of the two places pays, or -1.
  double value(int time, Where at, int mask, int paying, bool first_seen) {
    const int left = task_.horizon - time;
    // Staying to the end. Every walk is a sequence of straight ways, also past the others.
    double best = -task_.cost * weights(left);
    for (int prize = 0; prize < 2; ++prize) {
      const Where to = {prize == 0 ? 1 : 3, 5};
      const int steps = std::max(1, distance(at, to));
      if (steps > left) continue;
      const double chance = paying < 0 ? 0.5 : paying == prize ? 1 : 0;
      const double paid = chance * 1 + (1 - chance) * task_.punishment;
      best = std::max(best, -task_.cost * weights(steps) + std::pow(task_.discount, steps - 1) * paid);
    }
    if (paying >= 0) return best;
    const auto go = [&](Where to, const auto& then) {
      const int steps = std::max(1, distance(at, to));
      if (steps > left) return;
      best =
          std::max(best, -task_.cost * weights(steps) + std::pow(task_.discount, steps) * then(time + steps));
    };
    if (task_.first_shows && !first_seen) {
      go({2, 0}, [&](int then) {
        double sum = 0;
        for (int i = 0; i < 4; ++i) {
          if ((mask >> i & 1) != 0) sum += value(then, {2, 0}, 1 << i, -1, true);
        }
        return sum / count(mask);
      });
    }
    for (int i = 0; task_.second_shows && i < 4; ++i) {
      if ((mask >> i & 1) == 0) continue;
      const Where cue = kCues[static_cast<std::size_t>(i)];
      go(cue, [&](int then) {
        const double here = 1.0 / count(mask);
        const double found = 0.5 * (value(then, cue, 0, 0, true) + value(then, cue, 0, 1, true));
        const double missed = here < 1 ? value(then, cue, mask & ~(1 << i), -1, first_seen) : 0;
        return here * found + (1 - here) * missed;
      });
    }
    return best;
  }
  /// The sum of the weights of this many steps.
  [[nodiscard]] double weights(int steps) const {
    double sum = 0;
    for (int i = 0; i < steps; ++i) sum += std::pow(task_.discount, i);
    return sum;
  }

  ChainTask task_;
};

std::string spec_of(const ChainTask& task) {
  return "cue_chaining(horizon=" + std::to_string(task.horizon) +
         ",punishment=" + std::to_string(task.punishment) + ",cost=" + std::to_string(task.cost) +
         ",discount=" + std::to_string(task.discount) + ")";
}

TEST(CueChaining, AgreesWithARecursionOverWhatIsKnown) {
  for (const ChainTask& task :
       {ChainTask{}, ChainTask{.horizon = 9, .punishment = -0.5}, ChainTask{.horizon = 10},
        ChainTask{.horizon = 11, .cost = 0.03}, ChainTask{.horizon = 14, .discount = 0.9},
        ChainTask{.horizon = 14, .punishment = -3, .cost = 0.02, .discount = 0.95}}) {
    EXPECT_NEAR(test::optimum(spec_of(task)), CueChain(task).best(), 1e-9) << spec_of(task);
  }
}

TEST(CueChaining, TheDefaultHorizonIsThatOfTheWholeChain) {
  EXPECT_NEAR(test::optimum("cue_chaining"), 1, 1e-9);
  // The cue that is furthest from one of the two places: 2 + 4 + 6 steps.
  EXPECT_LT(test::optimum("cue_chaining(horizon=11)"), 1 - 1e-3);
}

TEST(CueChaining, WithoutTheFirstCueTheSecondIsSearched) {
  ChainTask task;
  task.first_shows = false;
  const double searched = test::optimum_without("cue_chaining", "first cue");
  EXPECT_NEAR(searched, CueChain(task).best(), 1e-9);
  EXPECT_LT(searched, 1);
  EXPECT_GT(searched, 0);
  // Without the second cue nothing tells the two places apart.
  EXPECT_NEAR(test::optimum_without("cue_chaining", "second cue"), 0, 1e-9);
}

TEST(CueChaining, SaysWhatTheCuesShow) {
  const auto problem = make_problem("cue_chaining");
  EXPECT_EQ(problem->observation_text(0, 0, {2}), "second cue at row 3 column 3");
  EXPECT_EQ(problem->observation_text(0, 0, {4}), "no cue here");
  EXPECT_EQ(problem->observation_text(0, 0, {5}), "upper pays");
  EXPECT_EQ(problem->observation_text(0, 0, {6}), "lower pays");
  EXPECT_EQ(problem->environment_name(5), "cue at row 3 column 3, lower pays");
}

TEST(CueChaining, WithoutAnEndIsWorthWhatALongEpisodeIs) {
  const double endless = test::optimum("cue_chaining(horizon=endless,discount=0.8)");
  EXPECT_NEAR(endless, CueChain(ChainTask{.horizon = 40, .discount = 0.8}).best(), 1e-3);
}

}  // namespace
}  // namespace assay
