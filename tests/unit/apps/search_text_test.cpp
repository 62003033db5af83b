// The sentences about a search, for searches that are written by hand.
#include "assay/search_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/problem/registry.hpp"

namespace assay::cli {
namespace {

enum MazeAction { kMazeStay, kMazeUp, kMazeDown, kMazeLeft, kMazeRight };
constexpr int kMazeCue = 0;
constexpr int kMazeStem = 1;

ViewedAction bounded(int action, std::uint64_t visits, double lower, double value, double upper) {
  ViewedAction one;
  one.action = action;
  one.visits = visits;
  one.lower = lower;
  one.value = value;
  one.upper = upper;
  return one;
}

SearchView bounded_view() {
  SearchView view;
  view.simulations = 1000;
  view.lower = 11.9;
  view.upper = 13.2;
  view.actions = {bounded(kMazeUp, 90, 10, 11.25, 12.5), bounded(kMazeDown, 910, 11.9, 12.31, 13.2)};
  return view;
}

SearchView averaged_view() {
  SearchView view = bounded_view();
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  view.lower = view.upper = unknown;
  for (ViewedAction& one : view.actions) one.lower = one.upper = unknown;
  return view;
}

bool has_words(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(SearchText, TheSummaryHasTheChosenValueAndTheBounds) {
  EXPECT_EQ(search_summary(bounded_view(), kMazeDown),
            "1000 simulations, value 12.31, bounds 11.9 to 13.2 (gap 1.3)");
  EXPECT_EQ(search_summary(bounded_view(), kMazeUp),
            "1000 simulations, value 11.25, bounds 11.9 to 13.2 (gap 1.3)");
  SearchView view = bounded_view();
  view.simulations = 1;
  view.certain = view.timed = true;
  EXPECT_EQ(
      search_summary(view, kMazeDown),
      "1 simulation, value 12.31, bounds 11.9 to 13.2 (gap 1.3), best action is certain (by time: another "
      "run may differ)");
}

TEST(SearchText, WhatIsNotKnownIsNotSaid) {
  EXPECT_EQ(search_summary(averaged_view(), kMazeDown), "1000 simulations, value 12.31");
  EXPECT_EQ(search_summary(averaged_view(), kMazeLeft), "1000 simulations");
  EXPECT_EQ(searched_number(-0.0), "0");
  EXPECT_EQ(searched_number(std::numeric_limits<double>::quiet_NaN()), "?");
}

TEST(SearchText, AnOpenSearchNamesTheRivalAndTheGap) {
  const auto maze = make_problem("t_maze(distance=3,arm=3,discount=0.95)");
  EXPECT_EQ(
      search_reason(*maze, bounded_view(), kMazeDown),
      "It takes 'down', which is worth 11.9 to 13.2. That it is the best is not certain: 'up' could still be "
      "worth up to 12.5; a gap of 1.3 remains. It used 1000 simulations: another run with the same seed "
      "finds "
      "the same.");
}

TEST(SearchText, ACertainSearchSaysWhyNothingElseCanBeBetter) {
  const auto maze = make_problem("t_maze(distance=3,arm=3,discount=0.95)");
  SearchView view = bounded_view();
  view.certain = view.timed = true;
  view.upper_error = 0.05;
  view.actions[0].upper = 11.5;
  EXPECT_EQ(
      search_reason(*maze, view, kMazeDown),
      "It takes 'down', and no other action can be better: this is worth at least 11.9, and the next, 'up', "
      "at most 11.5 (the upper bound is drawn, standard error 0.05). It searched for a time, which was 1000 "
      "simulations: another run may differ.");
  view.actions[0].upper = 12.5;  // a planner may know it for another reason
  EXPECT_TRUE(has_words(search_reason(*maze, view, kMazeDown), "no other action can be better (the upper"));
}

TEST(SearchText, AveragesAreNotTakenForBounds) {
  const auto maze = make_problem("t_maze(distance=3,arm=3,discount=0.95)");
  const std::string words = search_reason(*maze, averaged_view(), kMazeDown);
  EXPECT_TRUE(has_words(words, "value at 12.31 on average; 'up' comes next with 11.25")) << words;
  EXPECT_TRUE(has_words(words, "without bounds")) << words;
  EXPECT_FALSE(has_words(words, "certain")) << words;
}

/// Going down to the cue, which shows one thing or the other; the third successor cannot be told from
/// the fourth.
SearchView view_with_successors() {
  SearchView view = bounded_view();
  ViewedAction& down = view.actions[1];
  for (const double p : {0.5, 0.3, 0.1, 0.002}) {
    ViewedSuccessor& to = down.successors.emplace_back();
    to.probability = p;
    to.state = kMazeCue;
  }
  down.successors[0].arrived = Outcome{.reward = -1.5, .observation = {0}};
  down.successors[0].actions = {bounded(kMazeUp, 7, 1, 2, 3), bounded(kMazeStay, 1, 0, 0, 3)};
  down.successors[1].arrived = Outcome{.observation = {1}};
  down.more_successors = 7;
  return view;
}

TEST(SearchText, TheTreeShowsSuccessorsWithWhatIsSeenThere) {
  const auto maze = make_problem("t_maze(distance=3,arm=3,discount=0.95)");
  const std::vector<std::string> lines =
      search_tree_lines(*maze, view_with_successors(), kMazeStem, kMazeDown);
  EXPECT_EQ(lines, (std::vector<std::string>{
                       "      up     90 visits  value 11.25  bounds 10 to 12.5",
                       "    > down  910 visits  value 12.31  bounds 11.9 to 13.2",
                       "         50 %  cue, reward -1.5, sees left",
                       "                 up    7 visits  value 2  bounds 1 to 3",
                       "                 stay  1 visit   value 0  bounds 0 to 3",
                       "         30 %  cue, sees right",
                       "         10 %  cue (outcome 1)",
                       "         <1 %  cue (outcome 2)",
                       "         and 7 more (10 %)",
                   }));
}

TEST(SearchText, OnlyAHandfulOfSuccessorsIsShown) {
  const auto maze = make_problem("t_maze(distance=3,arm=3,discount=0.95)");
  SearchView view = bounded_view();
  for (int i = 0; i < 8; ++i) {
    ViewedSuccessor& to = view.actions[0].successors.emplace_back();
    to.probability = 0.125;
    to.state = i;
  }
  const std::vector<std::string> lines = search_tree_lines(*maze, view, kMazeStem, kMazeDown);
  ASSERT_EQ(lines.size(), 2 + kShownSuccessors + 1);
  EXPECT_EQ(lines[1 + kShownSuccessors], "         and 3 more (38 %)");
}

TEST(SearchText, JsonHasAllOfItAndNullWhereNothingIsKnown) {
  const auto maze = make_problem("t_maze(distance=3,arm=3,discount=0.95)");
  const nlohmann::ordered_json known = search_json(*maze, view_with_successors());
  EXPECT_EQ(known["simulations"], 1000);
  EXPECT_EQ(known["lower"], 11.9);
  const auto& down = known["actions"][1];
  EXPECT_EQ(down["name"], "down");
  EXPECT_EQ(down["visits"], 910);
  EXPECT_EQ(down["upper"], 13.2);
  EXPECT_EQ(down["more_ends"], 7);
  EXPECT_EQ(down["ends"].size(), 4U);
  EXPECT_EQ(down["ends"][0]["state_name"], "cue");
  EXPECT_EQ(down["ends"][0]["arrived"]["reward"], -1.5);
  EXPECT_EQ(down["ends"][0]["arrived"]["observation"], (std::vector<int>{0}));
  EXPECT_EQ(down["ends"][0]["actions"][0]["lower"], 1);
  const nlohmann::ordered_json averaged = search_json(*maze, averaged_view());
  EXPECT_TRUE(averaged["upper"].is_null());
  EXPECT_TRUE(averaged["actions"][0]["lower"].is_null());
  EXPECT_EQ(averaged["actions"][0]["value"], 11.25);
}

}  // namespace
}  // namespace assay::cli
