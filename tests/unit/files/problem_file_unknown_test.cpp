// Problem files with unknown rewards.
#include <gtest/gtest.h>

#include "assay/problem/registry.hpp"
#include "assay/solver/exact_solution.hpp"
#include "support/problem_text.hpp"

namespace assay {
namespace {

using test::cells_of;
using test::contains;
using test::fault_of;
using test::value_of;
using test::with;

double registered_value(const std::string& name) { return make_problem(name)->exact({})->value(); }

const std::string kTreasure = R"(
horizon = 3
discount = 0.96
moves = "eight"
map = """
oo
oM
"""
[legend]
o = { chance = { beta = [0.1, 1] }, looks = 1, start = true }
M = { chance = { beta = [0.1, 1] }, looks = 1, start = true, shows = "rewards", name = "map" }
)";

TEST(UnknownRewardFiles, AreTheTreasureMap) {
  EXPECT_NEAR(value_of(kTreasure), registered_value("treasure_map(size=2,looks=1,horizon=3)"), 1e-9);
  EXPECT_NEAR(value_of(with(kTreasure, "horizon = 3", "horizon = 3\ncollect = \"entering\"")),
              registered_value("treasure_map(size=2,looks=1,horizon=3,order=move_then_collect)"), 1e-9);
  const CellFamily entered = cells_of(with(kTreasure, "horizon = 3", "horizon = 3\ncollect = \"entering\""));
  EXPECT_TRUE(entered.pulls(3, kArrive).empty());
  ASSERT_EQ(entered.sources().size(), 1U);
  EXPECT_LT(test::solved(entered.sources()[0].second), test::solved(entered) - 1e-6);
  const CellFamily family = cells_of(kTreasure);
  EXPECT_EQ(family.unknowns()->size(), 4U);
  EXPECT_EQ(family.unknown(0).name, "row 0 column 0");
  EXPECT_EQ(family.unknown(3).name, "map");
  EXPECT_EQ(family.pulls(3, kArrive).size(), 4U);
  ASSERT_EQ(family.sources().size(), 1U);
  EXPECT_EQ(family.sources()[0].first, "map");
  EXPECT_EQ(test::warnings_of(family), "");
}

TEST(UnknownRewardFiles, AreBandits) {
  const std::string text = R"(
horizon = 6
states = ["here"]
actions = ["a", "b"]
start = "here"
[[outcome]]
state = "here"
action = "*"
chance = { beta = [1, 1] }
)";
  EXPECT_NEAR(value_of(text), registered_value("bandit(arms=2,horizon=6)"), 1e-9);
  EXPECT_EQ(cells_of(text).unknown(1).name, "b");
  EXPECT_NEAR(value_of(with(text, "chance", "reward = 3\nchance")), 3 * value_of(text), 1e-9);
  // Both arms share what is unknown: nothing can be learnt that matters.
  const std::string shared = text + "unknown = \"both\"\n";
  EXPECT_EQ(cells_of(shared).unknowns()->size(), 1U);
  EXPECT_NEAR(value_of(shared), 3, 1e-9);
  // Episodes of a bandit are one long one.
  EXPECT_NEAR(value_of(with(text, "horizon = 6", "horizon = 3\nepisodes = 2")), value_of(text), 1e-9);
  // A free look at everything, once: at least as good as playing.
  const std::string look = with(text, "[\"a\", \"b\"]", "[\"a\", \"b\", \"look\"]") + R"(
[[outcome]]
state = "here"
action = "look"
shows = "rewards"
looks = 3
once = true
)";
  const CellFamily looking = cells_of(with(look, "action = \"*\"", "action = [\"a\", \"b\"]"));
  EXPECT_EQ(looking.states(), 2);
  EXPECT_EQ(looking.pulls(0, 2).size(), 2U);
  EXPECT_TRUE(looking.pulls(1, 2).empty());
  EXPECT_EQ(looking.sources()[0].first, "look");
}

TEST(UnknownRewardFiles, MayBeNormal) {
  const std::string text = with(kTreasure, "o = { chance = { beta = [0.1, 1] }, looks = 1,",
                                "o = { reward = { normal = [0.5, 2], noise = 3 },");
  const CellFamily family = cells_of(text);
  EXPECT_EQ(family.unknown(0).law, UnknownReward::Law::kNormal);
  EXPECT_EQ(family.unknown(0).mean, 0.5);
  EXPECT_EQ(family.unknown(0).deviation, 2);
  EXPECT_EQ(family.unknown(0).noise, 3);
  EXPECT_EQ(family.pulls(3, kArrive).size(), 1U);  // the map shows chances only, of which it has the only one
}

TEST(UnknownRewardFiles, ArePaidOnceIfTheySaySo) {
  const std::string text = R"(
horizon = 5
map = "oS"
[legend]
S = { start = true }
o = { chance = { beta = [1, 1] }, reward = 4, once = true }
)";
  EXPECT_NEAR(value_of(text), 2, 1e-9);
  EXPECT_EQ(cells_of(text).unknowns()->size(), 1U);
}

TEST(UnknownRewardFiles, ComplainOfWhatCannotBe) {
  EXPECT_TRUE(contains(fault_of(kTreasure + "[[environment]]\nname = \"a\"\n"),
                       "there are unknown rewards and `environment`"));
  EXPECT_TRUE(contains(fault_of(with(kTreasure, "[0.1, 1]", "[0.1]")), "beta has two numbers"));
  EXPECT_TRUE(contains(fault_of(with(kTreasure, "[0.1, 1]", "[0, 1]")),
                       "f:10:26: [legend] o, chance: 0 is out of range"));
  EXPECT_TRUE(contains(fault_of(with(kTreasure, "[0.1, 1]", "[nan, 1]")), "out of range"));
  EXPECT_TRUE(contains(fault_of(with(kTreasure, "beta = [0.1, 1]", "gamma = 1")), "has no beta"));
  EXPECT_TRUE(
      contains(fault_of(with(kTreasure, "chance = { beta = [0.1, 1] }", "reward = { normal = [0, 1] }")),
               "looks at a normal reward"));
  EXPECT_TRUE(contains(
      fault_of(with(kTreasure, "chance = { beta = [0.1, 1] }, looks = 1", "reward = { normal = [0, 0] }")),
      "a deviation of 0"));
  EXPECT_TRUE(contains(fault_of(with(kTreasure, "chance = { beta = [0.1, 1] }, looks = 1,", "looks = 2,")),
                       "looks at what?"));
  // Looks that an environment's letter has from the common one.
  const std::string inherited =
      "horizon = 2\nmap = \"SG\"\n[legend]\nS = { start = true }\nG = { %s, looks = 2 "
      "}\n[[environment]]\nlegend = { G = { %s } }\n";
  const auto change = [&](const std::string& from, const std::string& to) {
    std::string text = inherited;
    text.replace(text.find("%s"), 2, from);
    return text.replace(text.find("%s"), 2, to);
  };
  EXPECT_TRUE(
      contains(fault_of(change("chance = { beta = [1, 1] }", "reward = { normal = [0, 1] }")), "f:7:16: "));
  EXPECT_TRUE(contains(fault_of(change("shows = \"rewards\"", "shows = \"environment\"")), "looks at what?"));
  EXPECT_TRUE(
      contains(fault_of("horizon = 2\nmap = \"S\"\n[legend]\nS = { start = true, shows = \"rewards\" }\n"),
               "none is unknown"));
  EXPECT_TRUE(contains(fault_of(with(with(kTreasure, "\"eight\"", "\"four\""), "horizon = 3",
                                     "horizon = 3\nslip = 0.5\nwalls = \"stay\"\ncollect = \"entering\"")),
                       "need moves that are certain"));
}

TEST(UnknownRewardFiles, WarnOfRewardsThatCannotBeHad) {
  const std::string text =
      "horizon = 2\nmap = \"S#o.o\"\n[legend]\nS = { start = true, shows = \"rewards\", looks = 1 }\n"
      "o = { chance = { beta = [1, 1] } }\n";
  EXPECT_TRUE(contains(test::warnings_of(cells_of(text)), "3 of 4 states cannot be reached"));
  EXPECT_TRUE(
      contains(test::warnings_of(cells_of(text)), "the unknown reward 'row 0 column 2' can never be had"));
}

}  // namespace
}  // namespace assay
