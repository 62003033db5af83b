// Checksums of runs: whatever happens to the bytes of a store, what it gives out is what was stored, or an
// error. And how stores of older versions get them.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>

#include "assay/core/error.hpp"
#include "assay/core/rng.hpp"
#include "core/bytes.hpp"
#include "lab/atomic_file.hpp"
#include "lab/database.hpp"
#include "lab/run_export.hpp"
#include "lab/run_store.hpp"
#include "support/complaint.hpp"
#include "support/folder.hpp"

namespace assay {
namespace {

using test::complaint;
using test::contains;
using StoreMode = RunStore::Mode;

constexpr int kSummedEpisodes = 60;
constexpr double kMark = 1234.5678;  // found again among the bytes of the file

RunSettings summed_settings(std::uint64_t seed) {
  return {"t_maze(arm=2,distance=3)", "pcr(epochs=30)", seed, kSummedEpisodes, 9};
}

std::vector<EpochRecord> summed_epochs(int first, int end) {
  std::vector<EpochRecord> records;
  for (int e = first; e < end; ++e) records.push_back({e, std::sqrt(e + 0.5), e == 3 ? NAN : -0.0});
  return records;
}

std::vector<EpisodeRecord> summed_episodes(bool marked = false) {
  std::vector<EpisodeRecord> records;
  for (int e = 0; e < kSummedEpisodes; ++e) records.push_back({e, std::cos(e), 0.1 * e});
  if (marked) records[7].undiscounted = kMark;
  return records;
}

class SummedStores : public test::TemporaryFolder {
 protected:
  [[nodiscard]] std::filesystem::path file() const { return folder_ / "assay.db"; }
  [[nodiscard]] RunStore open(StoreMode mode = StoreMode::kReadWrite) const { return {folder_, mode}; }

  /// Two finished runs, one of which went on from a checkpoint and tested episodes, and one in progress.
  void fill() const {
    RunStore store = open();
    const RunContext context{"0.2.0", "585857d", "vm", "avx2", "0123456789abcdef"};
    const RunStore::Id first = store.add(summed_settings(1), context);
    store.save_progress(first, summed_epochs(0, 20), {20, "state"});
    store.save_tested(first, std::vector{summed_episodes()[5], summed_episodes()[2]}, {1, 10});
    store.finish(first, summed_epochs(20, 30), summed_episodes(true), "policy", 30, 1.5, {2, 20});
    store.finish(store.add(summed_settings(2), context), summed_epochs(0, 30), summed_episodes(), "policy",
                 30, 2.5);
    const RunStore::Id last = store.add(summed_settings(3), context);
    store.save_progress(last, summed_epochs(0, 10), {10, "state"});
    store.save_tested(last, std::vector{summed_episodes()[4]}, {1, 10});
  }

  /// All that is exported, as one text.
  [[nodiscard]] std::string exported() const {
    const std::filesystem::path to = folder_ / "exported";
    export_runs(open(StoreMode::kReadOnly), to);
    std::string all;
    for (const char* name : {"runs.csv", "epochs.csv", "episodes.csv", "runs.json"}) {
      all += read_file(to / name);
    }
    return all;
  }

  void put(const std::string& bytes) const {
    std::filesystem::remove(file());
    std::ofstream(file(), std::ios::binary | std::ios::trunc) << bytes;
  }
};

TEST_F(SummedStores, GiveOutWhatWasStoredOrAnErrorWhateverBytesChange) {
  fill();
  const std::string bytes = read_file(file());
  const std::string due = exported();
  Rng rng(20240229);
  int silent = 0;
  int noticed = 0;
  const int trials = 480;
  for (int trial = 0; trial < trials; ++trial) {
    std::string changed = bytes;
    // One byte, a few bytes, or a stretch, in turn; half of them where most of the rows are.
    const std::size_t length = trial % 3 == 0 ? 1 : trial % 3 == 1 ? 2 + rng.next64() % 7 : 64;
    const std::size_t room = changed.size() - length;
    const std::size_t place = trial % 2 == 0 ? rng.next64() % room : room / 4 + rng.next64() % (room / 2);
    for (std::size_t i = 0; i < length; ++i) {
      changed[place + i] = static_cast<char>(changed[place + i] ^ static_cast<char>(1 + rng.next64() % 255));
    }
    put(changed);
    try {
      silent += exported() == due ? 0 : 1;
    } catch (const Error&) {
      ++noticed;
    }
  }
  EXPECT_EQ(silent, 0);
  EXPECT_GT(noticed, trials / 4);
}

TEST_F(SummedStores, NameTheRunWhoseRowsAreNotWhatWasStored) {
  fill();
  std::string bytes = read_file(file());
  // SQLite stores doubles with the most significant byte first.
  std::string mark;
  for (int shift = 56; shift >= 0; shift -= 8) {
    mark += static_cast<char>(std::bit_cast<std::uint64_t>(kMark) >> static_cast<unsigned>(shift));
  }
  const std::size_t place = bytes.find(mark);
  ASSERT_NE(place, std::string::npos);
  bytes[place + 3] = static_cast<char>(bytes[place + 3] ^ 1);
  put(bytes);
  const RunStore store = open(StoreMode::kReadOnly);
  const std::string why = "the checksum of run 1, pcr(epochs=30) on t_maze(arm=2,distance=3) with seed 1,";
  for (const std::function<void()>& read : std::vector<std::function<void()>>{
           [&] { (void)store.episodes(1); }, [&] { (void)store.epochs(1); }, [&] { (void)store.settings(1); },
           [&] { (void)store.context(1); }, [&] { (void)store.finished(1); },
           [&] { (void)store.policy_state(1); }, [&] { (void)store.seconds(1); },
           [&] { (void)exported(); }}) {
    EXPECT_TRUE(contains(complaint<CorruptError>(read), why));
  }
  EXPECT_EQ(store.episodes(2).size(), std::size_t{kSummedEpisodes}) << "the others can be read";
  ASSERT_EQ(store.faults().size(), 1U);
  EXPECT_TRUE(contains(store.faults()[0], why)) << store.faults()[0];
}

// What is not finished yet would be finished with wrong numbers.
TEST_F(SummedStores, NoticeWhatHappensToUnfinishedRuns) {
  fill();
  const std::string bytes = read_file(file());
  for (const char* sql :
       {"UPDATE epochs SET loss = 1 WHERE run = 3 AND epoch = 2",
        "UPDATE tested SET discounted = 1 WHERE run = 3", "DELETE FROM tested WHERE run = 3",
        "UPDATE runs SET machine = 'x' WHERE id = 3", "UPDATE run_sums SET checksum = 1 WHERE run = 3",
        "INSERT INTO episodes VALUES(3, 0, 1, 1)"}) {
    put(bytes);
    Database(file(), run_database_kind(), Database::Mode::kReadWrite).run(sql);
    RunStore store = open();
    EXPECT_TRUE(contains(complaint<CorruptError>([&] { (void)store.tested(3); }), "the checksum of run 3"))
        << sql;
    EXPECT_TRUE(contains(complaint<CorruptError>(
                             [&] { store.finish(3, summed_epochs(10, 30), summed_episodes(), "", 30, 1); }),
                         "the checksum of run 3"))
        << sql;
  }
  put(bytes);
  Database(file(), run_database_kind(), Database::Mode::kReadWrite).run("DELETE FROM run_sums WHERE run = 3");
  EXPECT_TRUE(contains(complaint<CorruptError>([&] { (void)open().epochs(3); }), "run 3 has no checksum"));
  put(bytes);
  EXPECT_TRUE(open().faults().empty());
}

TEST_F(SummedStores, TheChecksumOfAFinishedRunIsNeverChanged) {
  fill();
  for (const char* sql :
       {"UPDATE run_sums SET checksum = 1 WHERE run = 1", "DELETE FROM run_sums WHERE run = 1",
        "INSERT OR REPLACE INTO run_sums VALUES(1, 1)", "UPDATE run_sums SET run = 1 WHERE run = 3"}) {
    const std::string said = complaint<UsageError>(
        [&] { Database(file(), run_database_kind(), Database::Mode::kReadWrite).run(sql); });
    EXPECT_TRUE(contains(said, "never changed")) << sql << said;
  }
}

/// Of the first versions of the schema.
DatabaseKind kind_of_version(std::size_t version) {
  DatabaseKind kind = run_database_kind();
  kind.versions.resize(version);
  return kind;
}

TEST_F(SummedStores, OfOlderVersionsAreReadAsTheyAreAndGetWhatTheyLack) {
  for (const std::size_t version : {1U, 2U}) {
    const DatabaseKind before = kind_of_version(version);
    std::filesystem::remove(file());
    Database::create(file(), before);
    {
      const Database old(file(), before, Database::Mode::kReadWrite);
      old.run(
          "INSERT INTO runs VALUES(1, 'f', 'm', 5, 2, 9, '', '', '', '', '', 0, NULL, NULL);"
          "INSERT INTO runs VALUES(2, 'f', 'n', 5, 1, 9, '', '', '', '', '', 0, NULL, NULL);"
          "INSERT INTO episodes VALUES(2, 0, 1.5, 1);"
          "UPDATE runs SET finished = 1, epochs = 0, seconds = 1 WHERE id = 2");
    }
    const std::string bytes = read_file(file());
    {
      const RunStore old = open(StoreMode::kReadOnly);
      EXPECT_EQ(old.settings(1).family, "f");
      EXPECT_EQ(old.episodes(2), (std::vector<EpisodeRecord>{{0, 1.5, 1}}));
      EXPECT_FALSE(old.test_time(1).has_value());
      EXPECT_TRUE(old.tested(1).empty());
      EXPECT_FALSE(old.has_sums());
    }
    EXPECT_EQ(read_file(file()), bytes);
    open().save_tested(1, std::vector{EpisodeRecord{0, 1, 1}}, {0.5, 10});
    const RunStore store = open(StoreMode::kReadOnly);
    EXPECT_TRUE(store.has_sums());
    EXPECT_EQ(store.settings(1).family, "f");
    EXPECT_EQ(store.test_time(1), (TestTime{0.5, 10}));
    EXPECT_EQ(store.episodes(2), (std::vector<EpisodeRecord>{{0, 1.5, 1}}));
    EXPECT_EQ(Database(file(), run_database_kind(), Database::Mode::kReadOnly).version(), 3U);
  }
}

// Or one byte would do away with the checksums.
TEST_F(SummedStores, ANumberOfAnOlderVersionOnNewTablesIsDamage) {
  { const RunStore store = open(); }
  for (const char* version : {"1", "2"}) {
    Database(file(), run_database_kind(), Database::Mode::kReadWrite)
        .run(std::string("PRAGMA user_version=") + version);
    const std::string bytes = read_file(file());
    for (const StoreMode mode : {StoreMode::kReadOnly, StoreMode::kReadWrite}) {
      const std::string said = complaint<CorruptError>([&] { (void)open(mode); });
      EXPECT_TRUE(contains(said, "is not as assay made it")) << said;
    }
    EXPECT_EQ(read_file(file()), bytes);
    std::filesystem::remove(file());
    { const RunStore store = open(); }
  }
}

// SQLite would read the pages that it holds in place of those of the store.
TEST_F(SummedStores, AWriteAheadFileBesideAStoreIsNotRead) {
  fill();
  const std::string bytes = read_file(file());
  const std::filesystem::path ahead = folder_ / "assay.db-wal";
  std::ofstream(ahead) << "anything";
  for (const StoreMode mode : {StoreMode::kReadOnly, StoreMode::kReadWrite}) {
    const std::string said = complaint<UsageError>([&] { (void)open(mode); });
    EXPECT_TRUE(contains(said, "assay.db-wal is there, which assay never makes")) << said;
  }
  EXPECT_EQ(read_file(ahead), "anything");
  EXPECT_EQ(read_file(file()), bytes);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "assay.db-shm"));
}

}  // namespace
}  // namespace assay
