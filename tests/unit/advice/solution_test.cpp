// Solutions: bounds that hold, and what is said about behaviour.
#include "assay/advice/solution.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "assay/families/builders.hpp"
#include "assay/problem/registry.hpp"
#include "assay/solver/exact_solution.hpp"
#include "support/cli.hpp"
#include "support/complaint.hpp"
#include "support/expectimax.hpp"
#include "support/folder.hpp"
#include "support/large_tiger.hpp"
#include "support/problem_text.hpp"
#include "support/random_problem.hpp"

namespace assay {
namespace {

using nlohmann::json;
using test::call;
using test::contains;

TEST(Solutions, BoundTheTruthHoweverTheyAreFound) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const TableFamily family = support::random_problem(Rng(seed), {});
    const auto problem = table_problem("random", family);
    const double truth = oracle::FiniteExpectimax<TableFamily>(family).value();
    const Solution exact = solve(*problem, {.episodes = 2, .threads = 1});
    EXPECT_TRUE(exact.exact);
    EXPECT_NEAR(exact.lower.value, truth, 1e-9);
    EXPECT_EQ(exact.gap(), 0);
    EXPECT_LE(exact.fixed_plan.value().lower, truth + 1e-9) << seed;
    const Solution searched = solve(*problem, {.method = "search", .episodes = 2, .threads = 1});
    EXPECT_LE(searched.lower.value, truth + 1e-9) << seed;
    EXPECT_GE(searched.upper.value, truth - 1e-9) << seed;
    EXPECT_TRUE(searched.lower.certified && searched.upper.certified);
    EXPECT_TRUE(searched.exact);
    EXPECT_LE(searched.gap(), 1e-6) << seed;
  }
}

/// No time at all: there is an answer that needs none, or it is said that the time was over.
TEST(Solutions, WithoutTimeSayThatTheTimeWasOver) {
  const auto chain = make_problem("bbrl_chain(horizon=10)");
  try {
    (void)solve(*chain, {.seconds = 0, .episodes = 2, .threads = 1});
    ADD_FAILURE() << "its moves differ by environment: there is no plan to fall back on";
  } catch (const Stopped& stopped) {
    EXPECT_EQ(stopped.reason(), StopReason::kTime);
  }
}

/// Asked to stop at any moment, it says what holds by then, or that there is nothing.
TEST(Solutions, HoldWheneverTheyAreStopped) {
  int found = 0;
  int nothing = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const TableFamily family = support::random_problem(Rng(seed), {});
    const auto problem = table_problem("random", family);
    const double truth = oracle::FiniteExpectimax<TableFamily>(family).value();
    int questions = 1 << (seed % 10);
    const Stop stop({.asked = [&] { return questions-- <= 0; }});
    try {
      const Solution s = solve(*problem, {.method = "search", .episodes = 2, .threads = 1, .stop = stop});
      EXPECT_LE(s.lower.value, truth + 1e-9) << seed;
      EXPECT_GE(s.upper.value, truth - 1e-9) << seed;
      ++found;
    } catch (const Stopped& stopped) {
      EXPECT_EQ(stopped.reason(), StopReason::kAsked);
      ++nothing;
    }
  }
  EXPECT_GT(found, 0);
  EXPECT_GT(nothing, 0);
}

/// Bounds that a search leaves apart are called exact only if they are the same in every digit that is shown.
TEST(Solutions, ShowTheDigitsThatAreCertain) {
  const auto tiger = test::large_tiger();
  const double truth = tiger->exact({})->value();
  const Solution s = solve(*tiger, {.method = "search", .episodes = 2});
  EXPECT_EQ(s.decimals, 1) << "ten digits of hundred millions";
  EXPECT_LE(s.lower.value, truth * (1 + 1e-14));
  EXPECT_GE(s.upper.value, truth * (1 - 1e-14));
  EXPECT_TRUE(s.exact);
  EXPECT_EQ(fmt::format("{:.1f}", s.lower.value), fmt::format("{:.1f}", s.upper.value));
}

/// Where nothing is certified, the best of the methods that can be used, however few these are.
TEST(Solutions, EndInAPlannerWhereMovesAreUnknown) {
  const auto chain = make_problem("bbrl_chain(horizon=5)");
  const Solution s =
      solve(*chain, {.method = "auto(max_states=100)", .seconds = 600, .episodes = 20, .threads = 1});
  EXPECT_TRUE(s.policy);
  EXPECT_FALSE(s.exact || s.lower.certified);
  EXPECT_FALSE(s.fixed_plan) << "its moves differ by environment, and these cannot be listed";
  EXPECT_GT(s.lower.value, 0);
  EXPECT_LT(s.lower.interval.low, s.upper.interval.high);
}

/// A simulated lower bound is what the policy earns: less than the best, up to what chance does. At 4
/// standard errors a right program fails once in 30,000.
TEST(Solutions, BoundTheTruthBySimulation) {
  const auto bandit = make_problem("bandit(arms=2,horizon=12)");
  const double best = bandit->exact({})->value();
  const Solution s = solve(*bandit, {.method = "vi_greedy", .episodes = 2000});
  EXPECT_FALSE(s.exact);
  EXPECT_FALSE(s.lower.certified);
  const double error = (s.lower.interval.high - s.lower.interval.low) / (2 * 1.96);
  EXPECT_LE(s.lower.value, best + 4 * error);
  EXPECT_GE(s.upper.value, best);
  EXPECT_EQ(s.gap(), s.upper.interval.high - s.lower.interval.low);
  EXPECT_GT(s.gap(), s.upper.value - s.lower.value);
  EXPECT_GT(s.lower.value, 0.9 * best) << "greedy is not far from the best";
  EXPECT_NEAR(s.fixed_plan.value().lower, 6, 1e-12);
}

TEST(Solutions, ChooseTheMethodThemselves) {
  const auto small = make_problem("bandit(arms=2,horizon=5)");
  EXPECT_EQ(solve(*small, {.episodes = 2}).method, "exact(max_states=2000000)");
  const auto maze = make_problem("t_maze(distance=3,arm=3,discount=0.95)");
  const Solution searched = solve(*maze, {.method = "auto(max_states=5)", .episodes = 2});
  EXPECT_EQ(searched.method.substr(0, 14), "search(trials=");
  EXPECT_TRUE(searched.exact);
  EXPECT_NEAR(searched.lower.value, 5.435270, 1e-6);
  const Solution learned = solve(*small, {.method = "auto(max_states=5)", .seconds = 2, .episodes = 200});
  EXPECT_TRUE(learned.method.starts_with("vi_") || learned.method.starts_with("pcr")) << learned.method;
  EXPECT_FALSE(learned.exact);
}

TEST(Solutions, SayWhatIsDoneAndWhatIsUsed) {
  const auto maze = make_problem("t_maze(distance=3,arm=3,discount=0.95)");
  const Solution s = solve(*maze, {.episodes = 100});
  ASSERT_EQ(s.first_actions.size(), 5U);
  for (int step = 0; step < 3; ++step) {
    ASSERT_EQ(s.first_actions[static_cast<std::size_t>(step)].size(), 1U);
    EXPECT_EQ(maze->action_name(s.first_actions[static_cast<std::size_t>(step)][0].action), "down");
    EXPECT_EQ(s.first_actions[static_cast<std::size_t>(step)][0].share, 1);
  }
  ASSERT_EQ(s.sources.size(), 1U);
  EXPECT_EQ(s.sources[0].source, "cue");
  EXPECT_EQ(s.sources[0].episodes, 1);
  EXPECT_EQ(s.sources[0].uses, 1);
  ASSERT_TRUE(s.sources[0].value_without);
  EXPECT_NEAR(*s.sources[0].value_without, 4.705713, 1e-6);

  const auto tiger = make_problem(test::example_problem("tiger"));
  const Solution t = solve(*tiger, {.episodes = 500});
  double over = 0;
  for (const ActionShare& share : t.first_actions[4])
    over += share.action == ActionShare::kOver ? share.share : 0;
  EXPECT_GT(over, 0.5) << "two growls from the same side, and a door is opened";
  EXPECT_LT(t.sources[0].uses, 8);
  EXPECT_GE(t.sources[0].uses, 2) << "nobody opens a door after one growl";
}

/// Where moves are by chance, planning for the mean is planning for states; with nothing unknown it is the
/// best.
TEST(Solutions, OfChancyMovesCanBePlanned) {
  TableBuilder builder({"here", "far"}, {"pick", "walk"});
  builder.horizon(5).start(0);
  builder.environment("the only one");
  builder.outcome(0, 0, {{1, {0, 1, {}}}}).outcome(0, 1, {{0.5, {1, 0, {}}}, {0.5, {0, 0, {}}}});
  builder.outcome(1, 0, {{1, {1, 4, {}}}}).outcome(1, 1, {{1, {0, 0, {}}}});
  const auto problem = table_problem("chancy", builder.build());
  const double best = problem->exact({})->value();
  const Solution s = solve(*problem, {.method = "vi_greedy", .episodes = 2000});
  const double error = (s.lower.interval.high - s.lower.interval.low) / (2 * 1.96);
  EXPECT_NEAR(s.lower.value, best, 4 * error);
  EXPECT_GT(best, 5) << "picking here all the time is not the best";
}

TEST(Solutions, OfNormalRewardsAreSimulated) {
  TableBuilder table({"here"}, {"left", "right"});
  table.horizon(6).start(0);
  table.environment("the only one");
  for (int a = 0; a < 2; ++a) table.outcome(0, a, {{1, {0, 0, {}}}});
  CellBuilder cells(table.build());
  for (int a = 0; a < 2; ++a) {
    const int number = cells.unknown({.name = a == 0 ? "l" : "r",
                                      .law = UnknownReward::Law::kNormal,
                                      .mean = 1,
                                      .deviation = 2,
                                      .noise = 0});
    cells.pull(0, a, {number, 0, true});
  }
  const auto problem = cell_problem("normal", cells.build());
  const Solution s = solve(*problem, {.method = "vi_greedy", .episodes = 4000});
  // With x = 1 + 2 u and y = 1 + 2 v for the two rewards: pull one; if u < 0, the other, then the better of
  // both. E[u; u > 0] is phi(0), and E[max(u, v); u < 0] is (1/sqrt(pi) - phi(0)) / 2.
  const double phi = 0.39894228040143270;
  const double best_of_two = (0.56418958354775628 - phi) / 2;
  const double due = 1 + 5 * (0.5 + 2 * phi) + 0.5 + 4 * (0.5 + 2 * best_of_two);
  const double error = (s.lower.interval.high - s.lower.interval.low) / (2 * 1.96);
  EXPECT_NEAR(s.lower.value, due, 4 * error);
  EXPECT_GT(s.upper.value, due);
  EXPECT_FALSE(s.exact);
}

class SolveCommands : public test::TemporaryFolder {};

TEST_F(SolveCommands, PrintTheSameForAnyThreads) {
  const auto one =
      call({"solve", "t_maze", "--method", "vi_thompson", "--episodes", "50", "--threads", "1", "--json"});
  const auto two =
      call({"solve", "t_maze", "--method", "vi_thompson", "--episodes", "50", "--threads", "2", "--json"});
  ASSERT_EQ(one.code, 0) << one.err;
  json a = json::parse(one.out);
  json b = json::parse(two.out);
  a["seconds"] = b["seconds"] = 0;
  EXPECT_EQ(a, b);
}

TEST_F(SolveCommands, KeepThePolicy) {
  const auto solved =
      call({"solve", test::example_problem("tiger"), "--policy", at("tiger.policy"), "--json"});
  ASSERT_EQ(solved.code, 0) << solved.err;
  const auto tested = call({"evaluate", at("tiger.policy"), "--json", "--episodes", "4000"});
  ASSERT_EQ(tested.code, 0) << tested.err;
  const json test = json::parse(tested.out);
  EXPECT_NEAR(test["discounted_return"].get<double>(),
              json::parse(solved.out)["lower"]["value"].get<double>(),
              4 * test["discounted_standard_error"].get<double>());
  const auto again = call({"solve", test::example_problem("tiger"), "--policy", at("tiger.policy")});
  EXPECT_EQ(again.code, 2);
  EXPECT_TRUE(contains(again.err, "is there already")) << again.err;
}

TEST_F(SolveCommands, RefuseWhatCannotBe) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"solve", "bandit", "--method", "search"}, "finitely many environments"},
      {{"solve", "bandit", "--method", "sreach"}, "did you mean 'search'"},
      {{"solve", "t_maze", "--time-limit", "-1"}, "--time-limit"},
      {{"solve", "t_maze", "--time-limit", "nan"}, "'nan' is not a number of seconds"},
      {{"solve", "t_maze", "--memory", "5"}, "such as 500M or 2.5G"},
      {{"solve", "t_maze", "--policy", "/no/such/folder/a.policy"}, "/no/such/folder is not a folder"},
      {{"explain", "t_maze", "--after", "dwon"}, "--after 'dwon': "},
      {{"explain", "t_maze", "--at", "nowhere"}, "unknown state 'nowhere'"},
      {{"explain", "t_maze", "--remaining", "21"}, "an episode has 20 steps"},
  };
  for (const auto& [args, due] : cases) {
    const auto called = call(args);
    EXPECT_EQ(called.code, 2) << args.back();
    EXPECT_TRUE(contains(called.err, due)) << called.err;
  }
  EXPECT_EQ(call({"solve", "bandit(arms=4,horizon=100)", "--method", "exact(max_states=1000)"}).code, 1);
}

/// Whoever reads that a limit was reached wants to know how to raise it.
TEST_F(SolveCommands, NameTheOptionOfTheLimitThatWasReached) {
  const auto slow = call({"solve", "treasure_map(size=5)", "--time-limit", "0.2", "--episodes", "50"});
  // A slow machine may have found nothing by then.
  EXPECT_EQ(slow.code, contains(slow.err, "nothing was found before") ? 1 : 0) << slow.err;
  EXPECT_TRUE(contains(slow.out + slow.err, "the time limit was reached (--time-limit)")) << slow.out;
  const auto large = call({"solve", test::example_problem("rocksample"), "--memory", "16M"});
  EXPECT_EQ(large.code, 0) << large.err;
  EXPECT_TRUE(contains(large.out, "the memory limit was reached (--memory)")) << large.out;
}

/// The paper's approximate cashed reward leaves out what is paid on the way.
TEST_F(SolveCommands, WarnWhereAMethodIsMisled) {
  const auto called = call({"solve", "t_maze", "--method", "pcr(preset=paper,epochs=1)", "--episodes", "4"});
  EXPECT_EQ(called.code, 0) << called.err;
  EXPECT_TRUE(contains(called.err, "warning: pcr(")) << called.err;
}

TEST_F(SolveCommands, ExplainAsAnObject) {
  const auto called = call({"explain", test::example_problem("tiger"), "--json"});
  ASSERT_EQ(called.code, 0) << called.err;
  const json e = json::parse(called.out);
  EXPECT_EQ(e["actions"][0]["name"], "listen");
  EXPECT_TRUE(e["exact"].get<bool>());
  const double sum = e["actions"][0]["current_information"].get<double>() +
                     e["actions"][0]["future_information"].get<double>();
  EXPECT_NEAR(sum, e["actions"][0]["value"][0].get<double>(), 1e-9);
}

}  // namespace
}  // namespace assay
