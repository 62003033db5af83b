// Messages about files with small errors: mistyped keys and names, letters that are never drawn, and
// invisible characters.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/cli.hpp"
#include "support/folder.hpp"
#include "support/problem_text.hpp"

namespace assay {
namespace {

using test::contains;
using test::fault_of;
using test::with;

const std::string kMaze = R"(horizon = 20
map = """
L.S.R
##C##
"""
[legend]
S = { start = true }
C = { shows = { left = "red", right = "blue" } }
[[environment]]
name = "left"
legend = { L = { reward = 1 }, R = { reward = -7 } }
[[environment]]
name = "right"
legend = { L = { reward = -7 }, R = { reward = 1 } }
)";

std::string read_warnings(const std::string& text) {
  std::string all;
  for (const std::string& warning : read_problem(text, "f").warnings) all += warning + "\n";
  return all;
}

TEST(MistypedFiles, AKeyOfTheProblemGetsTheNearestOneBeforeItIsMissed) {
  EXPECT_TRUE(contains(fault_of(with(kMaze, "horizon", "horzion")),
                       "f:1:1: the problem: unknown key 'horzion'; did you mean 'horizon'?"));
  EXPECT_TRUE(contains(fault_of(with(kMaze, "map", "mpa")), "unknown key 'mpa'; did you mean 'map'?"));
  EXPECT_TRUE(contains(fault_of(with(kMaze, "[[environment]]", "[[enviroment]]")),
                       "unknown key 'enviroment'; did you mean 'environment'?"));
  EXPECT_TRUE(contains(fault_of(with(test::kSmallTable, "start", "strat")),
                       "unknown key 'strat'; did you mean 'start'?"));
  EXPECT_TRUE(contains(fault_of(with(test::kSmallTable, "states", "sates")),
                       "unknown key 'sates'; did you mean 'states'?"));
}

TEST(MistypedFiles, AnEnvironmentGetsTheNearestOne) {
  EXPECT_TRUE(contains(
      fault_of(with(kMaze, "right = \"blue\"", "rigth = \"blue\"")),
      "f:8:31: [legend] C, shows: unknown environment 'rigth'; did you mean 'right'? (known: left, right)"))
      << fault_of(with(kMaze, "right = \"blue\"", "rigth = \"blue\""));
  const std::string signs = with(test::kSmallTable, "{ x = 0.75, y = 0.25 }", "{ one = \"x\", tow = \"y\" }");
  EXPECT_TRUE(contains(fault_of(signs), "shows: unknown environment 'tow'; did you mean 'two'?"))
      << fault_of(signs);
  EXPECT_TRUE(contains(fault_of(with(kMaze, ", right = \"blue\"", "")),
                       "shows has no right; for example right = \"a sign\""));
}

TEST(MistypedFiles, AKeyThatIsNeededGetsTheOneThatWasMeant) {
  EXPECT_TRUE(contains(fault_of(with(test::kSmallTable, "action = \"go\"", "acton = \"go\"")),
                       "[[outcome]]: unknown key 'acton'; did you mean 'action'?"));
  // What is far from it is not taken for it.
  EXPECT_TRUE(
      contains(fault_of(with(test::kSmallTable, "action = \"go\"", "")), "[[outcome]] has no action"));
}

TEST(MistypedFiles, AFileOfAnotherKindIsToldHowProblemFilesEnd) {
  const test::Called called = test::call({"solve", "rat.txt"});
  EXPECT_EQ(called.code, 2);
  EXPECT_TRUE(contains(called.err, "'rat.txt' is no family, and problem files end in .toml")) << called.err;
  EXPECT_TRUE(contains(called.err, "./rat.txt")) << called.err;
}

TEST(ImpossibleEnvironments, AreAsIfTheyWereNotThere) {
  const std::string third =
      kMaze + "[[environment]]\nname = \"neither\"\nweight = 0\nlegend = { L = { }, R = { } }\n";
  const std::string three = with(third, "right = \"blue\"", "right = \"blue\", neither = \"green\"");
  EXPECT_EQ(test::table_of(three).prior(), test::table_of(kMaze).prior());
  EXPECT_EQ(test::value_of(three), test::value_of(kMaze));
  // Also where what is remembered multiplies the states.
  const auto once = [](const std::string& text) {
    return with(text, "reward = 1 }", "reward = 1, once = true }");
  };
  EXPECT_EQ(test::value_of(once(three)), test::value_of(once(kMaze)));
  const std::string one = with(kMaze, "name = \"left\"\n", "name = \"left\"\nweight = 0\n");
  EXPECT_EQ(test::table_of(one).prior(), std::vector{1.0});
  EXPECT_EQ(test::table_of(one).environment_name(0), "right");
  // Known to be on the right: two steps there, then 18 times 1.
  EXPECT_DOUBLE_EQ(test::value_of(one), 18);
}

TEST(ImpossibleEnvironments, OneMustBePossible) {
  const std::string none = with(with(kMaze, "name = \"left\"\n", "name = \"left\"\nweight = 0\n"),
                                "name = \"right\"\n", "name = \"right\"\nweight = 0\n");
  EXPECT_TRUE(contains(fault_of(none), "every environment has weight 0")) << fault_of(none);
  TableBuilder builder({"a"}, {"go"});
  builder.start(0).outcome(0, 0, {{1, {0, 0, {}}}});
  builder.environment("never", 0);
  EXPECT_TRUE(contains(test::complaint([&] { (void)builder.build(); }), "every environment has weight 0"));
}

TEST(FileWarnings, LettersThatNobodyDraws) {
  EXPECT_EQ(read_warnings(kMaze), "");
  EXPECT_EQ(read_warnings(with(kMaze, "[[environment]]", "Q = { reward = 1 }\n[[environment]]")),
            "f:9:1: [legend] Q: no cell is drawn with this letter\n");
  EXPECT_TRUE(
      contains(read_warnings(with(kMaze, "R = { reward = -7 } }", "X = { reward = -7 } }") + "[legend.R]\n"),
               "environment 'left' X: no cell is drawn with this letter"));
  // Drawn in one environment only, or hidden: that is a use.
  EXPECT_EQ(read_warnings("horizon = 3\nmap = \"S??\"\n[hidden]\nletter = \"G\"\namong = \"?\"\n[legend]\n"
                          "S = { start = true }\nG = { reward = 1 }\n"),
            "");
  EXPECT_EQ(read_warnings("horizon = 3\nmap = \"S.\"\n[legend]\nS = { start = true }\nG = { reward = 1 }\n"
                          "[[environment]]\nname = \"a\"\nmap = \"SG\"\n[[environment]]\nname = \"b\"\n"),
            "");
}

TEST(FileWarnings, CuesThatAreWorseThanAGuess) {
  const auto cue = [](const std::string& accuracy) {
    return with(kMaze, "right = \"blue\" }", "right = \"blue\" }, accuracy = " + accuracy);
  };
  EXPECT_EQ(read_warnings(cue("0.51")), "");
  EXPECT_TRUE(contains(read_warnings(cue("0.2")),
                       "[legend] C: an accuracy of 0.2 with 2 signs is below chance (0.5)"))
      << read_warnings(cue("0.2"));
  EXPECT_TRUE(contains(read_warnings(cue("0.5")), "is chance: it tells nothing"));
  const std::string outcome = with(test::kSmallTable, "shows = { x = 0.75, y = 0.25 }",
                                   "shows = { one = \"x\", two = \"y\" }\naccuracy = 0.3");
  const std::string said = read_warnings(outcome);
  EXPECT_TRUE(contains(said, "[[outcome]]: an accuracy of 0.3 with 2 signs is below chance")) << said;
  EXPECT_EQ(std::ranges::count(said, '\n'), 1) << said;  // once, not for each environment
  // With three signs, a third is chance.
  EXPECT_EQ(read_warnings(with(cue("0.4") + "[[environment]]\nname = \"up\"\nlegend = { L = { }, R = { } }\n",
                               "right = \"blue\"", "right = \"blue\", up = \"green\"")),
            "");
}

TEST(UnseenCharacters, AreNamed) {
  EXPECT_TRUE(
      contains(fault_of(with(kMaze, "L.S.R", "L\tS.R")),
               "the map has a tab in its line 1, character 2, which the legend does not explain; write "
               "blanks for walls, or add [legend] \"\\t\" = { }"))
      << fault_of(with(kMaze, "L.S.R", "L\tS.R"));
  EXPECT_TRUE(contains(fault_of(with(kMaze, "L.S.R", "L\u00f6S\u00e9R")),
                       "the map has a '\u00f6' in its line 1, character 2: letters of a map are ASCII"));
  EXPECT_TRUE(contains(fault_of(with(kMaze, "L.S.R", "LLL\u00e9R")), "'\u00e9' in its line 1, character 4"));
  EXPECT_TRUE(contains(fault_of(with(kMaze, "S = {", "\"\u00f6\" = {")),
                       "\"\u00f6\" is no letter; a letter is one ASCII character"));
  EXPECT_TRUE(contains(fault_of(with(kMaze, "horizon", "\"h\u00f6rizon\"")), "unknown key 'h\u00f6rizon'"));
  EXPECT_TRUE(
      contains(fault_of(with(kMaze, "horizon", "\"hor\\u0007\\tizon\"")), "unknown key 'hor\\u0007\\tizon'"));
}

}  // namespace
}  // namespace assay
