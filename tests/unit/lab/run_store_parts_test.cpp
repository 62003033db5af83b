// What a store keeps in several rows: states that are too long for one, and what repeated episodes earned.
#include <gtest/gtest.h>

#include <sstream>

#include "assay/lab/evaluation.hpp"
#include "assay/problem/registry.hpp"
#include "core/bytes.hpp"
#include "lab/atomic_file.hpp"
#include "lab/database.hpp"
#include "lab/run_export.hpp"
#include "lab/run_store.hpp"
#include "source_dir.hpp"
#include "support/cli.hpp"
#include "support/folder.hpp"

namespace assay {
namespace {

using RunStoreParts = test::TemporaryFolder;

const RunSettings kParted{"bandit", "m", 1, 2, 0};
const std::vector<EpisodeRecord> kRepeated = {{0, 3, 3, {1, 2}}, {1, -1, -1, {-1.5, 0.5}}};
const std::string kRepeatedProblem = ASSAY_SOURCE_DIR "/examples/problems/goal_search_episodes.toml";

TEST_F(RunStoreParts, GiveBackTheWholeState) {
  RunStore store(at("a"), RunStore::Mode::kReadWrite, 4);
  const RunStore::Id id = store.add(kParted, {});
  int epochs = 0;
  // Longer, shorter, as long as parts are, and empty: nothing of the state before may stay.
  for (const char* state : {"0123456789", "abcde", "abcd", "", "abcdefgh"}) {
    store.save_progress(id, std::vector<EpochRecord>{{epochs, 0, 0}}, {epochs + 1, state});
    ++epochs;
    EXPECT_EQ(store.checkpoint(id)->state, state);
  }
  store.finish(id, {}, kRepeated, "policy of 21 letters.", epochs, 1);
  EXPECT_EQ(store.policy_state(id), "policy of 21 letters.");
  EXPECT_EQ(RunStore(at("a"), RunStore::Mode::kReadOnly).policy_state(id), "policy of 21 letters.")
      << "whatever the parts of the reader are";
}

TEST_F(RunStoreParts, ThatAreMissingAreNoticed) {
  {
    RunStore store(at("a"), RunStore::Mode::kReadWrite, 4);
    const RunStore::Id id = store.add(kParted, {});
    store.save_progress(id, std::vector<EpochRecord>{{0, 0, 0}}, {1, "0123456789"});
  }
  Database(at("a/assay.db"), run_database_kind(), Database::Mode::kReadWrite)
      .run("DELETE FROM state_parts WHERE part = 1");
  const RunStore store(at("a"), RunStore::Mode::kReadOnly);
  EXPECT_THROW((void)store.checkpoint(1), CorruptError);
}

TEST_F(RunStoreParts, OfFinishedRunsAreNeverChanged) {
  {
    RunStore store(at("a"), RunStore::Mode::kReadWrite, 4);
    store.finish(store.add(kParted, {}), {}, kRepeated, "0123456789", 0, 1);
  }
  const Database database(at("a/assay.db"), run_database_kind(), Database::Mode::kReadWrite);
  for (const char* table : {"state_parts", "repeats"}) {
    EXPECT_THROW(database.run(std::string("DELETE FROM ") + table), UsageError) << table;
  }
}

TEST_F(RunStoreParts, RepeatedEpisodesComeBackFromTestedAndFinishedRuns) {
  RunStore store(at("a"), RunStore::Mode::kReadWrite);
  const RunStore::Id id = store.add(kParted, {});
  store.save_tested(id, std::span(kRepeated).subspan(1), {});
  ASSERT_EQ(store.tested(id).size(), 1U);
  EXPECT_EQ(store.tested(id)[0], kRepeated[1]);
  store.finish(id, {}, kRepeated, "", 0, 1);
  EXPECT_EQ(store.episodes(id), kRepeated);
  export_runs(store, at("out"));
  const std::string csv = read_file(at("out/episodes.csv"));
  EXPECT_NE(csv.find("test_seed,episode,undiscounted,discounted,repeated\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",0,3,3,1 2\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",1,-1,-1,-1.5 0.5\n"), std::string::npos) << csv;
}

TEST_F(RunStoreParts, RepeatedEpisodesArePartOfTheChecksum) {
  {
    RunStore store(at("a"), RunStore::Mode::kReadWrite);
    store.save_tested(store.add(kParted, {}), kRepeated, {});
  }
  Database(at("a/assay.db"), run_database_kind(), Database::Mode::kReadWrite)
      .run("UPDATE repeats SET undiscounted = 7 WHERE episode = 1 AND repeat = 0");
  const RunStore store(at("a"), RunStore::Mode::kReadOnly);
  EXPECT_THROW((void)store.tested(1), CorruptError);
}

TEST_F(RunStoreParts, RepeatedEpisodesAreWhatTheirStepsEarned) {
  const auto result = test::call({"run", kRepeatedProblem, "--method", "vi_thompson", "--episodes", "6",
                                  "--test-seed", "3", "--out", at("a")});
  ASSERT_EQ(result.code, 0) << result.err;
  const RunStore store(at("a"), RunStore::Mode::kReadOnly);
  const std::vector<EpisodeRecord> episodes = store.episodes(store.runs().front());
  const std::unique_ptr<Problem> problem = make_problem(kRepeatedProblem);
  const auto policy = make_method("vi_thompson")->policy(*problem, "", 1);
  for (const EpisodeRecord& episode : episodes) {
    ASSERT_EQ(episode.repeated.size(), 2U);
    // Step by step: the first 15 are the first episode.
    std::vector<double> due(2);
    const auto add = [&](const Situation&, const StepRecord& step) {
      due[step.step < 15 ? 0 : 1] += step.arrival.reward + step.outcome.reward;
    };
    play_episode(*problem, *policy->clone(), test_episode_rng(3, episode.episode), {.acted = add});
    EXPECT_EQ(episode.repeated, due);
    EXPECT_NEAR(due[0] + due[1], episode.undiscounted, 1e-12);
  }
  EXPECT_EQ(problem->outline().repeats, 2);
  EXPECT_EQ(make_problem("t_maze")->outline().repeats, 1);
}

}  // namespace
}  // namespace assay
