// What a store keeps of tests: their times, and the episodes of unfinished tests.
#include <gtest/gtest.h>

#include "assay/core/error.hpp"
#include "core/bytes.hpp"
#include "lab/database.hpp"
#include "lab/run_store.hpp"
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

}  // namespace
}  // namespace assay
