// Histories in words.
#include <gtest/gtest.h>

#include "assay/advice/explanation.hpp"
#include "assay/core/detail/kernel.hpp"
#include "assay/families/builders.hpp"
#include "assay/problem/registry.hpp"
#include "support/complaint.hpp"
#include "support/problem_text.hpp"
#include "support/written_cells.hpp"

namespace assay {
namespace {

using test::complaint;
using test::contains;

std::string after_error(const Problem& problem, const std::string& history) {
  return complaint([&] { situation_after(problem, history); });
}

TEST(History, BeginAtTheStart) {
  const auto maze = make_problem("t_maze(distance=3,arm=3,discount=0.95)");
  const Situation start = situation_after(*maze, "");
  EXPECT_EQ(start.state(), 3);
  EXPECT_EQ(start.remaining(), 20);
  EXPECT_EQ(start.belief().text(), "left 0.5, right 0.5");
  EXPECT_EQ(situation_after(*maze, " ; start ;").state(), 3);
}

TEST(History, KnowWhatAnAgentWithThatHistoryKnows) {
  const auto maze = make_problem("t_maze(distance=3,arm=3,discount=0.95,cue_accuracy=0.8)");
  const Situation there = situation_after(*maze, "down; down; down sees right; stay sees right; up");
  EXPECT_EQ(there.state(), 1);
  EXPECT_EQ(there.remaining(), 15);
  const auto known = maze->prior();
  known->observe(0, kArrive, {0, 0, {1}});
  known->observe(0, kArrive, {0, 0, {1}});
  EXPECT_EQ(there.belief().text(), known->text());
}

TEST(History, TellOutcomesApartByWhatWasPaidAndWhereItLed) {
  const auto maze = make_problem("t_maze(distance=2,arm=1,discount=0.95)");
  EXPECT_EQ(situation_after(*maze, "up; left pays -7").belief().text(), "right 1");
  EXPECT_TRUE(contains(after_error(*maze, "up; left"), "several outcomes, say which: pays 1; pays -7"))
      << after_error(*maze, "up; left");
  const auto map = make_problem("treasure_map(size=2,looks=0,horizon=3)");
  const std::string where = after_error(*map, "");
  EXPECT_TRUE(contains(where, "several outcomes") && contains(where, "to row 1 column 0")) << where;
  const Situation there = situation_after(*map, "start pays 1 to row 1 column 1; up pays 0");
  EXPECT_EQ(there.state(), 1);
  EXPECT_EQ(there.belief().text(), "1:0/1 3:1/1");
}

TEST(History, NameLooksByHowManySucceeded) {
  const auto map = make_problem(test::example_problem("treasure_map_walls"));
  const std::string ways = after_error(*map, "up");
  EXPECT_TRUE(contains(ways, "sees 0 of 3, 0 of 3, 0 of 3, 0 of 3; ")) << ways;
  EXPECT_EQ(situation_after(*map, "up sees 0 of 3, 3 of 3, 1 of 3, 0 of 3").belief().text().substr(0, 9),
            "chest:0/3");
}

TEST(History, TakeNamesWithBlanks) {
  const auto tiger = make_problem(test::example_problem("tiger"));
  const Situation there = situation_after(*tiger, "listen sees growl left; listen sees growl left");
  EXPECT_EQ(there.remaining(), 6);
  EXPECT_EQ(there.belief().text().substr(0, 16), "tiger left 0.969");
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
  EXPECT_EQ(seen.belief().text(), "left 0.8, right 0.2");
  EXPECT_EQ(situation_after(*problem, "go to end to end").state(), 1);
  EXPECT_TRUE(
      contains(after_error(*problem, "ask to go sees a nod"), "that cannot happen; possible: sees a nod to"));
}

TEST(History, SayWhatCouldHaveBeenSaid) {
  const auto maze = make_problem("t_maze(distance=3,arm=3,discount=0.95)");
  const std::pair<const char*, const char*> cases[] = {
      {"down; down; down", "sees left; sees right"},
      {"down; down; down sees green", "that cannot happen; possible: sees left; sees right"},
      {"up; up", "that cannot be done at"},
      {"dwon", "did you mean 'down'"},
      {"9", "unknown action '9'"},
      {"down quickly", "unknown word 'quickly'; after what was done come: sees"},
      {"down sees", "nothing follows 'sees'"},
      {"down pays 0 pays 0", "'pays' is said twice"},
      {"down pays 3 to nowhere", "unknown state 'nowhere'"},
      {"down pays 1 to 4", "that cannot happen; possible: pays 0 to stem 2"},
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

TEST(History, AreWhereAnEpisodeWouldBe) {
  for (const char* family : {"t_maze(distance=3,arm=3,discount=0.95,cue_accuracy=0.8)",
                             "treasure_map(size=3)", "bandit(arms=3,horizon=9)"}) {
    SCOPED_TRACE(family);
    const auto problem = make_problem(family);
    Episode episode = problem->episode(Rng(4));
    const Situation& lived = episode.situation();
    for (int i = 0; i < 3; ++i) {
      episode.arrive();
      int action = 2;  // the cue is this way, where there is one
      while (!lived.allowed(action)) action = (action + 1) % lived.actions();
      episode.act(action);
    }
    episode.arrive();
    std::unique_ptr<Belief> belief = problem->prior();
    belief->restore(lived.belief().key());
    const Situation recalled(std::move(belief), lived.state(), lived.step());
    EXPECT_EQ(recalled.state(), lived.state());
    EXPECT_EQ(recalled.remaining(), lived.remaining());
    EXPECT_EQ(recalled.belief().text(), lived.belief().text());
    EXPECT_EQ(recalled.belief().key(), lived.belief().key());
    EXPECT_TRUE(lived.last().has_value());
    EXPECT_FALSE(recalled.last().has_value()) << "how it got there is not known";
    for (int x = 0; x < problem->states(); ++x) {
      ASSERT_EQ(recalled.belief().allowed(x, 0), lived.belief().allowed(x, 0));
      if (!lived.belief().allowed(x, 0)) continue;
      EXPECT_EQ(recalled.belief().expected_reward(x, 0), lived.belief().expected_reward(x, 0));
    }
  }
}

TEST(History, DrawTheirEnvironmentFromWhatIsKnown) {
  const auto maze = make_problem("t_maze(distance=3,arm=3,discount=0.95)");
  const int end = state_named(*maze, "right end");
  const Situation told = situation_after(*maze, "down; down; down sees right");
  const Situation untold = situation_after(*maze, "down; down");
  EXPECT_EQ(told.remaining(), maze->horizon() - 3);
  EXPECT_EQ(maze->state_name(told.state()), "cue");
  const auto in_told = told.belief().environment();
  const auto in_untold = untold.belief().environment();
  int right = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    in_told->draw(Rng(seed));
    in_untold->draw(Rng(seed));
    EXPECT_EQ(in_told->expected_reward(end, 0), 1);
    right += in_untold->expected_reward(end, 0) > 0 ? 1 : 0;
  }
  EXPECT_GT(right, 5);
  EXPECT_LT(right, 35);
}

TEST(History, MustBePossible) {
  const auto maze = make_problem("t_maze(distance=3,arm=3,discount=0.95)");
  std::vector<std::uint64_t> longer = maze->prior()->key();
  longer.push_back(0);
  EXPECT_THROW(Situation(maze->prior(), -1, 0), UsageError);
  EXPECT_THROW(Situation(maze->prior(), maze->states(), 0), UsageError);
  EXPECT_THROW(Situation(maze->prior(), 0, -1), UsageError);
  EXPECT_THROW(Situation(maze->prior(), 0, maze->horizon()), UsageError);
  EXPECT_THROW(maze->prior()->restore(longer), UsageError);
  EXPECT_NO_THROW(Situation(maze->prior(), 0, maze->horizon() - 1));
}

TEST(History, TakeWhatWasSeenAsNumbersToo) {
  const auto maze = make_problem("t_maze(distance=3,arm=3)");
  EXPECT_EQ(situation_after(*maze, "down; down; down sees 1").belief().text(), "right 1");
  EXPECT_TRUE(contains(after_error(*maze, "down; down; down sees 1 1"), "that cannot happen"));
  // What something is called goes before what something else is numbered.
  TableBuilder builder({"here"}, {"look"});
  builder.horizon(3).start(0).signs({"1", "0"});
  for (int e = 0; e < 2; ++e) {
    builder.environment(e == 0 ? "one" : "zero");
    builder.outcome(0, 0, {{1, {0, 0, {e}}}}, e);
  }
  const auto problem = table_problem("signs", builder.build());
  EXPECT_EQ(situation_after(*problem, "look sees 0").belief().text(), "zero 1");
}

/// A row of numbers: "0 1 2 0 1 2 ...".
std::string numbers(int count) {
  std::string all;
  for (int i = 0; i < count; ++i) all += (i == 0 ? "" : " ") + std::to_string(i % 3);
  return all;
}

TEST(History, TakeOneOfMoreOutcomesThanCanBeListed) {
  const auto map = make_problem("treasure_map(size=7)");
  const std::string reading = numbers(49);
  const Situation there = situation_after(*map, "start to row 3 column 3 sees " + reading + " pays 1");
  const auto known = map->prior();
  Outcome outcome{24, 1, {}};
  for (int i = 0; i < 49; ++i) outcome.observation.push_back(i % 3);
  known->observe(24, kArrive, outcome);
  EXPECT_EQ(there.belief().key(), known->key());
  // On the way, too, and by an action.
  const std::string way = "start sees 0 pays 0 to row 2 column 2; down-right sees ";
  EXPECT_EQ(situation_after(*map, way + reading + " pays 0 to row 3 column 3").state(), 24);
  const auto moved = make_problem("treasure_map(size=7,order=move_then_collect)");
  const Situation gone =
      situation_after(*moved, "start to row 2 column 2; down-right sees " + reading + " pays 1");
  EXPECT_EQ(gone.state(), 24);
  EXPECT_EQ(gone.belief().key(), known->key());
}

TEST(History, AskForAllOfAnOutcomeThatCannotBeListed) {
  const auto map = make_problem("treasure_map(size=7)");
  const std::vector<std::string> incomplete = {"",
                                               " pays 1",
                                               " sees " + numbers(49),
                                               " sees " + numbers(48) + " pays 1",
                                               " sees " + numbers(49) + " pays 0.5",
                                               " sees 9 " + numbers(48) + " pays 1"};
  for (const std::string& said : incomplete) {
    const std::string error = after_error(*map, "start to row 3 column 3" + said);
    EXPECT_TRUE(contains(error, "too many outcomes to list; say all that is seen and paid: sees 0 "))
        << error;
    EXPECT_TRUE(contains(error, " (for example)")) << error;
  }
  // The example can be said.
  std::string error = after_error(*map, "start to row 3 column 3");
  error = error.substr(error.find("sees "));
  const std::string example = error.substr(0, error.find(" (for example)"));
  EXPECT_EQ(situation_after(*map, "start to row 3 column 3 " + example).state(), 24);
  // Elsewhere there is a list, and the open one does not disturb.
  EXPECT_EQ(situation_after(*map, "start sees 4 pays 1 to 0").belief().text(), "0:5/6");
  EXPECT_TRUE(
      contains(after_error(*map, "start sees 7 pays 1 to 0"), "possible: sees 0 pays 0 to row 0 col"));
}

/// Digging pays a normal reward, shows a sign and looks at many things; what is seen on arriving comes after.
std::unique_ptr<Problem> dig() {
  TableBuilder table({"camp", "site, to 3 pays"}, {"dig", "look", "walk"});
  table.horizon(5).start(0).environment("only");
  table.signs({"a red stone, cracked", "blue", "rain", "sun"});
  table.outcome(0, 0, {{0.5, {0, -0.3, {0}}}, {0.5, {1, 0, {1}}}});
  table.outcome(0, 1, {{0.5, {0, 0, {0}}}, {0.5, {0, 0, {1}}}});
  table.outcome(0, 2, {{1, {1, -0.2, {}}}});
  table.outcome(1, 2, {{1, {0, 0, {}}}});
  table.outcome(1, kArrive, {{0.5, {1, 0.3, {2}}}, {0.5, {1, 0.3, {3}}}});
  CellBuilder builder(table.build());
  const int gold = builder.unknown(test::normal_reward("gold", 0, 2, 1));
  builder.pull(0, 0, {gold, 0, true});
  for (int i = 0; i < 8; ++i) {
    const int cell = builder.unknown(test::bernoulli_reward("cell " + std::to_string(i), 1, 1));
    builder.pull(0, 1, {cell, 3 + i % 2, i == 0});
  }
  return cell_problem("dig", builder.build());
}

TEST(History, ReadWordsThatCannotBeListed) {
  const auto problem = dig();
  const std::string looks = "0 of 3, 1 of 4, 2 of 3, 3 of 4, 0 of 3, 1 of 4, 2 of 3, 4 of 4";
  const Situation seen = situation_after(*problem, "look sees a red stone, cracked, " + looks + " pays 1");
  EXPECT_EQ(seen.belief().text().substr(0, 24), "cell 0:1/4, cell 1:1/4, ");
  EXPECT_EQ(situation_after(*problem, "look sees 0 0 1 2 3 0 1 2 4 pays 1").belief().key(),
            seen.belief().key());
  for (const char* wrong :
       {"look sees green, 0 of 3 pays 1", "look sees blue, 0 of 3 pays 0",
        "look sees blue, 5 of 3, 1 of 4, 2 of 3, 3 of 4, 0 of 3, 1 of 4, 2 of 3, 4 of 4 pays 0",
        "look sees blue, 0 of 4, 1 of 4, 2 of 3, 3 of 4, 0 of 3, 1 of 4, 2 of 3, 4 of 4 pays 0"}) {
    EXPECT_TRUE(contains(after_error(*problem, wrong), "too many outcomes to list")) << wrong;
  }
}

TEST(History, TakeRewardsOfAContinuum) {
  const auto problem = dig();
  const auto known = problem->prior();
  known->observe(0, 0, {0, 1.25, {0}});
  EXPECT_EQ(situation_after(*problem, "dig sees a red stone, cracked pays 1.25 to camp").belief().key(),
            known->key());
  // What arriving pays and shows comes to it: 1.25 and 0.3.
  const auto other = problem->prior();
  other->observe(0, 0, {1, 1.25, {1}});
  const Situation there = situation_after(*problem, "dig sees blue, rain pays 1.55 to site, to 3 pays");
  EXPECT_EQ(there.state(), 1);
  EXPECT_EQ(there.belief().text(), other->text());
  EXPECT_TRUE(contains(after_error(*problem, "dig sees blue pays 1.5"), "too many outcomes to list"));
  EXPECT_TRUE(contains(after_error(*problem, "dig pays inf"), "'inf' is not a number"));
}

TEST(History, NeedNotSayWhereTheyBeganIfThatMakesNoDifference) {
  const auto map = make_problem("treasure_map(size=7)");
  EXPECT_EQ(belief_after(*map, "").belief().key(), map->prior()->key());
  EXPECT_EQ(belief_after(*map, " ; start ; ").remaining(), 25);
  EXPECT_EQ(belief_after(*map, "start sees 4 pays 1 to 0").belief().text(), "0:5/6");
  EXPECT_TRUE(contains(complaint([&] { belief_after(*map, "right"); }), "'start': this can have several"));

  TableBuilder builder({"left", "right", "elsewhere"}, {"ask", "go"});
  builder.horizon(4).start(0).start(1);
  for (int e = 0; e < 2; ++e) {
    builder.environment(e == 0 ? "good" : "bad");
    for (int x = 0; x < 3; ++x) {
      builder.outcome(x, 0, {{0.8, {x, 0, {e}}}, {0.2, {x, 0, {1 - e}}}}, e);
      builder.outcome(x, 1, {{1, {2, x == 0 ? e + 0.0 : 1.0 - e, {}}}}, e);
    }
  }
  const auto problem = table_problem("two starts", builder.signs({"yes", "no"}).build());
  EXPECT_EQ(belief_after(*problem, "ask sees yes").belief().text(), "good 0.8, bad 0.2");
  EXPECT_EQ(belief_after(*problem, "ask sees yes; ask sees no").remaining(), 2);
  EXPECT_TRUE(contains(after_error(*problem, "ask sees yes"), "'start': this can have several outcomes"));
  EXPECT_TRUE(
      contains(complaint([&] { belief_after(*problem, "go pays 1"); }), "say which: to left; to right"));
  EXPECT_EQ(belief_after(*problem, "start to left; go pays 1").belief().text(), "bad 1");
  EXPECT_TRUE(contains(complaint([&] { belief_after(*problem, "go pays 5"); }), "'go pays 5': that cannot"));
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
