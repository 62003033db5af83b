#include "assay/lab/run_store.hpp"

#include <fmt/format.h>

#include <mutex>

#include "assay/core/bytes.hpp"
#include "assay/core/error.hpp"
#include "assay/lab/atomic_file.hpp"
#include "assay/lab/database.hpp"
#include "assay/problem/problem_identity.hpp"

namespace assay {
namespace {

using RunId = RunStore::Id;

void check_run_settings(const RunSettings& settings) {
  if (settings.family.empty() || settings.method.empty()) {
    throw UsageError("a run needs a family and a method, such as t_maze and random");
  }
  if (settings.episodes < 0) {
    throw UsageError(fmt::format("a test of {} episodes is not possible: 0 or more are", settings.episodes));
  }
}

std::filesystem::path ready_database(const std::filesystem::path& folder, bool may_create) {
  const std::filesystem::path file = folder / "assay.db";
  if (name_is_taken(file)) return file;
  if (!may_create) {
    throw UsageError(fmt::format(
        "there are no runs in {}: it has no assay.db; give a folder that assay has filled", folder.string()));
  }
  // SQLite would apply the journal of a database that is gone to the new one.
  const std::filesystem::path journal = folder / "assay.db-journal";
  if (name_is_taken(journal)) {
    throw UsageError(fmt::format("{} is there without its assay.db; put that back or move the journal away",
                                 journal.string()));
  }
  Database::create(file, run_database_kind());
  return file;
}

/// A flipped bit in the number of epochs would do as much harm as one in the state.
std::uint64_t checkpoint_sum(int epoch, std::string_view state) {
  ByteWriter head;
  head.u64(static_cast<std::uint64_t>(epoch));
  head.u64(checksum(state));
  return checksum(head.take());
}

}  // namespace

struct RunStore::Parts {
  Parts(const std::filesystem::path& where, Mode mode)
      : folder(where),
        writable(mode == Mode::kReadWrite),
        lock(writable ? std::make_unique<FolderLock>(where) : nullptr),
        database(ready_database(where, writable), run_database_kind(),
                 writable ? Database::Mode::kReadWrite : Database::Mode::kReadOnly) {}

  [[nodiscard]] std::lock_guard<std::recursive_mutex> guard() const {
    return std::lock_guard<std::recursive_mutex>(mutex);
  }

  void need_writable() const {
    if (!writable)
      throw UsageError(fmt::format("the runs in {} were opened for reading only", folder.string()));
  }

  /// The statement, at the only row of run `id`.
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

  /// Adds epochs that must go on where the last ones ended, and be `total` in all.
  void add_epochs(RunId id, std::span<const EpochRecord> records, int total) const {
    int next = epochs_stored(id);
    Statement insert = database.prepare("INSERT INTO epochs VALUES(?1, ?2, ?3, ?4)");
    for (const EpochRecord& record : records) {
      if (record.epoch != next) {
        throw UsageError(
            fmt::format("run {}: epoch {} was given where {} should follow", id, record.epoch, next));
      }
      insert.bind(id, record.epoch, record.mean_return, record.loss).execute();
      ++next;
    }
    if (next != total) {
      throw UsageError(
          fmt::format("run {}: {} epochs are known, but {} are said to be done", id, next, total));
    }
  }

  void add_episodes(RunId id, std::span<const EpisodeRecord> records) const {
    const int wanted = of_run("SELECT episodes FROM runs WHERE id = ?1", id).small(0);
    if (records.size() != static_cast<std::size_t>(wanted)) {
      throw UsageError(
          fmt::format("run {}: {} episodes were given, its settings say {}", id, records.size(), wanted));
    }
    Statement insert = database.prepare("INSERT INTO episodes VALUES(?1, ?2, ?3, ?4)");
    int next = 0;
    for (const EpisodeRecord& record : records) {
      if (record.episode != next) {
        throw UsageError(
            fmt::format("run {}: episode {} was given where {} should follow", id, record.episode, next));
      }
      insert.bind(id, record.episode, record.undiscounted, record.discounted).execute();
      ++next;
    }
  }

  void add_test_time(RunId id, const TestTime& time) const {
    if (time.decisions == 0) return;
    database
        .prepare(
            "INSERT INTO test_times VALUES(?1, ?2, ?3) ON CONFLICT(run) DO UPDATE SET "
            "seconds = seconds + excluded.seconds, decisions = decisions + excluded.decisions")
        .bind(id, time.seconds, time.decisions)
        .execute();
  }

  /// A store of before there were test_times and tested, which is only read.
  [[nodiscard]] bool without_tests() const { return database.version() < 2; }

  /// The rows (number, double, double) of a run; numbers must be 0, 1, ... and, if it is finished, `wanted`.
  template <class Record>
  [[nodiscard]] std::vector<Record> records(std::string_view table, std::string_view columns,
                                            std::string_view wanted, RunId id) const {
    const Statement run = of_run(fmt::format("SELECT finished, {} FROM runs WHERE id = ?1", wanted), id);
    Statement rows =
        database.prepare(fmt::format("SELECT {} FROM {} WHERE run = ?1 ORDER BY 1", columns, table));
    std::vector<Record> found;
    for (rows.bind(id); rows.step();) {
      if (rows.integer(0) != static_cast<std::int64_t>(found.size())) {
        database.damaged(
            fmt::format("run {}: row {} of {} has the number {}", id, found.size(), table, rows.integer(0)));
      }
      found.push_back({rows.small(0), rows.real(1), rows.real(2)});
    }
    if (run.integer(0) == 1 && run.integer(1) != static_cast<std::int64_t>(found.size())) {
      database.damaged(
          fmt::format("run {} has {} {} instead of {}", id, found.size(), table, run.integer(1)));
    }
    return found;
  }

  std::filesystem::path folder;
  bool writable;
  std::unique_ptr<FolderLock> lock;  // before the database: taken first, given back last
  Database database;
  mutable std::recursive_mutex mutex;  // recursive for in_one_view
};

RunStore::RunStore(const std::filesystem::path& folder, Mode mode)
    : parts_(std::make_unique<Parts>(folder, mode)) {}
RunStore::RunStore(RunStore&&) noexcept = default;
RunStore& RunStore::operator=(RunStore&&) noexcept = default;
RunStore::~RunStore() = default;

const std::filesystem::path& RunStore::folder() const { return parts_->folder; }

RunStore::Id RunStore::add(const RunSettings& settings, const RunContext& context) {
  const auto guard = parts_->guard();
  parts_->need_writable();
  check_run_settings(settings);
  Transaction transaction(parts_->database);
  if (const std::optional<Id> known = find(settings)) return *known;
  parts_->database
      .prepare(
          "INSERT INTO runs(family, method, seed, episodes, test_seed, version, commit_id, machine, kernel, "
          "signature) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")
      .bind(settings.family, settings.method, settings.seed, settings.episodes, settings.test_seed,
            context.version, context.commit, context.machine, context.kernel, context.signature)
      .execute();
  const Id id = parts_->database.last_row();
  transaction.commit();
  return id;
}

std::optional<RunStore::Id> RunStore::find(const RunSettings& settings) const {
  const auto guard = parts_->guard();
  // A problem file is what it contains: its name ends with its checksum, after whatever path. Versions that
  // told paths apart may have left several runs.
  const std::string identity = problem_identity(settings.family);
  const bool file = identity != settings.family;
  Statement query = parts_->database.prepare(fmt::format(
      "SELECT id FROM runs WHERE {} = ?1 AND method = ?2 AND seed = ?3 AND episodes = ?4 AND test_seed = ?5 "
      "ORDER BY finished DESC, id",
      file ? "substr(family, -length(?1))" : "family"));
  query.bind(identity, settings.method, settings.seed, settings.episodes, settings.test_seed);
  return query.step() ? std::optional(query.integer(0)) : std::nullopt;
}

void RunStore::save_progress(Id id, std::span<const EpochRecord> epochs, const Checkpoint& checkpoint) {
  const auto guard = parts_->guard();
  parts_->need_writable();
  Transaction transaction(parts_->database);
  parts_->need_unfinished(id);
  parts_->add_epochs(id, epochs, checkpoint.epoch);
  parts_->database.prepare("INSERT OR REPLACE INTO checkpoints VALUES(?1, ?2, ?3, ?4)")
      .bind(id, checkpoint.epoch, Blob{checkpoint.state}, checkpoint_sum(checkpoint.epoch, checkpoint.state))
      .execute();
  transaction.commit();
}

void RunStore::save_tested(Id id, std::span<const EpisodeRecord> episodes, const TestTime& time) {
  const auto guard = parts_->guard();
  parts_->need_writable();
  Transaction transaction(parts_->database);
  parts_->need_unfinished(id);
  Statement insert = parts_->database.prepare("INSERT INTO tested VALUES(?1, ?2, ?3, ?4)");
  for (const EpisodeRecord& e : episodes) insert.bind(id, e.episode, e.undiscounted, e.discounted).execute();
  parts_->add_test_time(id, time);
  transaction.commit();
}

void RunStore::finish(Id id, std::span<const EpochRecord> rest, std::span<const EpisodeRecord> episodes,
                      std::string_view policy_state, int epochs, double seconds, const TestTime& time) {
  const auto guard = parts_->guard();
  parts_->need_writable();
  Transaction transaction(parts_->database);
  parts_->need_unfinished(id);
  parts_->add_epochs(id, rest, epochs);
  parts_->add_episodes(id, episodes);
  parts_->database.prepare("INSERT INTO policies VALUES(?1, ?2, ?3)")
      .bind(id, Blob{policy_state}, checksum(policy_state))
      .execute();
  parts_->add_test_time(id, time);
  parts_->database.prepare("DELETE FROM tested WHERE run = ?1").bind(id).execute();
  parts_->database.prepare("DELETE FROM checkpoints WHERE run = ?1").bind(id).execute();
  // Last: from here on the triggers refuse everything.
  parts_->database.prepare("UPDATE runs SET finished = 1, epochs = ?2, seconds = ?3 WHERE id = ?1")
      .bind(id, epochs, seconds)
      .execute();
  transaction.commit();
}

std::vector<RunStore::Id> RunStore::runs() const {
  const auto guard = parts_->guard();
  Statement query =
      parts_->database.prepare("SELECT id FROM runs ORDER BY family, method, seed, episodes, test_seed");
  std::vector<Id> found;
  while (query.step()) found.push_back(query.integer(0));
  return found;
}

int RunStore::unfinished() const {
  const auto guard = parts_->guard();
  Statement query = parts_->database.prepare("SELECT count(*) FROM runs WHERE finished = 0");
  return query.step() ? query.small(0) : 0;
}

RunSettings RunStore::settings(Id id) const {
  const auto guard = parts_->guard();
  const Statement row =
      parts_->of_run("SELECT family, method, seed, episodes, test_seed FROM runs WHERE id = ?1", id);
  return {row.text(0), row.text(1), row.unsigned64(2), row.small(3), row.unsigned64(4)};
}

RunContext RunStore::context(Id id) const {
  const auto guard = parts_->guard();
  const Statement row =
      parts_->of_run("SELECT version, commit_id, machine, kernel, signature FROM runs WHERE id = ?1", id);
  return {row.text(0), row.text(1), row.text(2), row.text(3), row.text(4)};
}

bool RunStore::finished(Id id) const {
  const auto guard = parts_->guard();
  return parts_->finished(id);
}

std::optional<Checkpoint> RunStore::checkpoint(Id id) const {
  const auto guard = parts_->guard();
  // The run's row tells an unknown run from one without a checkpoint, and one view covers the count below.
  const Statement run = parts_->of_run("SELECT finished FROM runs WHERE id = ?1", id);
  Statement row = parts_->database.prepare("SELECT epoch, state, checksum FROM checkpoints WHERE run = ?1");
  if (!row.bind(id).step()) return std::nullopt;
  Checkpoint found{row.small(0), row.text(1)};
  if (checkpoint_sum(found.epoch, found.state) != row.unsigned64(2)) {
    parts_->database.damaged(fmt::format("the checksum of run {}'s checkpoint does not match", id));
  }
  if (parts_->epochs_stored(id) != found.epoch) {
    parts_->database.damaged(fmt::format("run {} has {} epochs, but its checkpoint was made after {}", id,
                                         parts_->epochs_stored(id), found.epoch));
  }
  return found;
}

std::vector<EpochRecord> RunStore::epochs(Id id) const {
  const auto guard = parts_->guard();
  return parts_->records<EpochRecord>("epochs", "epoch, mean_return, loss", "epochs", id);
}

std::vector<EpisodeRecord> RunStore::episodes(Id id) const {
  const auto guard = parts_->guard();
  return parts_->records<EpisodeRecord>("episodes", "episode, undiscounted, discounted", "episodes", id);
}

std::optional<std::string> RunStore::policy_state(Id id) const {
  const auto guard = parts_->guard();
  if (!parts_->finished(id)) return std::nullopt;
  Statement row = parts_->database.prepare("SELECT state, checksum FROM policies WHERE run = ?1");
  if (!row.bind(id).step()) parts_->database.damaged(fmt::format("the policy of run {} is missing", id));
  std::string state = row.text(0);
  if (checksum(state) != row.unsigned64(1)) {
    parts_->database.damaged(fmt::format("the checksum of run {}'s policy does not match", id));
  }
  return state;
}

double RunStore::seconds(Id id) const {
  const auto guard = parts_->guard();
  const Statement row = parts_->of_run("SELECT seconds FROM runs WHERE id = ?1", id);
  return row.is_null(0) ? 0 : row.real(0);
}

std::vector<EpisodeRecord> RunStore::tested(Id id) const {
  const auto guard = parts_->guard();
  const int wanted = parts_->of_run("SELECT episodes FROM runs WHERE id = ?1", id).small(0);
  std::vector<EpisodeRecord> found;
  if (parts_->without_tests()) return found;
  Statement rows = parts_->database.prepare(
      "SELECT episode, undiscounted, discounted FROM tested WHERE run = ?1 ORDER BY episode");
  for (rows.bind(id); rows.step();) {
    found.push_back({rows.small(0), rows.real(1), rows.real(2)});
    if (found.back().episode < wanted) continue;
    parts_->database.damaged(
        fmt::format("run {} was tested on episode {} of {}", id, found.back().episode, wanted));
  }
  return found;
}

std::optional<TestTime> RunStore::test_time(Id id) const {
  const auto guard = parts_->guard();
  const Statement run = parts_->of_run("SELECT id FROM runs WHERE id = ?1", id);
  if (parts_->without_tests()) return std::nullopt;
  Statement row = parts_->database.prepare("SELECT seconds, decisions FROM test_times WHERE run = ?1");
  if (!row.bind(id).step()) return std::nullopt;
  return TestTime{row.real(0), row.integer(1)};
}

void RunStore::put_artifact(std::string_view name, std::string_view text) {
  const auto guard = parts_->guard();
  parts_->need_writable();
  Transaction transaction(parts_->database);
  if (artifact(name) == text) return;
  parts_->database.prepare("INSERT OR REPLACE INTO artifacts VALUES(?1, ?2)").bind(name, text).execute();
  transaction.commit();
}

std::optional<std::string> RunStore::artifact(std::string_view name) const {
  const auto guard = parts_->guard();
  Statement row = parts_->database.prepare("SELECT text FROM artifacts WHERE name = ?1");
  return row.bind(name).step() ? std::optional(row.text(0)) : std::nullopt;
}

std::vector<std::string> RunStore::artifacts() const {
  const auto guard = parts_->guard();
  Statement query = parts_->database.prepare("SELECT name FROM artifacts ORDER BY name");
  std::vector<std::string> names;
  while (query.step()) names.push_back(query.text(0));
  return names;
}

void RunStore::in_one_view(const std::function<void()>& reading) const {
  const auto guard = parts_->guard();
  // An open row holds SQLite's view for as long as it is open.
  Statement view = parts_->database.prepare("SELECT count(*) FROM runs");
  view.step();
  reading();
}

}  // namespace assay
