// The members of a RunStore, for the files that implement it: run_store.cpp opens and writes,
// run_store_reading.cpp reads.
#pragma once

#include <fmt/format.h>

#include <mutex>
#include <unordered_set>

#include "assay/core/error.hpp"
#include "lab/atomic_file.hpp"
#include "lab/database.hpp"
#include "lab/run_store.hpp"

namespace assay {

using RunId = RunStore::Id;

/// The number of epochs is checked, too: a flipped bit in it would do as much harm as one in the state.
std::uint64_t checkpoint_sum(int epoch, std::string_view state);

struct RunStore::Parts {
  Parts(const std::filesystem::path& where, Mode mode, std::size_t part_bytes);

  [[nodiscard]] std::lock_guard<std::recursive_mutex> guard() const {
    return std::lock_guard<std::recursive_mutex>(mutex);
  }

  void need_writable() const {
    if (!writable)
      throw UsageError(fmt::format("the runs in {} were opened for reading only", folder.string()));
  }

  /// The statement, at the only row of the run `id`.
  [[nodiscard]] Statement of_run(std::string_view sql, RunId id) const {
    Statement statement = database.prepare(sql);
    if (!statement.bind(id).step()) {
      throw UsageError(fmt::format("there is no run {} in {}", id, folder.string()));
    }
    return statement;
  }

  [[nodiscard]] bool finished(RunId id) const {
    return of_run("SELECT finished FROM runs WHERE id = ?1", id).integer(0) == 1;
  }

  void need_unfinished(RunId id) const {
    if (finished(id)) {
      throw UsageError(fmt::format("run {} in {} is finished and is never changed", id, folder.string()));
    }
  }

  [[nodiscard]] int epochs_stored(RunId id) const {
    return of_run("SELECT count(*) FROM epochs WHERE run = ?1", id).small(0);
  }

  /// Adds epochs, which must follow the last ones and be `total` in all.
  void add_epochs(RunId id, std::span<const EpochRecord> records, int total) const;
  void add_episodes(RunId id, std::span<const EpisodeRecord> records) const;
  void add_test_time(RunId id, const TestTime& time) const;
  void add_repeats(RunId id, std::span<const EpisodeRecord> records) const;
  /// Adds the repeated episodes to each record; both are sorted by episode.
  void read_repeats(RunId id, std::vector<EpisodeRecord>& records) const;

  /// The part of a run's checkpoint or policy that goes into this row. The rest is kept in further parts.
  [[nodiscard]] std::string_view first_part(RunId id, std::string_view state) const;
  /// The row together with the further parts.
  [[nodiscard]] std::string whole_state(RunId id, std::string first) const;

  [[nodiscard]] RunSettings settings(RunId id) const;
  [[nodiscard]] RunContext context(RunId id) const;

  /// Checks that the data of a finished or an unfinished run are those that were stored, and throws
  /// CorruptError if not. As long as the result exists, everything that is read is of the same moment.
  [[nodiscard]] Statement sound(RunId id) const;
  /// Is this a store without checksums of runs, which is only read?
  [[nodiscard]] bool without_sums() const { return database.version() < 3; }
  [[nodiscard]] std::uint64_t sum(RunId id) const;
  void set_sum(RunId id, std::uint64_t sum) const;

  /// Is this a store without the tables test_times and tested, which is only read?
  [[nodiscard]] bool without_tests() const { return database.version() < 2; }

  std::filesystem::path folder;
  bool writable;
  std::size_t part;
  std::unique_ptr<FolderLock> lock;  // before the database, so that it is taken first and released last
  Database database;
  mutable std::recursive_mutex mutex;             // recursive because of in_one_view
  mutable std::unordered_set<RunId> known_sound;  // checked finished runs, which do not change
};

}  // namespace assay
