// A store that was cut, scribbled on or killed in the middle: it opens clean or says what is wrong, and what
// it cannot read it leaves alone. Fixed seeds; the moments at which processes are killed are chance.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "assay/core/error.hpp"
#include "assay/core/rng.hpp"
#include "core/bytes.hpp"
#include "lab/atomic_file.hpp"
#include "lab/database.hpp"
#include "lab/run_export.hpp"
#include "lab/run_store.hpp"
#include "support/complaint.hpp"

namespace assay {
namespace {

using test::complaint;
using test::contains;

namespace fs = std::filesystem;
using Mode = RunStore::Mode;

/// What a run's checkpoint must hold after so many epochs.
std::string state_after(int epochs) {
  return std::string(static_cast<std::size_t>(20'000 + epochs), static_cast<char>('a' + epochs % 26)) + "end";
}

std::vector<EpochRecord> fuzzed_epochs(int first, int end) {
  std::vector<EpochRecord> records;
  for (int e = first; e < end; ++e) records.push_back({e, 0.5 * e, 1.0 / (1 + e)});
  return records;
}

constexpr int kFuzzedEpisodes = 40;

std::vector<EpisodeRecord> some_episodes() {
  std::vector<EpisodeRecord> records;
  for (int e = 0; e < kFuzzedEpisodes; ++e) records.push_back({e, 1.0 * e, 0.1 * e});
  return records;
}

RunSettings settings_of(std::uint64_t seed) { return {"t_maze(arm=2)", "random", seed, kFuzzedEpisodes, 1}; }

/// Hundreds of files are written here, so without fsync; and ext4 writes a file to the disk at once that
/// takes the place of another.
void put(const fs::path& file, const std::string& bytes) {
  fs::remove(file);
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

/// Trains run after run, three epochs and a checkpoint at a time, and goes on with what it finds unfinished.
void train(
    RunStore& store, std::uint64_t runs, const std::function<void()>& saved = [] {}) {
  for (std::uint64_t seed = 0; seed < runs; ++seed) {
    const RunStore::Id id = store.add(settings_of(seed), {});
    if (store.finished(id)) continue;
    const auto checkpoint = store.checkpoint(id);
    int epoch = checkpoint ? checkpoint->epoch : 0;
    for (; epoch < 9; epoch += 3) {
      store.save_progress(id, fuzzed_epochs(epoch, epoch + 3), {epoch + 3, state_after(epoch + 3)});
      saved();
    }
    store.finish(id, fuzzed_epochs(epoch, epoch + 1), some_episodes(), state_after(99), epoch + 1, 1);
    saved();
  }
}

/// Everything is as `train` could have left it. Returns the number of finished runs.
int expect_sound(const RunStore& store) {
  int finished = 0;
  store.in_one_view([&] {
    for (const RunStore::Id id : store.runs()) {
      const auto checkpoint = store.checkpoint(id);
      if (store.finished(id)) {
        ++finished;
        EXPECT_FALSE(checkpoint);
        EXPECT_EQ(store.epochs(id), fuzzed_epochs(0, 10));
        EXPECT_EQ(store.episodes(id), some_episodes());
        EXPECT_EQ(store.policy_state(id), state_after(99));
      } else {
        const int epochs = checkpoint ? checkpoint->epoch : 0;
        EXPECT_EQ(store.epochs(id), fuzzed_epochs(0, epochs));
        EXPECT_TRUE(store.episodes(id).empty());
        EXPECT_TRUE(!checkpoint || checkpoint->state == state_after(epochs));
      }
    }
    EXPECT_LE(store.unfinished(), 1);
  });
  return finished;
}

/// Runs `body` in another process; what it throws becomes exit code 3.
pid_t in_child(const std::function<void()>& body) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  int code = 0;
  try {
    body();
  } catch (...) {
    code = 3;
  }
  ::_exit(code);
}

class BrokenStores : public ::testing::Test {
 protected:
  void SetUp() override {
    // In memory where there is such a folder: processes are killed here, not machines, and a busy disk
    // takes its time over each fsync.
    const fs::path memory = "/dev/shm";
    const bool usable = ::access(memory.c_str(), W_OK) == 0;
    folder_ = (usable ? memory : fs::temp_directory_path()) / ("assay-broken-" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] fs::path file() const { return folder_ / "assay.db"; }
  [[nodiscard]] fs::path journal() const { return folder_ / "assay.db-journal"; }

  /// The bytes of a store with two finished runs, one in progress and an artifact.
  [[nodiscard]] std::string sound_bytes() const {
    {
      RunStore store(folder_, Mode::kReadWrite);
      train(store, 2);
      const RunStore::Id id = store.add(settings_of(7), {"v", "c", "m", "k", "s"});
      store.save_progress(id, fuzzed_epochs(0, 6), {6, state_after(6)});
      store.put_artifact("table", "text");
    }
    return read_file(file());
  }

  /// Opens a store made of `bytes` and reads all of it. True if that worked; if not, the error must be one of
  /// ours, name the file and, while opening, leave the bytes alone.
  bool opens(const std::string& bytes, Mode mode, const std::string& what) const {
    put(file(), bytes);
    bool opened = false;
    try {
      RunStore store(folder_, mode);
      opened = true;
      for (const RunStore::Id id : store.runs()) {
        (void)store.settings(id);
        (void)store.context(id);
        (void)store.checkpoint(id);
        (void)store.epochs(id);
        (void)store.episodes(id);
        (void)store.policy_state(id);
        (void)store.seconds(id);
      }
      for (const std::string& name : store.artifacts()) (void)store.artifact(name);
    } catch (const Error& error) {
      EXPECT_TRUE(contains(error.what(), "assay.db")) << what << ": " << error.what();
      EXPECT_TRUE(contains(error.what(), "nothing was changed")) << what << ": " << error.what();
    }
    EXPECT_TRUE(read_file(file()) == bytes) << what;
    EXPECT_FALSE(fs::exists(journal())) << what;
    return opened;
  }

  fs::path folder_;
};

TEST_F(BrokenStores, TruncatedAtManyLengths) {
  const std::string bytes = sound_bytes();
  ASSERT_TRUE(opens(bytes, Mode::kReadWrite, "whole"));
  std::vector<std::size_t> sizes;
  for (std::size_t size = 0; size < 110; ++size) sizes.push_back(size);
  for (std::size_t size = 110; size < bytes.size(); size += 797) sizes.push_back(size);
  for (std::size_t page = 4096; page < bytes.size(); page += 4096) sizes.push_back(page);
  sizes.push_back(bytes.size() - 1);
  for (const std::size_t size : sizes) {
    for (const Mode mode : {Mode::kReadOnly, Mode::kReadWrite}) {
      EXPECT_FALSE(opens(bytes.substr(0, size), mode, "cut to " + std::to_string(size)));
    }
  }
}

TEST_F(BrokenStores, FlippedBytes) {
  const std::string bytes = sound_bytes();
  Rng rng(20240229);
  int opened = 0;
  int refused = 0;
  const auto flip = [&](std::size_t place) {
    std::string changed = bytes;
    changed[place] = static_cast<char>(changed[place] ^ static_cast<char>(1 + rng.next64() % 255));
    const Mode mode = rng.next64() % 2 == 0 ? Mode::kReadOnly : Mode::kReadWrite;
    ++(opens(changed, mode, "byte " + std::to_string(place)) ? opened : refused);
  };
  for (std::size_t place = 0; place < 108; ++place) flip(place);                      // the header
  for (int i = 0; i < 160; ++i) flip(rng.next64() % 3 * 4096 + rng.next64() % 4096);  // schema and roots
  for (int i = 0; i < 160; ++i) flip(rng.next64() % bytes.size());
  EXPECT_GT(opened, 50);
  EXPECT_GT(refused, 50);
}

// Whoever goes on writing to a damaged store gets an error or a result, not a crash.
TEST_F(BrokenStores, WritingToScribbledPages) {
  const std::string bytes = sound_bytes();
  Rng rng(5);
  for (int i = 0; i < 40; ++i) {
    std::string changed = bytes;
    for (int n = 0; n < 3; ++n)
      changed[4096 + rng.next64() % (bytes.size() - 4096)] = static_cast<char>(rng.next64());
    put(file(), changed);
    try {
      RunStore store(folder_, Mode::kReadWrite);
      train(store, 3);
      export_runs(store, folder_ / "out");
    } catch (const Error& error) {
      EXPECT_TRUE(contains(error.what(), "assay.db") || contains(error.what(), "run ")) << error.what();
    }
    fs::remove(journal());
  }
}

TEST_F(BrokenStores, ACheckpointThatIsNotWhatWasSaved) {
  const std::string bytes = sound_bytes();
  const std::size_t place = bytes.find(std::string(50, static_cast<char>('a' + 6)));
  ASSERT_NE(place, std::string::npos);
  std::string changed = bytes;
  changed[place + 7] = 'X';
  put(file(), changed);
  {
    RunStore store(folder_, Mode::kReadWrite);  // nothing else is wrong with it
    const RunStore::Id id = store.find(settings_of(7)).value();
    const std::string said = complaint<CorruptError>([&] { (void)store.checkpoint(id); });
    EXPECT_TRUE(contains(said, "assay.db is damaged (the checksum of run 3's checkpoint does not match)"))
        << said;
  }
  const auto tampered = [&](const std::string& sql) {
    put(file(), bytes);
    Database(file(), run_database_kind(), Database::Mode::kReadWrite).run(sql);
    const RunStore store(folder_, Mode::kReadOnly);
    return complaint<CorruptError>([&] {
      (void)store.checkpoint(3);
      (void)store.epochs(3);
    });
  };
  EXPECT_TRUE(contains(tampered("UPDATE checkpoints SET epoch = 5"), "checksum"));
  EXPECT_TRUE(contains(tampered("DELETE FROM epochs WHERE run = 3 AND epoch = 5"), "the checksum of run 3"));
  EXPECT_TRUE(
      contains(tampered("UPDATE epochs SET epoch = 8 WHERE run = 3 AND epoch = 2"), "the checksum of run 3"));
  EXPECT_EQ(tampered("UPDATE artifacts SET text = 'x'"), "");
}

TEST_F(BrokenStores, FilesOfOthersAreLeftAlone) {
  const std::string bytes = sound_bytes();
  const auto refused = [&](const std::string& content, const std::string& what, auto error) {
    put(file(), content);
    put(journal(), "not ours either");
    for (const Mode mode : {Mode::kReadOnly, Mode::kReadWrite}) {
      const std::string said = complaint<decltype(error)>([&] { RunStore(folder_, mode); });
      EXPECT_TRUE(contains(said, file().string()) && contains(said, what)) << said;
      EXPECT_EQ(read_file(file()), content);
      EXPECT_EQ(read_file(journal()), "not ours either");
    }
    fs::remove(journal());
  };
  refused(
      "Dear diary, today I wrote a file that is longer than one hundred bytes, which is as long as the "
      "header "
      "of a database.",
      "is damaged (file is not a database); nothing was changed", CorruptError(""));
  refused("", "it is empty", CorruptError(""));
  refused("SQLite format 3", "only 15 bytes", CorruptError(""));
  const auto patched = [&](std::size_t place, char value) {
    std::string changed = bytes;
    changed[place] = value;
    return changed;
  };
  refused(patched(68, 0), "is a database, but not of assay", UsageError(""));
  refused(patched(63, 4), "newer version of assay (schema 4, this one knows 3)", UsageError(""));
  refused(patched(63, 0), "schema 0", CorruptError(""));
  refused(patched(18, 2), "rollback journal", CorruptError(""));
  fs::remove(file());
  fs::create_directory(file());
  EXPECT_TRUE(
      contains(complaint<UsageError>([&] { RunStore(folder_, Mode::kReadWrite); }), "not an ordinary file"));
  fs::remove(file());
  put(journal(), "of a database that is gone");
  EXPECT_TRUE(
      contains(complaint<UsageError>([&] { RunStore(folder_, Mode::kReadWrite); }), "without its assay.db"));
  EXPECT_FALSE(fs::exists(file()));
}

TEST_F(BrokenStores, AnotherProcessHoldsTheLock) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = in_child([&] {
    RunStore store(folder_, Mode::kReadWrite);
    train(store, 1);
    if (::write(ready[1], "x", 1) == 1) ::pause();
  });
  ::close(ready[1]);
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ::close(ready[0]);
  EXPECT_TRUE(contains(complaint<UsageError>([&] { RunStore(folder_, Mode::kReadWrite); }),
                       "another assay is using the folder " + folder_.string()));
  EXPECT_EQ(expect_sound(RunStore(folder_, Mode::kReadOnly)), 1);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(expect_sound(RunStore(folder_, Mode::kReadWrite)), 1);
}

// Killed when pages of an open transaction are in the file already: certain to need the journal. A reader
// says so and leaves both as they are.
TEST_F(BrokenStores, AHalfWrittenTransactionIsUndoneByTheNextWriter) {
  const std::string bytes = sound_bytes();
  {
    const pid_t child = in_child([&] {
      const Database database(file(), run_database_kind(), Database::Mode::kReadWrite);
      database.run("PRAGMA cache_size=2; PRAGMA cache_spill=1; BEGIN IMMEDIATE; DELETE FROM checkpoints");
      Statement insert = database.prepare("INSERT INTO artifacts VALUES(?1, ?2)");
      for (int i = 0; i < 100; ++i) insert.bind(std::to_string(i), std::string(9000, 'x')).execute();
      ::raise(SIGKILL);
    });
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    ASSERT_NE(read_file(file()), bytes);
    ASSERT_TRUE(fs::exists(journal()));
    const std::string half = read_file(file());
    const std::string undo = read_file(journal());
    const std::string said = complaint<UsageError>([&] { RunStore(folder_, Mode::kReadOnly); });
    EXPECT_TRUE(contains(said, "assay.db-journal is there: a process was stopped while it wrote")) << said;
    EXPECT_TRUE(contains(said, "nothing was changed")) << said;
    EXPECT_TRUE(read_file(file()) == half && read_file(journal()) == undo);
    {
      const RunStore store(folder_, Mode::kReadWrite);
      EXPECT_EQ(store.artifacts(), std::vector<std::string>{"table"});
      EXPECT_EQ(store.checkpoint(3), (Checkpoint{6, state_after(6)}));
    }
    EXPECT_EQ(read_file(file()), bytes);
  }
}

TEST_F(BrokenStores, KilledAtRandomMoments) {
  Rng rng(static_cast<std::uint64_t>(::getpid()));
  int finished = 0;
  int journals = 0;
  for (int round = 0; round < 20; ++round) {
    int progress[2];
    ASSERT_EQ(::pipe(progress), 0);
    const pid_t child = in_child([&] {
      RunStore store(folder_, Mode::kReadWrite);
      train(store, 1'000'000, [&] { (void)!::write(progress[1], "x", 1); });
    });
    ::close(progress[1]);
    char byte = 0;
    EXPECT_EQ(::read(progress[0], &byte, 1), 1);  // each child has saved something, however slow the machine
    std::this_thread::sleep_for(std::chrono::microseconds(rng.next64() % 20'000));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(progress[0]);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the child ended by itself, code " << WEXITSTATUS(status);
    if (fs::exists(journal())) ++journals;
    const RunStore store(folder_, Mode::kReadWrite);
    const int now = expect_sound(store);
    EXPECT_GE(now, finished);  // what was finished stays
    finished = now;
  }
  EXPECT_GE(finished, 5);  // four steps make a run
  RecordProperty("journals", journals);
}

// A reader beside a writer sees whole transactions only.
TEST_F(BrokenStores, ReadWhileAnotherProcessWrites) {
  { const RunStore store(folder_, Mode::kReadWrite); }
  const pid_t child = in_child([&] {
    RunStore store(folder_, Mode::kReadWrite);
    train(store, 12);
  });
  int status = 0;
  int views = 0;
  for (; ::waitpid(child, &status, WNOHANG) == 0; ++views) expect_sound(RunStore(folder_, Mode::kReadOnly));
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(expect_sound(RunStore(folder_, Mode::kReadOnly)), 12);
  EXPECT_GT(views, 0);
}

}  // namespace
}  // namespace assay
