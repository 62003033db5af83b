// Histories in words.
#include "assay/advice/situation.hpp"

#include <gtest/gtest.h>

#include "assay/core/kernel.hpp"
#include "assay/families/table_family.hpp"
#include "assay/problem/registry.hpp"
#include "support/complaint.hpp"
#include "support/problem_text.hpp"

namespace assay {
namespace {

using test::complaint;
using test::contains;

std::string after_error(const Problem& problem, const std::string& history) {
  return complaint([&] { situation_after(problem, history); });
}

TEST(Situations, BeginAtTheStart) {
  const auto maze = make_problem("t_maze(distance=3,arm=3,discount=0.95)");
  const Situation start = situation_after(*maze, "");
  EXPECT_EQ(start.state, 3);
  EXPECT_EQ(start.remaining, 20);
  EXPECT_EQ(start.knowledge->text(), "left 0.5, right 0.5");
  EXPECT_EQ(situation_after(*maze, " ; start ;").state, 3);
}

TEST(Situations, KnowWhatAnAgentWithThatHistoryKnows) {
  const auto maze = make_problem("t_maze(distance=3,arm=3,discount=0.95,cue_accuracy=0.8)");
  const Situation there = situation_after(*maze, "down; down; down sees right; stay sees right; up");
  EXPECT_EQ(there.state, 1);
  EXPECT_EQ(there.remaining, 15);
  const auto known = maze->knowledge(default_kernel());
  known->observe(0, kArrive, {0, 0, {1}});
  known->observe(0, kArrive, {0, 0, {1}});
  EXPECT_EQ(there.knowledge->text(), known->text());
}

TEST(Situations, TellOutcomesApartByWhatWasPaidAndWhereItLed) {
  const auto maze = make_problem("t_maze(distance=2,arm=1,discount=0.95)");
  EXPECT_EQ(situation_after(*maze, "up; left pays -7").knowledge->text(), "right 1");
  EXPECT_TRUE(contains(after_error(*maze, "up; left"), "several ways, say which: pays 1; pays -7"))
      << after_error(*maze, "up; left");
  const auto map = make_problem("treasure_map(size=2,looks=0,horizon=3)");
  const std::string where = after_error(*map, "");
  EXPECT_TRUE(contains(where, "several ways") && contains(where, "to row 1 column 0")) << where;
  const Situation there = situation_after(*map, "start pays 1 to row 1 column 1; up pays 0");
  EXPECT_EQ(there.state, 1);
  EXPECT_EQ(there.knowledge->text(), "1:0/1 3:1/1");
}

TEST(Situations, NameLooksByHowManySucceeded) {
  const auto map = make_problem(test::example_problem("treasure_map_walls"));
  const std::string ways = after_error(*map, "up");
  EXPECT_TRUE(contains(ways, "sees 0 of 3, 0 of 3, 0 of 3, 0 of 3; ")) << ways;
  EXPECT_EQ(situation_after(*map, "up sees 0 of 3, 3 of 3, 1 of 3, 0 of 3").knowledge->text().substr(0, 9),
            "chest:0/3");
}

TEST(Situations, TakeNamesWithBlanks) {
  const auto tiger = make_problem(test::example_problem("tiger"));
  const Situation there = situation_after(*tiger, "listen sees growl left; listen sees growl left");
  EXPECT_EQ(there.remaining, 6);
  EXPECT_EQ(there.knowledge->text().substr(0, 16), "tiger left 0.969");
  // And with words that mean something in between.
  TableBuilder builder({"way to go", "end"}, {"ask to go", "go to end"});
  builder.horizon(3).start(0);
  for (int e = 0; e < 2; ++e) {
    builder.environment(e == 0 ? "left" : "right");
    builder.outcome(0, 0, {{0.8, {0, 1, {e}}}, {0.2, {0, 1, {1 - e}}}}, e);
  }
  builder.outcome(0, 1, {{0.5, {0, 0, {}}}, {0.5, {1, 0, {}}}}).outcome(1, 0, {{1, {1, 0, {}}}});
  const auto problem =
      table_problem("words", builder.signs({"a nod to the left", "a nod to the right"}).build());
  const Situation seen = situation_after(*problem, "ask to go sees a nod to the left pays 1 to way to go");
  EXPECT_EQ(seen.knowledge->text(), "left 0.8, right 0.2");
  EXPECT_EQ(situation_after(*problem, "go to end to end").state, 1);
  EXPECT_TRUE(
      contains(after_error(*problem, "ask to go sees a nod"), "that cannot happen; what can: sees a nod to"));
}

TEST(Situations, SayWhatCouldHaveBeenSaid) {
  const auto maze = make_problem("t_maze(distance=3,arm=3,discount=0.95)");
  const std::pair<const char*, const char*> cases[] = {
      {"down; down; down", "sees left; sees right"},
      {"down; down; down sees green", "that cannot happen; what can: sees left; sees right"},
      {"up; up", "that cannot be done at"},
      {"dwon", "did you mean 'down'"},
      {"9", "unknown action '9'"},
      {"down quickly", "what is 'quickly'? After what was done come: sees"},
      {"down sees", "'sees' what?"},
      {"down pays much", "'much' is not a number"},
      {"down to nowhere", "unknown state 'nowhere'"},
  };
  for (const auto& [history, due] : cases) {
    EXPECT_TRUE(contains(after_error(*maze, history), due)) << history << ": " << after_error(*maze, history);
  }
  std::string whole;
  for (int i = 0; i < 20; ++i) whole += "stay;";
  EXPECT_TRUE(contains(after_error(*maze, whole), "the episode is over after 20 steps"));
}

TEST(States, AreFoundByNameLetterAndNumber) {
  const auto maze = make_problem(test::example_problem("t_maze"));
  EXPECT_EQ(maze->state_name(state_named(*maze, "cue")), "cue");
  EXPECT_EQ(state_named(*maze, "C"), state_named(*maze, "cue"));
  EXPECT_EQ(state_named(*maze, "2"), 2);
  EXPECT_TRUE(contains(complaint([&] { state_named(*maze, "."); }), "times: name one of them"));
  EXPECT_TRUE(contains(complaint([&] { state_named(*maze, "cux"); }), "did you mean 'cue'"));
}

}  // namespace
}  // namespace assay
