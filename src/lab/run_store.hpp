// The results of experiments: a folder with the database assay.db. docs/run-store.md describes its tables.
//
// A run is one training and its test. Its settings identify it. As long as it is not finished it has a
// checkpoint from which it can continue. A finished run never changes.
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

/// The settings that identify a run. The path of a problem file is only shown: its contents count.
struct RunSettings {
  std::string family, method;  // canonical specs
  std::uint64_t seed = 0;
  int episodes = 0;  // of the test
  std::uint64_t test_seed = 0;

  auto operator<=>(const RunSettings&) const = default;
};

/// Where a run began. It does not identify the run.
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
  std::vector<double> repeated = {};  // undiscounted, of each repeated episode; empty if there is one

  bool operator==(const EpisodeRecord&) const = default;
};

/// What a test took. It differs from one time to the next and is meant for people, not for files that are to
/// be the same.
struct TestTime {
  double seconds = 0;  // processor time of the threads that played, together
  std::int64_t decisions = 0;

  bool operator==(const TestTime&) const = default;
};

struct Checkpoint {
  int epoch = 0;  // the number of finished epochs; the next one has this number
  std::string state;

  bool operator==(const Checkpoint&) const = default;
};

/// Every change is one transaction: if the process is killed, the store has the state before or after the
/// change. Every run has a checksum, which is compared before any of its data are returned. All members may
/// be called from several threads. Numbers are returned as they were stored, except that -0 becomes 0.
class RunStore {
 public:
  enum class Mode { kReadWrite, kReadOnly };
  using Id = std::int64_t;

  /// kReadWrite creates the folder and the database if they are absent, and excludes every other writer as
  /// long as the object exists (UsageError if there is one). kReadOnly throws UsageError if there is no
  /// database. A damaged database is a CorruptError. States of more than `part` bytes are kept in parts,
  /// because SQLite accepts at most 10^9 bytes at once.
  RunStore(const std::filesystem::path& folder, Mode mode, std::size_t part = std::size_t{1} << 28U);
  RunStore(RunStore&&) noexcept;
  RunStore& operator=(RunStore&&) noexcept;
  ~RunStore();

  /// The run of these settings, which is created if it is new. An existing run keeps its context.
  Id add(const RunSettings& settings, const RunContext& context);
  [[nodiscard]] std::optional<Id> find(const RunSettings& settings) const;

  /// `epochs` follow the epochs of the run and end where the checkpoint is.
  void save_progress(Id id, std::span<const EpochRecord> epochs, const Checkpoint& checkpoint);

  /// Stores episodes on which the unfinished run has been tested, in any order but none twice, and the time
  /// they took.
  void save_tested(Id id, std::span<const EpisodeRecord> episodes, const TestTime& time);

  /// `rest` are the epochs since the last checkpoint; with them there are `epochs` in all. `episodes` are as
  /// many as the settings say, numbered from 0, including those of save_tested; `time` is what the others
  /// took. The checkpoint is removed. Throws UsageError if the run is finished already.
  void finish(Id id, std::span<const EpochRecord> rest, std::span<const EpisodeRecord> episodes,
              std::string_view policy_state, int epochs, double seconds, const TestTime& time = {});

  [[nodiscard]] std::vector<Id> runs() const;  // ordered by their settings, not by when they were added
  [[nodiscard]] int unfinished() const;

  // The data of one run. Throws UsageError if there is no run of that number, and CorruptError if its
  // checksum does not match or its data cannot be right.
  [[nodiscard]] RunSettings settings(Id id) const;
  [[nodiscard]] RunContext context(Id id) const;
  [[nodiscard]] bool finished(Id id) const;
  [[nodiscard]] std::optional<Checkpoint> checkpoint(Id id) const;
  [[nodiscard]] std::vector<EpochRecord> epochs(Id id) const;
  [[nodiscard]] std::vector<EpisodeRecord> episodes(Id id) const;
  [[nodiscard]] std::optional<std::string> policy_state(Id id) const;
  [[nodiscard]] double seconds(Id id) const;  // 0 until the run is finished
  /// The test episodes so far; none once the run is finished and `episodes` has them.
  [[nodiscard]] std::vector<EpisodeRecord> tested(Id id) const;
  /// The time of the test so far; none if it was not measured, as in stores without this table.
  [[nodiscard]] std::optional<TestTime> test_time(Id id) const;

  /// Reads all runs and compares their checksums. Returns what is wrong, one sentence for each fault.
  [[nodiscard]] std::vector<std::string> faults() const;
  /// False if the store is of a version that had no checksums of runs.
  [[nodiscard]] bool has_sums() const;

  /// Texts by name, such as printed tables. A new text replaces the one of the same name.
  void put_artifact(std::string_view name, std::string_view text);
  [[nodiscard]] std::optional<std::string> artifact(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> artifacts() const;  // the names, sorted

  /// Everything that `reading` reads is of one moment, whatever other threads and processes write. Writers
  /// wait.
  void in_one_view(const std::function<void()>& reading) const;

  [[nodiscard]] const std::filesystem::path& folder() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// What identifies assay.db, for callers that open it as a Database.
const DatabaseKind& run_database_kind();

}  // namespace assay
