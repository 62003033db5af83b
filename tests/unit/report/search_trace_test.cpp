// Searches in traced episodes and in the page's data.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/advice/explanation.hpp"
#include "assay/problem/registry.hpp"
#include "report/page.hpp"
#include "report/trace.hpp"

namespace assay {
namespace {

using nlohmann::json;

/// Goes down and says that it searched. It remembers what it was asked for.
class Pretender final : public Policy {
 public:
  int act(const Situation& situation, Rng& /*rng*/) override {
    step_ = situation.step();
    constexpr int kDown = 2;
    return situation.allowed(kDown) ? kDown : 0;
  }
  SearchView searched(int levels, std::size_t successors) const override {
    SearchView view;
    if (step_ == 1) return view;
    view.simulations = static_cast<std::uint64_t>(step_);  // none at first: it may be certain at once
    view.certain = true;
    view.upper = 2.345678;
    ViewedAction& action = view.actions.emplace_back();
    action.action = 2;
    action.visits = static_cast<std::uint64_t>(levels);
    action.more_successors = successors;
    ViewedSuccessor& to = action.successors.emplace_back();
    to.probability = 0.25;
    to.acted.reward = 1;
    to.arrived = Outcome{.reward = 0.5, .observation = {1}};
    for (int i = 0; i < 7; ++i) {
      ViewedAction& inner = to.actions.emplace_back();
      inner.action = i;
      inner.visits = static_cast<std::uint64_t>(i % 6);
      inner.value = i;
    }
    return view;
  }
  std::unique_ptr<Policy> clone() const override { return std::make_unique<Pretender>(); }

 private:
  int step_ = 0;
};

TEST(SearchTraces, KeepWhatWasSearchedAtEveryStep) {
  const auto maze = make_problem("t_maze(distance=3,arm=3,discount=0.95)");
  const Trace trace = trace_episode(*maze, Pretender(), Rng(1), {.levels = 3, .successors = 4});
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    EXPECT_EQ(trace.steps[i].search.empty(), i == 1);
    EXPECT_EQ(trace.steps[i].search.simulations, i == 1 ? 0 : i);
  }
  const ViewedAction& action = trace.steps[0].search.actions[0];
  EXPECT_EQ(action.visits, 3U);
  EXPECT_EQ(action.more_successors, 4U);
  EXPECT_EQ(action.successors[0].seen, "right");
  EXPECT_EQ(trace_episode(*maze, Pretender(), Rng(1)).steps[0].search.actions[0].visits, 2U);
}

TEST(SearchTraces, AreInThePagesData) {
  const auto maze = make_problem("t_maze(distance=3,arm=3,discount=0.95)");
  Report report;
  report.players.emplace_back().episodes.emplace_back().traces.push_back(
      trace_episode(*maze, Pretender(), Rng(1)));
  const json data = json::parse(report_json(report, {"1", "2", "3", false}));
  const json& steps = data["players"][0]["episodes"][0]["traces"][0]["steps"];
  EXPECT_FALSE(steps[1].contains("search"));
  const json& search = steps[0]["search"];
  EXPECT_EQ(search["simulations"], 0);
  EXPECT_EQ(search["certain"], true);
  EXPECT_EQ(search["timed"], false);
  EXPECT_EQ(search["upper"], 2.346);
  EXPECT_FALSE(search.contains("lower"));
  const json& action = search["actions"][0];
  EXPECT_EQ(action["more"], 5);
  EXPECT_FALSE(action.contains("value"));
  const json& end = action["ends"][0];
  EXPECT_EQ(end["probability"], 0.25);
  EXPECT_EQ(end["reward"], 1.5);
  EXPECT_EQ(end["seen"], "right");
  // Of seven, the four that it visited most.
  std::vector<int> inner;
  for (const json& one : end["actions"]) inner.push_back(one["action"]);
  EXPECT_EQ(inner, (std::vector<int>{5, 4, 3, 2}));
}

TEST(SearchTraces, BamcpShowsSharesOfItsVisits) {
  const auto maze = make_problem("t_maze(distance=3,arm=3,discount=0.95,cue_accuracy=0.8)");
  const auto policy =
      make_method("bamcp(simulations=2000)")->solve(*maze, {.rng = Rng(1), .resources = 1}).policy;
  EXPECT_TRUE(policy->searched(2, 5).empty());
  const Situation before = situation_after(*maze, "down; down");
  Rng luck(3);
  policy->begin(before);
  const int action = policy->act(before, luck);
  const SearchView view = policy->searched(2, 5);
  EXPECT_EQ(view.simulations, 2000U);
  EXPECT_FALSE(view.timed);
  EXPECT_TRUE(std::isnan(view.lower) && std::isnan(view.upper));
  std::uint64_t visits = 0;
  bool found = false;
  for (const ViewedAction& one : view.actions) {
    visits += one.visits;
    found = found || one.action == action;
    double sum = 0;
    for (const ViewedSuccessor& to : one.successors) sum += to.probability;
    EXPECT_NEAR(sum, 1, 1e-12) << one.action;
    if (one.action != 2) continue;
    ASSERT_EQ(one.successors.size(), 2U) << "the cue shows one of two things";
    EXPECT_EQ(maze->state_name(one.successors[0].state), "cue");
    // Of hundreds of fair draws; six standard errors of 300 are 0.17.
    EXPECT_NEAR(one.successors[0].probability, 0.5, 0.17);
    const SearchView narrow = policy->searched(2, 1);
    EXPECT_EQ(narrow.actions[2].successors.size(), 1U);
    EXPECT_EQ(narrow.actions[2].more_successors, 1U);
    EXPECT_EQ(narrow.actions[2].successors[0].probability, one.successors[0].probability);
  }
  EXPECT_EQ(visits, 2000U);
  EXPECT_TRUE(found);
  EXPECT_TRUE(
      make_method("bamcp(ms=1)")->solve(*maze, {.rng = Rng(1), .resources = 1}).policy->searched(1, 0).timed);
}

}  // namespace
}  // namespace assay
