// Searches in traced episodes and in the page's data; situations as worlds.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/advice/situation.hpp"
#include "assay/problem/registry.hpp"
#include "assay/report/page.hpp"
#include "assay/report/trace.hpp"

namespace assay {
namespace {

using nlohmann::json;

/// Goes down and says that it searched. It remembers what it was asked for.
class Pretender final : public Policy {
 public:
  int act(const World& world, Rng& /*rng*/) override {
    step_ = world.step();
    constexpr int kDown = 2;
    return world.allowed(kDown) ? kDown : 0;
  }
  SearchView searched(int levels, std::size_t ends) const override {
    SearchView view;
    if (step_ == 1) return view;
    view.simulations = static_cast<std::uint64_t>(step_);  // none at first: it may be certain at once
    view.certain = true;
    view.upper = 2.345678;
    ViewedAction& action = view.actions.emplace_back();
    action.action = 2;
    action.visits = static_cast<std::uint64_t>(levels);
    action.more_ends = ends;
    ViewedEnd& end = action.ends.emplace_back();
    end.probability = 0.25;
    end.acted.reward = 1;
    end.arrived = Outcome{.reward = 0.5, .observation = {1}};
    for (int i = 0; i < 7; ++i) {
      ViewedAction& inner = end.actions.emplace_back();
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
  const Trace trace = trace_episode(*maze, Pretender(), Rng(1), {.levels = 3, .ends = 4});
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    EXPECT_EQ(trace.steps[i].search.empty(), i == 1);
    EXPECT_EQ(trace.steps[i].search.simulations, i == 1 ? 0 : i);
  }
  const ViewedAction& action = trace.steps[0].search.actions[0];
  EXPECT_EQ(action.visits, 3U);
  EXPECT_EQ(action.more_ends, 4U);
  EXPECT_EQ(action.ends[0].seen, "right");
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
  const auto policy = make_method("bamcp(simulations=2000)")->solve(*maze, Rng(1), 1);
  EXPECT_TRUE(policy->searched(2, 5).empty());
  const Situation before = situation_after(*maze, "down; down");
  const auto world = world_in(*maze, before, Rng(5));
  Rng luck(3);
  policy->begin(*world);
  const int action = policy->act(*world, luck);
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
    for (const ViewedEnd& end : one.ends) sum += end.probability;
    EXPECT_NEAR(sum, 1, 1e-12) << one.action;
    if (one.action != 2) continue;
    ASSERT_EQ(one.ends.size(), 2U) << "the cue shows one of two things";
    EXPECT_EQ(maze->state_name(one.ends[0].state), "cue");
    // Of hundreds of fair draws; six standard errors of 300 are 0.17.
    EXPECT_NEAR(one.ends[0].probability, 0.5, 0.17);
    const SearchView narrow = policy->searched(2, 1);
    EXPECT_EQ(narrow.actions[2].ends.size(), 1U);
    EXPECT_EQ(narrow.actions[2].more_ends, 1U);
    EXPECT_EQ(narrow.actions[2].ends[0].probability, one.ends[0].probability);
  }
  EXPECT_EQ(visits, 2000U);
  EXPECT_TRUE(found);
  EXPECT_TRUE(make_method("bamcp(ms=1)")->solve(*maze, Rng(1), 1)->searched(1, 0).timed);
}

TEST(SituationWorlds, AreWhereAnEpisodeWouldBe) {
  for (const char* family : {"t_maze(distance=3,arm=3,discount=0.95,cue_accuracy=0.8)",
                             "treasure_map(size=3)", "bandit(arms=3,horizon=9)"}) {
    const auto problem = make_problem(family);
    const auto lived = problem->world();
    lived->begin(Rng(4));
    for (int i = 0; i < 3; ++i) {
      lived->arrive();
      int action = 2;  // the cue is this way, where there is one
      while (!lived->allowed(action)) action = (action + 1) % lived->actions();
      lived->act(action);
    }
    lived->arrive();
    const auto recalled = problem->world();
    recalled->recall(lived->state(), lived->step(), lived->belief_key(), Rng(9));
    EXPECT_EQ(recalled->state(), lived->state());
    EXPECT_EQ(recalled->remaining(), lived->remaining());
    EXPECT_EQ(recalled->belief_text(), lived->belief_text());
    EXPECT_EQ(recalled->belief_key(), lived->belief_key());
    for (int x = 0; x < problem->states(); ++x) {
      EXPECT_EQ(recalled->expected_reward(x, 0), lived->expected_reward(x, 0));
    }
  }
}

TEST(SituationWorlds, DrawTheirEnvironmentFromWhatIsKnown) {
  const auto maze = make_problem("t_maze(distance=3,arm=3,discount=0.95)");
  const int end = state_named(*maze, "right end");
  const Situation told = situation_after(*maze, "down; down; down sees right");
  const Situation untold = situation_after(*maze, "down; down");
  EXPECT_EQ(world_in(*maze, told, Rng(1))->remaining(), told.remaining);
  EXPECT_EQ(world_in(*maze, told, Rng(1))->state(), told.state);
  int right = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    EXPECT_EQ(world_in(*maze, told, Rng(seed))->true_reward(end, 0), 1);
    right += world_in(*maze, untold, Rng(seed))->true_reward(end, 0) > 0 ? 1 : 0;
  }
  EXPECT_GT(right, 5);
  EXPECT_LT(right, 35);
}

TEST(SituationWorlds, MustBePossible) {
  const auto maze = make_problem("t_maze(distance=3,arm=3,discount=0.95)");
  const auto world = maze->world();
  const std::vector<std::uint64_t> belief = world->belief_key();
  std::vector<std::uint64_t> longer = belief;
  longer.push_back(0);
  EXPECT_THROW(world->recall(-1, 0, belief, Rng(1)), UsageError);
  EXPECT_THROW(world->recall(maze->states(), 0, belief, Rng(1)), UsageError);
  EXPECT_THROW(world->recall(0, -1, belief, Rng(1)), UsageError);
  EXPECT_THROW(world->recall(0, maze->horizon(), belief, Rng(1)), UsageError);
  EXPECT_THROW(world->recall(0, 0, longer, Rng(1)), UsageError);
  EXPECT_NO_THROW(world->recall(0, maze->horizon() - 1, belief, Rng(1)));
}

}  // namespace
}  // namespace assay
