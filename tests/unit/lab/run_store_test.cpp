#include "lab/run_store.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "assay/core/error.hpp"
#include "core/bytes.hpp"
#include "lab/atomic_file.hpp"
#include "lab/database.hpp"
#include "lab/run_export.hpp"
#include "support/complaint.hpp"

namespace assay {
namespace {

using test::complaint;
using test::contains;

namespace fs = std::filesystem;
using Mode = RunStore::Mode;

const RunSettings kSettings{"t_maze(arm=2,distance=3)", "random", 5, 2, 9};
const RunContext kContext{"0.1.0", "585857d", "vm", "avx2", "0123456789abcdef"};
const std::vector<EpisodeRecord> kEpisodes = {{0, 1.5, 0.75}, {1, -2, -1e-3}};

std::vector<EpochRecord> epochs_between(int first, int end) {
  std::vector<EpochRecord> records;
  for (int e = first; e < end; ++e) records.push_back({e, 0.1 * e, 1.0 / (1 + e)});
  return records;
}

class RunStores : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("assay-store-" + std::to_string(::getpid()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] fs::path file() const { return folder_ / "assay.db"; }
  RunStore open(Mode mode = Mode::kReadWrite) const { return {folder_, mode}; }

  /// What someone with the sqlite3 program could do.
  void by_hand(const std::string& sql) const {
    Database(file(), run_database_kind(), Database::Mode::kReadWrite).run(sql);
  }

  fs::path folder_;
};

TEST_F(RunStores, ComeBackAsTheyWentIn) {
  {
    RunStore store = open();
    const RunStore::Id id = store.add(kSettings, kContext);
    EXPECT_EQ(store.checkpoint(id), std::nullopt);
    store.save_progress(id, epochs_between(0, 3), {3, std::string("a\0b", 3)});
    store.save_progress(id, epochs_between(3, 3), {3, "again"});
    store.save_progress(id, epochs_between(3, 5), {5, ""});
    EXPECT_EQ(store.unfinished(), 1);
  }
  RunStore store = open();
  const RunStore::Id id = store.find(kSettings).value();
  EXPECT_EQ(store.settings(id), kSettings);
  EXPECT_EQ(store.context(id), kContext);
  EXPECT_EQ(store.checkpoint(id), (Checkpoint{5, ""}));
  EXPECT_EQ(store.epochs(id), epochs_between(0, 5));
  EXPECT_EQ(store.episodes(id), std::vector<EpisodeRecord>());
  EXPECT_EQ(store.policy_state(id), std::nullopt);
  EXPECT_EQ(store.seconds(id), 0);
  EXPECT_FALSE(store.finished(id));

  store.finish(id, epochs_between(5, 6), kEpisodes, std::string_view("\0p", 2), 6, 1.25);
  const auto check = [&](const RunStore& s) {
    EXPECT_TRUE(s.finished(id));
    EXPECT_EQ(s.checkpoint(id), std::nullopt);
    EXPECT_EQ(s.epochs(id), epochs_between(0, 6));
    EXPECT_EQ(s.episodes(id), kEpisodes);
    EXPECT_EQ(s.policy_state(id), std::string("\0p", 2));
    EXPECT_EQ(s.seconds(id), 1.25);
    EXPECT_EQ(s.unfinished(), 0);
  };
  check(store);
  check(open(Mode::kReadOnly));
}

TEST_F(RunStores, KeepNumbersThatAreHardToKeep) {
  RunStore store = open();
  RunSettings settings = kSettings;
  settings.seed = ~std::uint64_t{0};
  settings.test_seed = std::uint64_t{1} << 63U;
  settings.episodes = 3;
  const RunStore::Id id = store.add(settings, {});
  EXPECT_EQ(store.settings(id), settings);
  EXPECT_EQ(store.find(settings), id);
  const std::vector<EpisodeRecord> episodes = {
      {0, 0.1 + 0.2, 5e-324}, {1, INFINITY, -INFINITY}, {2, std::numeric_limits<double>::max(), -1.0 / 3}};
  const std::vector<EpochRecord> epochs = {{0, NAN, -NAN}};
  store.finish(id, epochs, episodes, "", 1, 0);
  EXPECT_EQ(store.episodes(id), episodes);
  EXPECT_TRUE(std::isnan(store.epochs(id).at(0).mean_return) && std::isnan(store.epochs(id).at(0).loss));
  EXPECT_EQ(store.policy_state(id), "");
}

TEST_F(RunStores, ARunIsAllOfItsSettings) {
  RunStore store = open();
  const RunStore::Id id = store.add(kSettings, kContext);
  EXPECT_EQ(store.add(kSettings, {"other", "", "", "", ""}), id);
  EXPECT_EQ(store.context(id), kContext);
  std::vector<RunSettings> others(5, kSettings);
  others[0].family += "x";
  others[1].method += "x";
  others[2].seed += 1;
  others[3].episodes += 1;
  others[4].test_seed += 1;
  for (const RunSettings& other : others) {
    EXPECT_EQ(store.find(other), std::nullopt);
    EXPECT_NE(store.add(other, kContext), id);
    EXPECT_EQ(store.settings(store.find(other).value()), other);
  }
  EXPECT_EQ(store.runs().size(), 6U);
  EXPECT_EQ(store.runs().front(), id);
  EXPECT_EQ(store.unfinished(), 6);
}

TEST_F(RunStores, RefuseWhatDoesNotFit) {
  RunStore store = open();
  const RunStore::Id id = store.add(kSettings, kContext);
  store.save_progress(id, epochs_between(0, 2), {2, "two"});
  const auto refused = [&](const std::function<void()>& attempt, const std::string& part) {
    const std::string said = complaint(attempt);
    EXPECT_TRUE(contains(said, part)) << said;
    EXPECT_EQ(store.epochs(id), epochs_between(0, 2));  // undone as a whole
    EXPECT_EQ(store.checkpoint(id), (Checkpoint{2, "two"}));
    EXPECT_FALSE(store.finished(id));
  };
  refused(
      [&] {
        store.save_progress(id, epochs_between(0, 2), {2, "x"});
      },
      "epoch 0 was given where 2 should follow");
  refused(
      [&] {
        store.save_progress(id, epochs_between(3, 4), {4, "x"});
      },
      "epoch 3 was given where 2 should follow");
  refused([&] { store.save_progress(id, epochs_between(2, 4), {5, "x"}); }, "4 epochs are known, but 5");
  refused([&] { store.finish(id, epochs_between(2, 4), kEpisodes, "p", 5, 1); }, "4 epochs are known, but 5");
  refused([&] { store.finish(id, epochs_between(2, 4), {}, "p", 4, 1); },
          "0 episodes were given, its settings say 2");
  const std::vector<EpisodeRecord> misnumbered = {{0, 1, 1}, {2, 1, 1}};
  refused([&] { store.finish(id, {}, misnumbered, "p", 2, 1); }, "episode 2 was given where 1 should follow");
  refused([&] { store.save_progress(77, {}, {0, "x"}); }, "there is no run 77 in " + folder_.string());
  refused([&] { (void)store.settings(77); }, "there is no run 77");
  refused([&] { (void)store.checkpoint(77); }, "there is no run 77");
  refused([&] { (void)store.epochs(77); }, "there is no run 77");
  refused([&] { store.add({"", "m", 1, 1, 1}, {}); }, "needs a family");
  refused([&] { store.add({"f", "m", 1, -1, 1}, {}); }, "-1 episodes");
}

TEST_F(RunStores, AFinishedRunIsNeverChanged) {
  {
    RunStore store = open();
    const RunStore::Id id = store.add(kSettings, kContext);
    store.finish(id, epochs_between(0, 2), kEpisodes, "p", 2, 1);
    EXPECT_EQ(store.add(kSettings, {}), id);
    EXPECT_TRUE(contains(complaint([&] { store.finish(id, {}, kEpisodes, "q", 2, 1); }), "is finished"));
    EXPECT_TRUE(contains(complaint([&] { store.save_progress(id, {}, {2, "x"}); }), "is finished"));
    store.add({"f", "m", 1, 1, 1}, {});  // run 2, not finished
  }
  const std::string before = read_file(file());
  const std::string run = "'" + kSettings.family + "', 'random', 5, 2, 9, '', '', '', '', '', 0, 0, 0";
  for (const std::string& sql : std::vector<std::string>{
           "UPDATE runs SET finished = 0 WHERE id = 1", "UPDATE runs SET seconds = 2 WHERE id = 1",
           "DELETE FROM runs WHERE id = 1",
           "INSERT OR REPLACE INTO runs VALUES(1, 'f', 'x', 1, 1, 1" + run.substr(run.find(", '', ''")) + ")",
           "INSERT OR REPLACE INTO runs VALUES(9, " + run + ")",
           "UPDATE OR REPLACE epochs SET run = 1, epoch = 0", "UPDATE epochs SET loss = 0 WHERE run = 1",
           "DELETE FROM epochs", "DELETE FROM episodes", "DELETE FROM policies",
           "INSERT INTO epochs VALUES(1, 2, 0, 0)", "INSERT OR REPLACE INTO epochs VALUES(1, 0, 0, 0)",
           "INSERT OR REPLACE INTO policies VALUES(1, x'00', 0)", "UPDATE policies SET state = x'00'",
           "INSERT INTO episodes VALUES(1, 2, 0, 0)", "UPDATE episodes SET run = 2",
           "INSERT INTO checkpoints VALUES(1, 2, x'00', 0)"}) {
    EXPECT_TRUE(contains(complaint([&] { by_hand(sql); }), "a finished run is never changed")) << sql;
  }
  EXPECT_EQ(read_file(file()), before);
  by_hand("DELETE FROM runs WHERE id = 2");  // what is not finished may go
}

TEST_F(RunStores, ReadingDoesNotNeedOrTakeTheLock) {
  EXPECT_TRUE(
      contains(complaint([&] { open(Mode::kReadOnly); }), "there are no runs in " + folder_.string()));
  EXPECT_FALSE(fs::exists(folder_));
  RunStore writer = open();
  const RunStore::Id id = writer.add(kSettings, kContext);
  RunStore reader = open(Mode::kReadOnly);
  EXPECT_TRUE(contains(complaint([&] { open(); }), "another assay is using the folder " + folder_.string()));
  for (const auto& write : std::vector<std::function<void()>>{
           [&] { reader.add(kSettings, {}); },
           [&] {
             reader.save_progress(id, {}, {0, ""});
           },
           [&] { reader.finish(id, {}, kEpisodes, "", 0, 0); }, [&] { reader.put_artifact("a", "b"); }}) {
    EXPECT_TRUE(contains(complaint(write), "for reading only"));
  }
  writer.save_progress(id, epochs_between(0, 1), {1, "one"});
  EXPECT_EQ(reader.checkpoint(id), (Checkpoint{1, "one"}));
  RunStore moved = std::move(writer);
  EXPECT_NE(complaint([&] { open(); }), "");
}

TEST_F(RunStores, FoldersThatCannotBe) {
  for (const Mode mode : {Mode::kReadOnly, Mode::kReadWrite}) {
    const fs::path too_long = folder_ / std::string(300, 'x');
    EXPECT_TRUE(contains(complaint([&] { RunStore(too_long, mode); }), too_long.string()));
    fs::create_directories(folder_);
    write_file(folder_ / "file", "x");
    EXPECT_TRUE(contains(complaint([&] { RunStore(folder_ / "file", mode); }), (folder_ / "file").string()));
  }
  const RunStore below(folder_ / "several" / "new" / "ones", Mode::kReadWrite);
  EXPECT_EQ(below.folder(), folder_ / "several" / "new" / "ones");
  EXPECT_TRUE(below.runs().empty());
}

TEST_F(RunStores, AChangedSchemaIsSeen) {
  const auto said_after = [&](const std::string& sql) {
    fs::remove(file());
    (void)open();
    by_hand(sql);
    return complaint<CorruptError>([&] { open(Mode::kReadOnly); });
  };
  EXPECT_TRUE(contains(said_after("DROP TRIGGER epochs_update"),
                       "assay.db is damaged (the trigger epochs_update is not as assay made it)"));
  EXPECT_TRUE(contains(said_after("ALTER TABLE runs RENAME COLUMN seed TO sead"), "is not as assay made it"));
  EXPECT_EQ(said_after("CREATE TABLE notes(text TEXT)"), "");  // one's own tables do no harm
}

TEST_F(RunStores, Artifacts) {
  RunStore store = open();
  EXPECT_EQ(store.artifact("table1"), std::nullopt);
  store.put_artifact("table1", "a\tb\n");
  store.put_artifact("empty", "");
  EXPECT_EQ(store.artifact("table1"), "a\tb\n");
  EXPECT_EQ(store.artifact("empty"), "");
  EXPECT_EQ(store.artifacts(), (std::vector<std::string>{"empty", "table1"}));
  const std::string before = read_file(file());
  store.put_artifact("table1", "a\tb\n");
  EXPECT_EQ(read_file(file()), before);  // not even the change counter
  store.put_artifact("table1", "c");
  EXPECT_EQ(store.artifact("table1"), "c");
}

TEST_F(RunStores, ThreadsShareAStore) {
  constexpr int kThreads = 4;
  RunStore store = open();
  std::vector<std::jthread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&store, t] {
      for (std::uint64_t seed = 0; seed < 4; ++seed) {
        RunSettings settings = kSettings;
        settings.seed = seed;
        settings.test_seed = static_cast<std::uint64_t>(t / 2);  // two threads ask for each run
        const RunStore::Id id = store.add(settings, kContext);
        if (t % 2 != 0) {
          store.put_artifact("t" + std::to_string(t), std::to_string(seed));
          continue;
        }
        store.save_progress(id, epochs_between(0, 3), {3, "state"});
        store.in_one_view([&] { EXPECT_EQ(store.epochs(id).size(), 3U); });
        store.finish(id, {}, kEpisodes, "policy", 3, 1);
      }
    });
  }
  threads.clear();
  EXPECT_EQ(store.runs().size(), 8U);
  EXPECT_EQ(store.unfinished(), 0);
  for (const RunStore::Id id : store.runs()) EXPECT_EQ(store.episodes(id), kEpisodes);
}

// --- Exports

using RunExports = RunStores;

TEST_F(RunExports, HoldEveryNumberInItsShortestForm) {
  RunStore store = open();
  const RunStore::Id done = store.add(kSettings, kContext);
  const RunStore::Id begun = store.add({"bandit", "say \"hi\",\nplease", 1, 1, 0}, {});
  store.finish(done, epochs_between(0, 2), kEpisodes, "p", 2, 77.5);
  const std::vector<EpochRecord> odd = {{0, NAN, INFINITY}};
  store.save_progress(begun, odd, {1, "s"});
  const fs::path out = folder_ / "new" / "out";
  export_runs(store, out);
  const std::string quoted = "bandit,\"say \"\"hi\"\",\nplease\",1,1,0";
  const std::string maze = "\"t_maze(arm=2,distance=3)\",random,5,2,9";
  const std::string keys = "family,method,seed,episodes,test_seed,";
  // Mean of 1.5 and -2; deviations 1.75, so standard error 1.75 sqrt(2)/sqrt(1)/sqrt(2) = 1.75. Of 0.75 and
  // -0.001: deviations 0.3755.
  EXPECT_EQ(read_file(out / "runs.csv"),
            keys + "finished,epochs,mean_undiscounted,standard_error,mean_discounted," +
                "standard_error_discounted\n" + quoted + ",0,1,,,,\n" + maze +
                ",1,2,-0.25,1.75,0.3745,0.3755\n");
  EXPECT_EQ(read_file(out / "epochs.csv"), keys + "epoch,mean_return,loss\n" + quoted + ",0,,inf\n" + maze +
                                               ",0,0,1\n" + maze + ",1,0.1,0.5\n");
  EXPECT_EQ(read_file(out / "episodes.csv"), keys + "episode,undiscounted,discounted,repeated\n" + maze +
                                                 ",0,1.5,0.75,\n" + maze + ",1,-2,-0.001,\n");
  const auto runs = nlohmann::json::parse(read_file(out / "runs.json")).at("runs");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].at("method"), "say \"hi\",\nplease");
  EXPECT_TRUE(runs[0].at("mean_undiscounted").is_null());
  EXPECT_EQ(runs[1].at("finished"), true);
  EXPECT_EQ(runs[1].at("mean_discounted"), 0.3745);
  EXPECT_EQ(runs[1].at("context").at("commit"), "585857d");
  EXPECT_FALSE(contains(read_file(out / "runs.json"), "77.5"));
  EXPECT_EQ(std::distance(fs::directory_iterator(out), fs::directory_iterator()), 4);
}

TEST_F(RunExports, DoNotDependOnOrderTimeOrPlace) {
  std::vector<RunSettings> settings;
  for (const std::uint64_t seed : {std::uint64_t{2}, std::uint64_t{10}, ~std::uint64_t{0}}) {
    for (const char* family : {"b", "a"}) settings.push_back({family, "m", seed, 2, 0});
  }
  const auto exported = [&](bool backwards, const RunContext& context) {
    const fs::path here = folder_ / (backwards ? "backwards" : "forwards");
    RunStore store(here, Mode::kReadWrite);
    std::vector<RunSettings> order = settings;
    if (backwards) std::reverse(order.begin(), order.end());
    for (const RunSettings& s : order) store.add(s, context);
    for (const RunSettings& s : settings) {
      const RunStore::Id id = store.find(s).value();
      if (backwards) store.save_progress(id, epochs_between(0, 1), {1, "x"});
      store.finish(id, epochs_between(backwards ? 1 : 0, 3), kEpisodes, "p", 3, backwards ? 1.0 : 2.0);
    }
    export_runs(store, here);
    export_runs(store, here);  // in the place of the first
    return read_file(here / "runs.csv") + read_file(here / "epochs.csv") + read_file(here / "episodes.csv");
  };
  const std::string forwards = exported(false, kContext);
  EXPECT_EQ(forwards, exported(true, {"elsewhere", "x", "y", "z", "s"}));
  EXPECT_LT(forwards.find("a,m,2,"), forwards.find("a,m,10,"));  // as numbers
  EXPECT_LT(forwards.find("a,m,10,"), forwards.find("a,m,18446744073709551615,"));
  EXPECT_LT(forwards.find("a,m,18446744073709551615,"), forwards.find("b,m,2,"));
}

TEST_F(RunExports, SurviveTextThatIsNotUtf8) {
  RunStore store = open();
  store.add({"f\xff", "m", 1, 0, 0}, {"\xc3", "", "", "", ""});
  export_runs(store, folder_);
  EXPECT_TRUE(contains(read_file(folder_ / "runs.csv"), "f\xff,m,1,0,0,0,0,,,,\n"));
  EXPECT_EQ(nlohmann::json::parse(read_file(folder_ / "runs.json")).at("runs").size(), 1U);
}

}  // namespace
}  // namespace assay
