// What a store keeps of tests: their times, and episodes on the way. Its second version, and how the first
// gets there.
#include <gtest/gtest.h>

#include "assay/core/bytes.hpp"
#include "assay/core/error.hpp"
#include "assay/lab/atomic_file.hpp"
#include "assay/lab/database.hpp"
#include "assay/lab/run_store.hpp"
#include "support/complaint.hpp"
#include "support/folder.hpp"

namespace assay {
namespace {

using test::complaint;
using test::contains;

const RunSettings kTimedSettings{"t_maze(arm=2,distance=3)", "random", 5, 2, 9};
const std::vector<EpisodeRecord> kTimedEpisodes = {{0, 1.5, 0.75}, {1, -2, -1e-3}};

class TimedStores : public test::TemporaryFolder {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return folder_ / "assay.db"; }
  [[nodiscard]] RunStore open(RunStore::Mode mode = RunStore::Mode::kReadWrite) const {
    return {folder_, mode};
  }
  /// What someone with the sqlite3 program could do.
  void by_hand(const std::string& sql) const {
    Database(file(), run_database_kind(), Database::Mode::kReadWrite).run(sql);
  }
};

TEST_F(TimedStores, KeepWhatATestTookAndTheEpisodesOnTheWay) {
  RunStore store = open();
  const RunStore::Id id = store.add(kTimedSettings, {});
  EXPECT_FALSE(store.test_time(id).has_value());
  EXPECT_TRUE(store.tested(id).empty());
  store.save_tested(id, std::vector{kTimedEpisodes[1]}, {0.5, 10});
  EXPECT_EQ(store.tested(id), std::vector{kTimedEpisodes[1]});
  EXPECT_TRUE(store.episodes(id).empty()) << "these are of finished runs";
  EXPECT_TRUE(contains(complaint<UsageError>([&] {
                         store.save_tested(id, std::vector{kTimedEpisodes[1]}, {9, 9});
                       }),
                       "refuses"));
  EXPECT_EQ(store.test_time(id), (TestTime{0.5, 10})) << "nothing of what was refused";
  store.finish(id, {}, kTimedEpisodes, "", 0, 1, {0.25, 4});
  EXPECT_EQ(store.test_time(id), (TestTime{0.75, 14}));
  EXPECT_TRUE(store.tested(id).empty());
  EXPECT_EQ(store.episodes(id), kTimedEpisodes);
  EXPECT_TRUE(contains(complaint<UsageError>([&] { store.save_tested(id, {}, {1, 1}); }), "never changed"));
  EXPECT_TRUE(contains(complaint<UsageError>([&] { by_hand("UPDATE test_times SET seconds = 0"); }),
                       "never changed"));
}

TEST_F(TimedStores, EpisodesThatATestCannotHaveAreDamage) {
  RunStore store = open();
  const RunStore::Id id = store.add(kTimedSettings, {});
  store.save_tested(id, std::vector<EpisodeRecord>{{2, 0, 0}}, {});
  EXPECT_TRUE(contains(complaint<CorruptError>([&] { (void)store.tested(id); }), "episode 2 of 2"));
}

TEST_F(TimedStores, OfTheVersionBeforeAreReadAsTheyAreAndGetWhatTheyLack) {
  const DatabaseKind& now = run_database_kind();
  const DatabaseKind before{now.application_id, 1,
                            now.schema.substr(0, now.schema.size() - now.added.size())};
  Database::create(file(), before);
  Database(file(), before, Database::Mode::kReadWrite)
      .run("INSERT INTO runs VALUES(1, 'f', 'm', 5, 2, 9, '', '', '', '', '', 0, NULL, NULL)");
  const std::string bytes = read_file(file());
  {
    const RunStore old = open(RunStore::Mode::kReadOnly);
    EXPECT_EQ(old.settings(1).family, "f");
    EXPECT_FALSE(old.test_time(1).has_value());
    EXPECT_TRUE(old.tested(1).empty());
  }
  EXPECT_EQ(read_file(file()), bytes);
  {
    RunStore store = open();
    store.save_tested(1, std::vector{kTimedEpisodes[0]}, {0.5, 10});
  }
  const RunStore store = open(RunStore::Mode::kReadOnly);
  EXPECT_EQ(store.settings(1).family, "f");
  EXPECT_EQ(store.test_time(1), (TestTime{0.5, 10}));
  EXPECT_EQ(Database(file(), now, Database::Mode::kReadOnly).version(), 2U);
}

TEST_F(TimedStores, ANumberOfTheVersionBeforeOnNewTablesIsDamage) {
  { const RunStore store = open(); }
  by_hand("PRAGMA user_version=1");
  const std::string bytes = read_file(file());
  EXPECT_TRUE(contains(complaint<CorruptError>([&] { (void)open(); }), "already exists"));
  EXPECT_EQ(read_file(file()), bytes);
}

}  // namespace
}  // namespace assay
