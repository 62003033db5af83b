// Maps with outcomes, hidden letters and what their sources are called.
#include <gtest/gtest.h>

#include "support/expectimax.hpp"
#include "support/problem_text.hpp"

namespace assay {
namespace {

using test::contains;
using test::fault_of;
using test::solved;
using test::state_called;
using test::table_of;
using test::value_of;
using test::with;

const std::string kDig = R"(
horizon = 4
actions = ["dig", "look"]
map = """
aSa
"""
[legend]
S = { start = true, name = "camp" }
a = { name = "mound" }
[[environment]]
name = "left"
[[environment]]
name = "right"
[[outcome]]
state = "a"
action = "dig"
reward = -1
[[outcome]]
state = "row 0 column 0"
action = "dig"
environment = "left"
reward = 5
[[outcome]]
state = "mound, row 0 column 2"
action = "dig"
environment = "right"
reward = 5
[[outcome]]
state = "camp"
action = "look"
shows = { left = "tracks to the left", right = "tracks to the right" }
accuracy = 0.75
)";

TEST(ProblemFileMixing, ActionsMayBeDoneWhereTheyHaveOutcomes) {
  const TableFamily family = table_of(kDig);
  const int dig = 5;
  const int look = 6;
  EXPECT_EQ(family.action_name(dig), "dig");
  EXPECT_FALSE(family.allowed(1, dig));
  EXPECT_TRUE(family.allowed(0, dig));
  EXPECT_TRUE(family.allowed(1, look));
  EXPECT_FALSE(family.allowed(2, look));
  EXPECT_EQ(family.row(0, dig, 0)[0].outcome.reward, 5);
  EXPECT_EQ(family.row(0, dig, 1)[0].outcome.reward, -1);
  EXPECT_EQ(family.row(2, dig, 1)[0].outcome.reward, 5);
  EXPECT_DOUBLE_EQ(family.row(1, look, 1)[0].probability + family.row(1, look, 1)[1].probability, 1);
  EXPECT_EQ(family.sign_name(family.row(1, look, 0)[0].outcome.observation[0]), "tracks to the left");
  EXPECT_DOUBLE_EQ(family.row(1, look, 0)[0].probability, 0.75);
  EXPECT_DOUBLE_EQ(family.row(1, look, 1)[0].probability, 0.25);
  EXPECT_NEAR(solved(family), oracle::FiniteExpectimax(family).value(), 1e-9);
}

TEST(ProblemFileMixing, OutcomesOverrideMovesAndArrivals) {
  const std::string map = "horizon = 3\nmap = \"S.G\"\n[legend]\nS = { start = true }\nG = { reward = 1 }\n";
  EXPECT_DOUBLE_EQ(value_of(map), 1);
  const std::string jump = "[[outcome]]\nstate = \"S\"\naction = \"right\"\nnext = \"G\"\nreward = 0.5\n";
  EXPECT_DOUBLE_EQ(value_of(map + jump), 0.5 + 2);
  const std::string poor = "[[outcome]]\nstate = \"G\"\naction = \"arrive\"\nreward = 0.25\n";
  EXPECT_DOUBLE_EQ(value_of(map + poor), 0.25);
  // In an environment of its own, over what is said of all, wherever it stands.
  const std::string two = "[[environment]]\nname = \"one\"\n[[environment]]\nname = \"two\"\n";
  const std::string one = with(poor, "reward = 0.25", "reward = 3\nenvironment = \"one\"");
  EXPECT_DOUBLE_EQ(value_of(map + two + one + poor), (3 + 0.25) / 2);
  const std::string every = with(poor, "\"G\"", "\"*\"");
  EXPECT_DOUBLE_EQ(value_of(map + every), 3 * 0.25);
}

TEST(ProblemFileMixing, OutcomesMayEndTheEpisode) {
  const std::string map =
      "horizon = 4\nactions = [\"leave\"]\nmap = \"S.\"\n[legend]\nS = { start = true, reward = 1 }\n"
      "[[outcome]]\nstate = \"S\"\naction = \"leave\"\nreward = 5\nnext = \"the end\"\n";
  EXPECT_DOUBLE_EQ(value_of(map), 4 + 5);
  EXPECT_EQ(table_of(map).states(), 3);
  EXPECT_DOUBLE_EQ(value_of(with(map, "next = \"the end\"", "next = { \"the end\" = 1 }")), 9);
  EXPECT_DOUBLE_EQ(value_of(with(map, "reward = 5\nnext = \"the end\"",
                                 "options = [ { probability = 1, next = \"the end\", reward = 5 } ]")),
                   9);
  EXPECT_EQ(table_of(with(map, "next = \"the end\"\n", "")).states(), 2);
}

TEST(ProblemFileMixing, ComplainsOfNamesThatStandForNothingOrTooMuch) {
  EXPECT_TRUE(contains(fault_of(with(kDig, "state = \"camp\"", "state = \"kamp\"")),
                       "unknown state 'kamp'; did you mean 'camp'?"));
  EXPECT_TRUE(contains(fault_of(with(kDig, "reward = -1", "next = \"a\"")), "'a' stands for 2 states"));
  EXPECT_TRUE(contains(
      fault_of(with(kDig, "actions = [\"dig\", \"look\"]", "actions = [\"dig\", \"left\", \"look\"]")),
      "f:3:11: two actions are called 'left'"));
  EXPECT_TRUE(contains(fault_of(with(kDig, "right = \"tracks to the right\"", "rigth = \"x\"")),
                       "unknown environment 'rigth'; did you mean 'right'?"));
  EXPECT_TRUE(contains(fault_of(with(kDig, "state = \"camp\"", "state = []")), "names no state"));
}

TEST(ProblemFileMixing, SourcesAreCalledByTheirActionsOrAsTheySay) {
  const auto sources = [](const std::string& text) {
    std::string all;
    for (const auto& [name, silent] : table_of(text).sources()) all += name + ";";
    return all;
  };
  EXPECT_EQ(sources(kDig), "look;");
  EXPECT_EQ(sources(kDig + "source = \"tracks\"\n"), "tracks;");
  EXPECT_EQ(sources(with(kDig, "action = \"look\"", "action = \"arrive\"")), "camp;");
  // Without looking: a step, then digging, which is right at once and pays three times, or costs 1.
  EXPECT_NEAR(solved(table_of(kDig).sources()[0].second), (15 - 1) / 2.0, 1e-9);
}

const std::string kHidden = R"(
horizon = 4
map = """
?S?
#?#
"""
[hidden]
letter = "G"
among = "?"
[legend]
S = { start = true }
G = { reward = 1, name = "gold" }
)";

TEST(ProblemFileMixing, AHiddenLetterIsOnOneOfItsCells) {
  const TableFamily family = table_of(kHidden);
  EXPECT_EQ(family.prior().size(), 3U);
  EXPECT_EQ(family.environment_name(2), "gold at row 1 column 1");
  EXPECT_EQ(family.state_name(0), "row 0 column 0");
  EXPECT_EQ(family.landmark(0), '?');
  for (int e = 0; e < 3; ++e) {
    for (int i = 0; i < 3; ++i) {
      const int x = std::vector<int>{0, 2, 3}[static_cast<std::size_t>(i)];
      EXPECT_EQ(family.row(x, kArrive, e)[0].outcome.reward, i == e ? 1 : 0);
    }
  }
  // Found at once, it pays three times; else there is time for a second cell, where it pays once.
  EXPECT_DOUBLE_EQ(value_of(kHidden), (3.0 + 1.0) / 3);
  // The other cells are like free ones, unless they are explained.
  EXPECT_DOUBLE_EQ(value_of(kHidden + "\".\" = { reward = 1 }\n"), 3);
  EXPECT_DOUBLE_EQ(value_of(kHidden + "\"?\" = { reward = 1 }\n\".\" = { reward = 9 }\n"), 3);
  // Outcomes may speak of the letter: it stands elsewhere in each environment.
  const std::string dig =
      "[[outcome]]\nstate = \"?\"\naction = \"stay\"\nreward = -1\n"
      "[[outcome]]\nstate = \"gold\"\naction = \"stay\"\nreward = 10\n";
  EXPECT_EQ(table_of(kHidden + dig).row(2, 0, 1)[0].outcome.reward, 10);
  EXPECT_EQ(table_of(kHidden + dig).row(2, 0, 0)[0].outcome.reward, -1);
}

TEST(ProblemFileMixing, ComplainsOfWhatIsHiddenNowhere) {
  EXPECT_TRUE(
      contains(fault_of(with(kHidden, "among = \"?\"", "among = \"!\"")), "no cell of the map is drawn '!'"));
  EXPECT_TRUE(contains(fault_of(with(kHidden, "letter = \"G\"\n", "")), "f:7:1: [hidden] has no letter"));
  EXPECT_TRUE(contains(fault_of(with(kHidden, "letter = \"G\"", "letter = \"GG\"")), "is no letter"));
  EXPECT_TRUE(contains(fault_of(with(kHidden, "letter = \"G\"", "letter = \"H\"")), "the map has a 'H'"));
  EXPECT_TRUE(
      contains(fault_of(kHidden + "[[environment]]\nname = \"a\"\n"), "environments and something hidden"));
}

}  // namespace
}  // namespace assay
