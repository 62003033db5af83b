// Problem files whose states have a memory: what was used up, and the step within an episode.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "assay/solver/detail/exact.hpp"
#include "families/t_maze.hpp"
#include "files/text_file.hpp"
#include "support/expectimax.hpp"
#include "support/problem_text.hpp"
#include "support/typed_models.hpp"

namespace assay {
namespace {

using test::contains;
using test::fault_of;
using test::solved;
using test::state_called;
using test::table_of;
using test::value_of;
using test::with;

const std::string kCoins = R"(
horizon = 6
map = """
CS.G
"""
[legend]
S = { start = true }
C = { reward = 3, once = true, name = "coin" }
G = { reward = 1 }
)";

TEST(ProblemFileMemory, WhatIsHadOnceIsPaidOnce) {
  // Left for the coin, then three steps to G, where one step is left to arrive and one more.
  EXPECT_DOUBLE_EQ(value_of(kCoins), 3 + 2);
  EXPECT_DOUBLE_EQ(value_of(with(kCoins, "once = true", "once = false")), 15);
  EXPECT_DOUBLE_EQ(value_of(with(kCoins, "horizon = 6", "collect = \"entering\"\nhorizon = 6")), 3 + 3);
  const TableFamily family = table_of(kCoins);
  EXPECT_EQ(family.states(), 4 + 4);
  EXPECT_NO_THROW(state_called(family, "row 0 column 3 (coin used)"));
  EXPECT_EQ(family.cell(state_called(family, "row 0 column 3 (coin used)")).column, 3);
}

TEST(ProblemFileMemory, OnceMayBeAMatterOfTheEnvironment) {
  const std::string two = kCoins +
                          "[[environment]]\nname = \"one\"\n[[environment]]\nname = \"two\"\n"
                          "legend = { C = { once = false } }\n";
  const TableFamily family = table_of(two);
  const int used = state_called(family, "coin (coin used)");
  EXPECT_EQ(family.row(used, kArrive, 0)[0].outcome.reward, 0);
  EXPECT_EQ(family.row(used, kArrive, 1)[0].outcome.reward, 3);
  EXPECT_NEAR(solved(family), oracle::FiniteExpectimax(family).value(), 1e-9);
}

TEST(ProblemFileMemory, ACueThatShowsOnceIsSilentAfterwards) {
  const std::string text = R"(
horizon = 4
map = "CS"
[legend]
S = { start = true }
C = { shows = "environment", once = true, name = "cue" }
[[environment]]
name = "a"
[[environment]]
name = "b"
)";
  const TableFamily family = table_of(text);
  const int fresh = state_called(family, "cue");
  const int again = state_called(family, "cue (cue used)");
  EXPECT_EQ(family.row(fresh, kArrive, 1).front().outcome.observation.size(), 1U);
  EXPECT_TRUE(family.row(again, kArrive, 1).front().outcome.observation.empty());
  EXPECT_EQ(family.sources().size(), 1U);
}

/// RockSample from its description, with nothing of the reader: position, rocks that are left, or gone.
class HandRocks {
 public:
  using Hidden = int;
  static constexpr Members kMembers = {Member::kAllowed};
  enum Action { kUp, kDown, kLeft, kRight, kTake, kSense1, kSense2 };

  explicit HandRocks(int horizon) : horizon_(horizon) {}

  int states() const { return 9 * 4 + 1; }
  int actions() const { return 7; }
  int horizon() const { return horizon_; }
  double discount() const { return 0.95; }
  std::vector<Start> starts() const { return {{index(1, 0, 3), 1}}; }
  std::vector<double> prior() const { return {0.25, 0.25, 0.25, 0.25}; }

  bool allowed(int x, int a) const {
    if (x == 36) return true;
    const int row = x / 4 / 3, column = x / 4 % 3, left = x % 4;
    if (a == kUp) return row > 0;
    if (a == kDown) return row < 2;
    if (a == kLeft) return column > 0;
    if (a == kTake) return column == 1 && (row == 0 ? left & 1 : row == 2 ? left & 2 : 0) != 0;
    return true;
  }

  template <class Visit>
  void outcomes(int x, int a, int e, Visit&& visit) const {
    if (x == 36 || a == kArrive) return visit(1.0, Outcome{x, 0, {}});
    const int row = x / 4 / 3, column = x / 4 % 3, left = x % 4;
    const std::array<bool, 2> good = {(e & 1) != 0, (e & 2) != 0};
    if (a == kUp) return visit(1.0, Outcome{index(row - 1, column, left), 0, {}});
    if (a == kDown) return visit(1.0, Outcome{index(row + 1, column, left), 0, {}});
    if (a == kLeft) return visit(1.0, Outcome{index(row, column - 1, left), 0, {}});
    if (a == kRight && column == 2) return visit(1.0, Outcome{36, 10, {}});
    if (a == kRight) return visit(1.0, Outcome{index(row, column + 1, left), 0, {}});
    if (a == kTake) {
      const int rock = row == 0 ? 0 : 1;
      const double pays = good[static_cast<std::size_t>(rock)] ? 10 : -10;
      return visit(1.0, Outcome{index(row, column, left & ~(1 << rock)), pays, {}});
    }
    const int rock = a - kSense1;
    const double distance = std::hypot(row - 2 * rock, column - 1);
    const double right = (1 + std::exp2(-distance / 2)) / 2;
    const int truth = good[static_cast<std::size_t>(rock)] ? 1 : 0;
    visit(right, Outcome{x, 0, {truth}});
    visit(1 - right, Outcome{x, 0, {1 - truth}});
  }

 private:
  static int index(int row, int column, int left) { return (row * 3 + column) * 4 + left; }
  int horizon_;
};

TEST(ProblemFileMemory, RockSampleIsTheOneOfItsDescription) {
  const std::string text = files::read_text_file(test::example_problem("rocksample"));
  const TableFamily file = table_of(with(text, "horizon = 10", "horizon = 6"));
  const auto by_hand = [](int horizon) { return support::solved_exactly(HandRocks(horizon), {}).value(); };
  EXPECT_NEAR(solved(file), by_hand(6), 1e-9);
  EXPECT_NEAR(oracle::FiniteExpectimax(HandRocks(4)).value(), by_hand(4), 1e-9);
  EXPECT_NO_THROW(state_called(file, "rock 2 (rock 1, rock 2 used)"));
  EXPECT_FALSE(file.allowed(state_called(file, "rock 2 (rock 2 used)"), 4));
  EXPECT_TRUE(file.allowed(state_called(file, "rock 2 (rock 1 used)"), 4));
  EXPECT_EQ(file.action_name(4), "take");
}

/// The goal search by its rules: where the agent is, where the goal may still be.
class HandSearch {
 public:
  double value(int steps) { return value(20, kEverywhere, steps); }

 private:
  static constexpr std::uint32_t kEverywhere =
      ((1U << 25) - 1) & ~(1U << 15 | 1U << 16 | 1U << 20 | 1U << 21);

  double value(int at, std::uint32_t possible, int steps) {
    if (steps == 0) return 0;
    const std::uint64_t key =
        (std::uint64_t{possible} * 32 + static_cast<unsigned>(at)) * 32 + static_cast<unsigned>(steps);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    double best = -1e9;
    for (const auto& [down, right] :
         std::array<std::pair<int, int>, 5>{{{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}}}) {
      const int row = at / 5 + down, column = at % 5 + right;
      const int to = row < 0 || row > 4 || column < 0 || column > 4 ? at : row * 5 + column;
      const double here = 1.0 / std::popcount(possible);
      double worth = 0;
      if ((possible & 1U << to) == 0) {
        worth = -0.1 + value(to, possible, steps - 1);
      } else {
        worth = here * steps;  // and stay there
        if (here < 1) worth += (1 - here) * (-0.1 + value(to, possible & ~(1U << to), steps - 1));
      }
      best = std::max(best, worth);
    }
    return known_[key] = best;
  }

  std::unordered_map<std::uint64_t, double> known_;
};

TEST(ProblemFileMemory, GoalSearchIsTheOneOfItsRules) {
  const std::string text = files::read_text_file(test::example_problem("goal_search"));
  const TableFamily file = table_of(with(text, "horizon = 15", "horizon = 10"));
  EXPECT_EQ(file.prior().size(), 21U);
  EXPECT_EQ(file.environment_name(0), "goal at row 0 column 0");
  EXPECT_NEAR(solved(file), HandSearch().value(10), 1e-9);
  const std::string stated = "# Value: ";
  EXPECT_NEAR(std::stod(text.substr(text.find(stated) + stated.size())), HandSearch().value(15), 1e-6);
}

/// A family in which every step of an episode is a state of its own, and the last leads back.
class ClockedMaze {
 public:
  using Hidden = int;
  static constexpr Members kMembers = {Member::kAllowed};
  ClockedMaze(const TMazeSettings& settings, int episodes) : maze_(settings), episodes_(episodes) {}

  int states() const { return maze_.states() * maze_.horizon(); }
  int actions() const { return maze_.actions(); }
  int horizon() const { return maze_.horizon() * episodes_; }
  double discount() const { return maze_.discount(); }
  std::vector<Start> starts() const { return {{maze_.starts()[0].state * maze_.horizon(), 1}}; }
  std::vector<double> prior() const { return maze_.prior(); }
  bool allowed(int x, int a) const { return assay::allowed(maze_, x / maze_.horizon(), a); }
  template <class Visit>
  void outcomes(int x, int a, int e, Visit&& visit) const {
    const int step = x % maze_.horizon();
    maze_.outcomes(x / maze_.horizon(), a, e, [&](double p, Outcome o) {
      o.next = a == kArrive                 ? x
               : step + 1 < maze_.horizon() ? o.next * maze_.horizon() + step + 1
                                            : starts()[0].state;
      visit(p, o);
    });
  }

 private:
  TMaze maze_;
  int episodes_;
};

TEST(ProblemFileMemory, EpisodesBeginAnewAndBeliefsStay) {
  const std::string text = R"(
horizon = 4
episodes = 2
discount = 0.9
map = """
L.R
#S#
#C#
"""
[legend]
S = { start = true }
C = { shows = "environment", accuracy = 0.8 }
[[environment]]
name = "left"
legend = { L = { reward = 1 }, R = { reward = -7 } }
[[environment]]
name = "right"
legend = { L = { reward = -7 }, R = { reward = 1 } }
)";
  const TableFamily family = table_of(text);
  EXPECT_EQ(family.horizon(), 8);
  EXPECT_NO_THROW(state_called(family, "row 2 column 1, step 3"));
  EXPECT_NEAR(solved(family), oracle::FiniteExpectimax(family).value(), 1e-9);
  const TMazeSettings settings{.distance = 2,
                               .arm = 1,
                               .horizon = 4,
                               .reward = 1,
                               .punishment = -7,
                               .discount = 0.9,
                               .cue_accuracy = 0.8};
  const ClockedMaze clocked(settings, 2);
  const std::string same = with(text, "#C#\n", "#.#\n#C#\n");
  EXPECT_NEAR(value_of(same), oracle::FiniteExpectimax(clocked).value(), 1e-9);
  // Once known, it is known for good: the second episode is worth more than the first.
  EXPECT_GT(value_of(with(same, "discount = 0.9\n", "")),
            2 * value_of(with(with(same, "discount = 0.9\n", ""), "episodes = 2", "episodes = 1")));
}

TEST(ProblemFileMemory, EpisodesBringBackWhatWasUsedAndLeaveTerminals) {
  EXPECT_DOUBLE_EQ(value_of(with(kCoins, "horizon = 6", "horizon = 6\nepisodes = 3")), 3 * 5);
  std::string ends = with(kCoins, "G = { reward = 1 }", "G = { reward = 1, terminal = true }");
  EXPECT_DOUBLE_EQ(value_of(with(ends, "horizon = 6", "horizon = 6\nepisodes = 2")), 2 * 4);
  const std::string table = R"(
horizon = 2
episodes = 3
states = ["in", "out"]
actions = ["go", "wait"]
start = { in = 1, out = 1 }
terminal = "out"
[[outcome]]
state = "in"
action = ["go", "wait"]
next = "out"
reward = 2
)";
  EXPECT_DOUBLE_EQ(value_of(table), 3 * 0.5 * 2);
}

/// The last move of an episode is seen as far as the action tells: not where it would have led.
TEST(ProblemFileMemory, WhereTheLastMoveOfAnEpisodeLeadsIsNotSeen) {
  const std::string bets = R"(
horizon = 1
episodes = 2
states = ["start", "a", "b"]
actions = ["go", "bet a", "bet b"]
start = "start"
environment = [{ name = "to a" }, { name = "to b" }]
outcome = [
  { state = "*", action = "go", environment = "to a", next = "a" },
  { state = "*", action = "go", environment = "to b", next = "b" },
  { state = "*", action = "bet a", environment = "to a", reward = 1 },
  { state = "*", action = "bet a", environment = "to b", reward = -3 },
  { state = "*", action = "bet b", environment = "to a", reward = -3 },
  { state = "*", action = "bet b", environment = "to b", reward = 1 },
]
)";
  // Within an episode one sees where the move led, and bets on it.
  EXPECT_DOUBLE_EQ(value_of(with(bets, "horizon = 1\nepisodes = 2", "horizon = 2")), 1);
  // Not at its end: neither a blind bet (-1, then 1) nor a move is worth anything.
  EXPECT_DOUBLE_EQ(value_of(bets), 0);
  const TableFamily family = table_of(bets);
  EXPECT_EQ(family.states(), 1) << "nobody arrives at a or b";
  EXPECT_EQ(family.row(0, 0, 0)[0].outcome, family.row(0, 0, 1)[0].outcome);
  // What the action shows and pays is seen.
  const std::string shown = with(with(bets, "next = \"a\"", "next = \"a\", shows = \"lamp a\""),
                                 "next = \"b\"", "next = \"b\", shows = \"lamp b\"");
  EXPECT_DOUBLE_EQ(value_of(shown), 1);
  EXPECT_DOUBLE_EQ(value_of(with(bets, "next = \"b\"", "next = \"b\", reward = 0.5")), 0.25 + 1);
  // An arrival that would pay and show is not had after the last move.
  const std::string arrival = with(bets, "outcome = [", R"(outcome = [
  { state = "a", action = "arrive", reward = 9, shows = "a" },)");
  EXPECT_DOUBLE_EQ(value_of(arrival), 0);
}

TEST(ProblemFileMemory, ActionsCanBeDoneOnce) {
  const std::string dig = R"(
horizon = 5
states = ["here"]
actions = ["dig", "wait"]
start = "here"
[[outcome]]
state = "here"
action = "dig"
reward = 2
once = true
[[outcome]]
state = "here"
action = "wait"
)";
  EXPECT_DOUBLE_EQ(value_of(dig), 2);
  EXPECT_EQ(table_of(dig).state_name(1), "here (here used)");
  EXPECT_FALSE(table_of(dig).allowed(1, 0));
  EXPECT_TRUE(contains(fault_of(with(dig, "[[outcome]]\nstate = \"here\"\naction = \"wait\"\n", "")),
                       "nothing can be done at 'here (here used)'"));
  // A later outcome without it takes it back.
  EXPECT_DOUBLE_EQ(value_of(dig + "[[outcome]]\nstate = \"here\"\naction = \"dig\"\nreward = 1\n"), 5);
}

TEST(ProblemFileMemory, HasLimits) {
  const std::string many = "horizon = 3\nmap = \"S" + std::string(70, 'c') +
                           "\"\n[legend]\nS = { start = true }\nc = { reward = 1, once = true }\n";
  EXPECT_TRUE(contains(fault_of(many), "70 things can be had once; at most 64"));
  const std::string wide =
      "stay = false\nhorizon = 3\nmap = \"\"\"\nSccccc\ncccccc\ncccccc\ncccccc\n\"\"\"\n"
      "[legend]\nS = { start = true }\nc = { reward = 1, once = true }\n";
  EXPECT_TRUE(contains(fault_of(wide), "more than 100000 states of 24")) << fault_of(wide);
  EXPECT_TRUE(
      contains(fault_of(with(kCoins, "horizon = 6", "discount = 0.5\nepisodes = 2")), "has no horizon"));
}

}  // namespace
}  // namespace assay
