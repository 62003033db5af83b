// rooms: its value by a recursion over what was found and which corners are left, its shape and its rewards.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "support/solved.hpp"

namespace assay {
namespace {

using Where = std::pair<int, int>;  // row, column; the middle room has the columns 0, 1, 2

constexpr std::array<Where, 4> kMiddle = {{{0, 0}, {0, 2}, {2, 0}, {2, 2}}};

/// The search for the goals, by symmetry for a second goal that is to the left.
class GoalSearch {
 public:
  GoalSearch(int corridor, int horizon) : corridor_(corridor), horizon_(horizon) {}
  double best() { return unknown(0, {1, 1}, 15); }

 private:
  [[nodiscard]] bool open(Where at) const {
    const auto [row, column] = at;
    const int far = 3 + corridor_;
    if (row < 0 || row > 2 || column < -far || column > 2 + far) return false;
    const bool corridor = (column < 0 && column >= -corridor_) || (column > 2 && column <= 2 + corridor_);
    return !corridor || row == 1;
  }
  template <class Visit>
  void moves(Where from, const Visit& visit) const {
    for (const Where& step : {Where(0, 0), Where(1, 0), Where(-1, 0), Where(0, 1), Where(0, -1)}) {
      const Where to = {from.first + step.first, from.second + step.second};
      if (open(to)) visit(to);
    }
  }
  /// A corner of the left room.
  [[nodiscard]] Where left(int which) const {
    const Where corner = kMiddle[static_cast<std::size_t>(which)];
    return {corner.first, corner.second - 3 - corridor_};
  }
  static int count(int mask) { return (mask & 1) + (mask >> 1 & 1) + (mask >> 2 & 1) + (mask >> 3 & 1); }

  /// Before goal 1 was found: it is in one of the corners of `mask`.
  double unknown(int time, Where at, int mask) {
    if (time == horizon_) return 0;
    const auto key = std::tuple(time, at, mask);
    if (const auto found = unknown_.find(key); found != unknown_.end()) return found->second;
    double best = -1e9;
    moves(at, [&](Where to) {
      double value = 0;
      double missed = count(mask);
      int rest = mask;
      for (int i = 0; i < 4; ++i) {
        const Where corner = kMiddle[static_cast<std::size_t>(i)];
        if ((mask >> i & 1) == 0 || corner != to) continue;
        // As seen in a mirror if goal 2 is to the right.
        const int mirrored = i % 2 == 0 ? i : i - 1;
        const Where seen = i % 2 == 0 ? to : Where(to.first, 2 - to.second);
        value += 1 + first(time + 1, seen, mirrored, 15);
        missed -= 1;
        rest &= ~(1 << i);
      }
      if (missed > 0) value += missed * (-0.1 + unknown(time + 1, to, rest));
      best = std::max(best, value / count(mask));
    });
    return unknown_[key] = best;
  }
  /// Goal 1 is in this corner of the middle room, goal 2 in one of those of `mask` in the left room.
  double first(int time, Where at, int one, int mask) {
    if (time == horizon_) return 0;
    const auto key = std::tuple(time, at, one, mask);
    if (const auto found = first_.find(key); found != first_.end()) return found->second;
    double best = -1e9;
    moves(at, [&](Where to) {
      double value = 0;
      double missed = count(mask);
      int rest = mask;
      for (int i = 0; i < 4; ++i) {
        if ((mask >> i & 1) == 0 || left(i) != to) continue;
        value += 10 + second(time + 1, to, to, 15 & ~(1 << one), -1);
        missed -= 1;
        rest &= ~(1 << i);
      }
      const double paid = kMiddle[static_cast<std::size_t>(one)] == to ? 1 : -0.1;
      if (missed > 0) value += missed * (paid + first(time + 1, to, one, rest));
      best = std::max(best, value / count(mask));
    });
    return first_[key] = best;
  }
  /// Goal 2 is here, goal 3 in one of the corners of `mask`, or `third` is where it was found.
  double second(int time, Where at, Where two, int mask, int third) {
    if (time == horizon_) return 0;
    const auto key = std::tuple(time, at, two, mask, third);
    if (const auto found = second_.find(key); found != second_.end()) return found->second;
    double best = -1e9;
    moves(at, [&](Where to) {
      const double elsewhere = to == two ? 10 : -0.1;
      double value = 0;
      if (third >= 0) {
        value = (kMiddle[static_cast<std::size_t>(third)] == to ? 100 : elsewhere) +
                second(time + 1, to, two, mask, third);
      } else {
        double missed = count(mask);
        int rest = mask;
        for (int i = 0; i < 4; ++i) {
          if ((mask >> i & 1) == 0 || kMiddle[static_cast<std::size_t>(i)] != to) continue;
          value += 100 + second(time + 1, to, two, mask, i);
          missed -= 1;
          rest &= ~(1 << i);
        }
        if (missed > 0) value += missed * (elsewhere + second(time + 1, to, two, rest, third));
        value /= count(mask);
      }
      best = std::max(best, value);
    });
    return second_[key] = best;
  }

  int corridor_, horizon_;
  std::map<std::tuple<int, Where, int>, double> unknown_;
  std::map<std::tuple<int, Where, int, int>, double> first_;
  std::map<std::tuple<int, Where, Where, int, int>, double> second_;
};

TEST(Rooms, AreWorthWhatASearchInOrderIs) {
  const double whole = GoalSearch(3, 50).best();
  EXPECT_NEAR(whole, 2809, 1e-6);
  EXPECT_NEAR(test::optimum("rooms"), whole, 1e-6);
  for (const auto& [corridor, horizon] : {std::pair(1, 6), {1, 17}, {2, 23}}) {
    EXPECT_NEAR(test::optimum("rooms(corridor=" + std::to_string(corridor) +
                              ",horizon=" + std::to_string(horizon) + ")"),
                GoalSearch(corridor, horizon).best(), 1e-8);
  }
}

TEST(Rooms, HaveFortyEightEnvironmentsAndThirtyThreeCells) {
  const auto problem = make_problem("rooms");
  EXPECT_EQ(problem->prior()->weights().size(), 48U);
  EXPECT_EQ(problem->states(), 3 * 33);
  std::set<std::string> names;
  for (int e = 0; e < 48; ++e) {
    names.insert(problem->environment_name(e));
    const Mdp known = problem->prior()->environment(static_cast<std::size_t>(e));
    std::map<double, int> paid;
    for (const double reward : known.reward) ++paid[reward];
    EXPECT_EQ(paid.size(), 4U);
    // A corner is entered from two sides or by three ways of staying there: by stay and into two walls.
    EXPECT_EQ(paid[100], 5);
    EXPECT_EQ(paid[10], 2 * 5);
    EXPECT_EQ(paid[1], 2 * 5);
  }
  EXPECT_EQ(names.size(), 48U);
}

TEST(Rooms, AreDrawnInARow) {
  const auto problem = make_problem("rooms");
  std::vector<std::string> drawn(3, std::string(15, ' '));
  for (int x = 0; x < problem->states(); ++x) {
    const Cell cell = problem->cell(x);
    drawn[static_cast<std::size_t>(cell.row)][static_cast<std::size_t>(cell.column)] = problem->landmark(x);
  }
  EXPECT_EQ(drawn, (std::vector<std::string>{"?.?   ?.?   ?.?", ".......S.......", "?.?   ?.?   ?.?"}));
}

}  // namespace
}  // namespace assay
