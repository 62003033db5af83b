// What experiments leave behind: a folder with the database assay.db. docs/run-store.md describes its tables.
//
// A run is one training and its test. It is known by its settings; as long as it is not finished it has a
// checkpoint from which to go on, and once it is finished nothing changes it any more.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/bytes.hpp"  // CorruptError

namespace assay {

struct DatabaseKind;

/// All of it together names a run. Of a problem file, the path is only shown: its contents count.
struct RunSettings {
  std::string family, method;  // canonical specs
  std::uint64_t seed = 0;
  int episodes = 0;  // of the test
  std::uint64_t test_seed = 0;

  auto operator<=>(const RunSettings&) const = default;
};

/// Where a run began. Not part of its name.
struct RunContext {
  std::string version, commit, machine, kernel, signature;

  bool operator==(const RunContext&) const = default;
};

struct EpochRecord {
  int epoch = 0;
  double mean_return = 0;
  double loss = 0;

  bool operator==(const EpochRecord&) const = default;
};

struct EpisodeRecord {
  int episode = 0;
  double undiscounted = 0;
  double discounted = 0;
  std::vector<double> repeated = {};  // undiscounted, of each repeated episode; empty if there is one only

  bool operator==(const EpisodeRecord&) const = default;
};

/// What a test took. Differs from one time to the next: for people, never for files that are to be the same.
struct TestTime {
  double seconds = 0;  // processor time of the threads that played, together
  std::int64_t decisions = 0;

  bool operator==(const TestTime&) const = default;
};

struct Checkpoint {
  int epoch = 0;  // epochs done so far; the next one has this number
  std::string state;

  bool operator==(const Checkpoint&) const = default;
};

/// Every change is one transaction: a process that is killed leaves the state before it or the one after.
/// Every run has a checksum, which is compared before anything of the run is given out.
/// All members may be called from several threads. Numbers come back as they went in, except that -0 is 0.
class RunStore {
 public:
  enum class Mode { kReadWrite, kReadOnly };
  using Id = std::int64_t;

  /// kReadWrite creates the folder and the database if they are absent, and keeps every other writer out
  /// while it lives (UsageError if there is one). kReadOnly throws UsageError if there is no database.
  /// A database that is damaged is a CorruptError.
  /// States of more than `part` bytes are kept in parts: SQLite takes no more than 10^9 at once.
  RunStore(const std::filesystem::path& folder, Mode mode, std::size_t part = std::size_t{1} << 28U);
  RunStore(RunStore&&) noexcept;
  RunStore& operator=(RunStore&&) noexcept;
  ~RunStore();

  /// The run of these settings, new or not. The context of a run that is known already stays as it was.
  Id add(const RunSettings& settings, const RunContext& context);
  [[nodiscard]] std::optional<Id> find(const RunSettings& settings) const;

  /// `epochs` go on where the run's epochs ended, and end where the checkpoint is.
  void save_progress(Id id, std::span<const EpochRecord> epochs, const Checkpoint& checkpoint);

  /// Episodes that the unfinished run has been tested on, in any order, none of them twice, and what they
  /// took.
  void save_tested(Id id, std::span<const EpisodeRecord> episodes, const TestTime& time);

  /// `rest` are the epochs since the last checkpoint; with them there are `epochs` in all. `episodes` are as
  /// many as the settings say, numbered from 0, those of save_tested among them; `time` is what the others
  /// took. The checkpoint is dropped. Throws UsageError if the run is finished already.
  void finish(Id id, std::span<const EpochRecord> rest, std::span<const EpisodeRecord> episodes,
              std::string_view policy_state, int epochs, double seconds, const TestTime& time = {});

  [[nodiscard]] std::vector<Id> runs() const;  // by their settings: who was added first is chance
  [[nodiscard]] int unfinished() const;

  // Of one run; UsageError if there is none of that number, CorruptError if its checksum does not match or
  // what is stored cannot be right.
  [[nodiscard]] RunSettings settings(Id id) const;
  [[nodiscard]] RunContext context(Id id) const;
  [[nodiscard]] bool finished(Id id) const;
  [[nodiscard]] std::optional<Checkpoint> checkpoint(Id id) const;
  [[nodiscard]] std::vector<EpochRecord> epochs(Id id) const;
  [[nodiscard]] std::vector<EpisodeRecord> episodes(Id id) const;
  [[nodiscard]] std::optional<std::string> policy_state(Id id) const;
  [[nodiscard]] double seconds(Id id) const;  // 0 as long as it is not finished
  /// By episode; nothing once it is finished, and `episodes` has them.
  [[nodiscard]] std::vector<EpisodeRecord> tested(Id id) const;
  /// Of the test so far; nothing if nobody measured, as before there was this table.
  [[nodiscard]] std::optional<TestTime> test_time(Id id) const;

  /// What is wrong with runs, a sentence each: all of them are read and compared with their checksums.
  [[nodiscard]] std::vector<std::string> faults() const;
  /// False if the store is of a version that had no checksums of runs.
  [[nodiscard]] bool has_sums() const;

  /// Texts by name, such as printed tables. Another text of the same name takes its place.
  void put_artifact(std::string_view name, std::string_view text);
  [[nodiscard]] std::optional<std::string> artifact(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> artifacts() const;  // the names, sorted

  /// All that `reading` reads is of one moment, whatever other threads and processes write. Writers wait.
  void in_one_view(const std::function<void()>& reading) const;

  [[nodiscard]] const std::filesystem::path& folder() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// What assay.db is to be, for those who open it as a Database.
const DatabaseKind& run_database_kind();

}  // namespace assay
