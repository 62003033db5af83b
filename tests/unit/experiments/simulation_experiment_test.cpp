// Value against simulations: the numbers are compared with ones computed by hand, from invented runs.
#include "experiments/simulation_experiment.hpp"

#include <gtest/gtest.h>

#include <map>

#include "experiments/driver.hpp"
#include "lab/run_store.hpp"
#include "support/folder.hpp"

namespace assay {
namespace {

/// Three episodes, and what each decision took.
struct FakeTest {
  std::vector<double> undiscounted;
  std::vector<double> discounted;
  double ms = 0;
};

class Planning : public test::TemporaryFolder {
 protected:
  /// With these problems, and all else as in planning.toml.
  static std::unique_ptr<Experiment> experiment_on(const std::string& problems) {
    return experiments::make_experiment(
        "kind = \"simulations\"\nname = \"planning\"\ntest_seed = 7\n"
        "searches = [\"pcr_search\", \"bamcp\"]\n"
        "references = [\"thompson\", \"bayes_greedy\", \"beb\", \"random\"]\nceiling = \"oracle\"\n" +
            problems,
        "planning.toml", {});
  }
  static std::unique_ptr<Experiment> planning() {
    return experiment_on(
        "[[problems]]\nproblem = \"bandit(arms=2,horizon=4)\"\ntest_episodes = 3\n"
        "simulations = { bamcp = [10, 20], pcr_search = [5] }\nlearned = [\"pcr\", \"td\"]\n"
        "[[problems]]\nproblem = \"bbrl_chain(horizon=6)\"\ntest_episodes = 3\nscore = \"discounted\"\n"
        "simulations = { bamcp = [10, 15], pcr_search = [5] }\n");
  }
  /// By method as in labels; all others earn 0 in no time to speak of.
  static std::map<std::string, FakeTest> fakes() {
    return {{"pcr_search, 5", {{1, 2, 3}, {10, 20, 40}, 2}},
            {"bamcp, 10", {{0, 0, 3}, {10, 20, 30}, 1}},
            {"bamcp, 20", {{1, 0, 2}, {0, 0, 0}, 4}},
            {"bamcp, 15", {{9, 9, 9}, {0, 0, 0}, 1.5}},
            {"pcr", {{2, 3, 4}, {0, 0, 0}, 0.5}},
            {"td", {{1, 3, 2}, {0, 0, 0}, 0.5}},
            {"oracle", {{4, 5, 7.5}, {50, 60, 70}, 0.25}}};
  }
  static std::string label_of(const assay::Run& run) {
    const Spec spec = parse_spec(run.method->name());
    for (const Spec::Setting& s : spec.settings) {
      if (s.key == "simulations") return spec.name + ", " + s.value;
    }
    return spec.name;
  }
  /// Finishes the run as if it had been made, `slower` times as slow.
  static void fake(RunStore& store, const assay::Run& run, double slower) {
    const auto all = fakes();
    const auto found = all.find(label_of(run));
    const FakeTest test = found == all.end() ? FakeTest{{0, 0, 0}, {0, 0, 0}, 0.001} : found->second;
    std::vector<EpisodeRecord> episodes;
    for (int i = 0; i < 3; ++i) {
      const auto at = static_cast<std::size_t>(i);
      episodes.push_back({i, test.undiscounted[at], test.discounted[at]});
    }
    constexpr std::int64_t kDecisions = 12;
    store.finish(store.add(run.settings(), {}), {}, episodes, "", 0, 99,
                 {slower * test.ms * kDecisions / 1000, kDecisions});
  }
  [[nodiscard]] RunStore store_of(const Experiment& experiment, const std::string& name,
                                  double slower = 1) const {
    RunStore store(folder_ / name, RunStore::Mode::kReadWrite);
    for (const assay::Run& run : experiment.runs()) fake(store, run, slower);
    return store;
  }
  static void expect_in(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in\n" << text;
  }
};

TEST_F(Planning, RunsEveryMethodOnTheSameEpisodes) {
  const auto experiment = planning();
  ASSERT_EQ(experiment->runs().size(), 3U + 2 + 5 + 3 + 5);
  for (const assay::Run& run : experiment->runs()) {
    EXPECT_EQ(run.episodes, 3);
    EXPECT_EQ(run.test_seed, experiment->runs().front().test_seed);
  }
}

// Of 1, 2, 3: standard deviation 1, so 2 +- t / sqrt(3), with t = 4.302653 for 2 degrees of freedom: 2.484.
TEST_F(Planning, ReportsMeansWithTheirIntervals) {
  const auto experiment = planning();
  const RunStore store = store_of(*experiment, "s");
  const std::string text = experiment->report(store);
  expect_in(text, "bandit(arms=2,horizon=4): undiscounted return of 3 episodes");
  expect_in(text, "  pcr_search              5  2.000  [-0.484, 4.484]\n");
  expect_in(text, "  bamcp                  20  1.000  [-1.484, 3.484]\n");
  expect_in(text, "Ceiling, with full information: 5.500.\n");
  // The same three of the other problem are scored by their discounted returns.
  expect_in(text, "bbrl_chain(horizon=6): discounted return of 3 episodes");
  expect_in(text, "  pcr_search              5  23.333  [-14.612, 61.279]\n");
  expect_in(text, "Ceiling, with full information: 60.000.\n");
}

// Differences 0, -1, 1 of td and -1, -1, -1 of pcr, which would be seen as more than 4 wide if not in pairs.
TEST_F(Planning, ComparesTheLargestSearchWithWhatWasLearned) {
  const auto experiment = planning();
  const RunStore store = store_of(*experiment, "s");
  expect_in(experiment->report(store),
            "Best learned policy: pcr, 3.000. pcr_search(5) minus the learned policies: pcr -1.000 [-1.000, "
            "-1.000]; td +0.000 [-2.484, +2.484].\n");
}

// On the bandit bamcp(20) is the first that takes 2 ms or more; differences 0, 2, 1. On the chain both are
// faster: the slower of them, bamcp(15), discounted: 10, 20, 40.
TEST_F(Planning, ComparesAtEqualTimeInPairs) {
  const auto experiment = planning();
  const RunStore store = store_of(*experiment, "s");
  const std::string text = experiment->report(store, 0, true);
  expect_in(text, "  pcr_search              5  2.000  [-0.484, 4.484]            2.000\n");
  expect_in(text,
            "At equal time: pcr_search(5) (2.000 ms) minus bamcp(20) (4.000 ms) +1.000 [-1.484, +3.484]\n");
  expect_in(
      text,
      "At equal time: pcr_search(5) (2.000 ms) minus bamcp(15) (1.500 ms, the slowest there is) +23.333 "
      "[-14.612, +61.279]\n");
}

TEST_F(Planning, OnlyTheTimedReportDependsOnTimes) {
  const auto experiment = planning();
  const RunStore fast = store_of(*experiment, "fast");
  const RunStore slow = store_of(*experiment, "slow", 3);
  EXPECT_EQ(experiment->report(fast), experiment->report(slow));
  EXPECT_NE(experiment->report(fast, 0, true), experiment->report(slow, 0, true));
  EXPECT_EQ(experiment->report(fast).find(" ms"), std::string::npos);
}

TEST_F(Planning, FindingsAreMethodsByProblemsWithHolesForWhatIsNotDone) {
  const auto experiment = planning();
  RunStore store(folder_ / "s", RunStore::Mode::kReadWrite);
  fake(store, experiment->runs().front(), 1);
  const Findings found = experiment->findings(store);
  ASSERT_EQ(found.tables.size(), 1U);
  const ResultTable& table = found.tables.front();
  EXPECT_EQ(table.columns,
            (std::vector<std::string>{"bandit(arms=2,horizon=4)", "bbrl_chain(horizon=6), discounted"}));
  std::vector<std::string> labels;
  for (const ResultRow& row : table.rows) labels.push_back(row.label);
  EXPECT_EQ(labels, (std::vector<std::string>{"pcr_search, 5 simulations", "bamcp, 10 simulations",
                                              "bamcp, 15 simulations", "bamcp, 20 simulations", "pcr", "td",
                                              "thompson", "bayes_greedy", "beb", "random", "oracle"}));
  ASSERT_TRUE(table.rows[0].cells[0].has_value());
  EXPECT_DOUBLE_EQ(table.rows[0].cells[0]->mean, 2);
  EXPECT_NEAR(table.rows[0].cells[0]->standard_error, 0.57735, 1e-5);
  EXPECT_EQ(table.rows[0].cells[0]->count, 3);
  EXPECT_FALSE(table.rows[0].cells[1].has_value());
  EXPECT_FALSE(table.rows[2].cells[0].has_value());
}

TEST_F(Planning, SaysWhatCannotBeUsed) {
  const auto experiment = experiment_on(
      "[[problems]]\nproblem = \"bbrl_chain(horizon=6)\"\ntest_episodes = 3\nscore = \"discounted\"\n"
      "simulations = { bamcp = [10], pcr_search = [5] }\nlearned = [\"td\", \"vi_greedy\"]\n");
  for (const assay::Run& run : experiment->runs()) EXPECT_NE(label_of(run), "vi_greedy");
  const RunStore store = store_of(*experiment, "s");
  expect_in(experiment->report(store), "\nvi_greedy cannot be used here: ");
}

TEST(PlanningTime, TheFastestThatIsNotFaster) {
  using Times = std::vector<std::optional<double>>;
  using experiments::equal_time_choice;
  EXPECT_EQ(equal_time_choice(2, Times{1, 4, 3, 9}), 2U);
  EXPECT_EQ(equal_time_choice(3, Times{1, 4, 3, 9}), 2U) << "as fast will do";
  EXPECT_EQ(equal_time_choice(10, Times{1, 4, 9, 3}), 2U) << "none is as slow: the slowest";
  EXPECT_EQ(equal_time_choice(2, Times{std::nullopt, 4, std::nullopt}), 1U);
  EXPECT_EQ(equal_time_choice(2, Times{std::nullopt}), std::nullopt);
  EXPECT_EQ(equal_time_choice(2, Times{}), std::nullopt);
}

}  // namespace
}  // namespace assay
