#include "lab/run_store.hpp"

#include "core/bytes.hpp"
#include "lab/run_store_parts.hpp"
#include "lab/run_sum.hpp"
#include "problem/problem_identity.hpp"

namespace assay {
namespace {

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
  // SQLite would apply the journal of a deleted database to the new one.
  const std::filesystem::path journal = folder / "assay.db-journal";
  if (name_is_taken(journal)) {
    throw UsageError(fmt::format("{} is there without its assay.db; put that back or move the journal away",
                                 journal.string()));
  }
  Database::create(file, run_database_kind());
  return file;
}

}  // namespace

std::uint64_t checkpoint_sum(int epoch, std::string_view state) {
  ByteWriter head;
  head.u64(static_cast<std::uint64_t>(epoch));
  head.u64(checksum(state));
  return checksum(head.take());
}

RunStore::Parts::Parts(const std::filesystem::path& where, Mode mode, std::size_t part_bytes)
    : folder(where),
      writable(mode == Mode::kReadWrite),
      part(part_bytes),
      lock(writable ? std::make_unique<FolderLock>(where) : nullptr),
      database(ready_database(where, writable), run_database_kind(),
               writable ? Database::Mode::kReadWrite : Database::Mode::kReadOnly) {}

void RunStore::Parts::add_epochs(RunId id, std::span<const EpochRecord> records, int total) const {
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
    throw UsageError(fmt::format("run {}: {} epochs are known, but {} are said to be done", id, next, total));
  }
}

void RunStore::Parts::add_episodes(RunId id, std::span<const EpisodeRecord> records) const {
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

void RunStore::Parts::add_test_time(RunId id, const TestTime& time) const {
  if (time.decisions == 0) return;
  database
      .prepare(
          "INSERT INTO test_times VALUES(?1, ?2, ?3) ON CONFLICT(run) DO UPDATE SET "
          "seconds = seconds + excluded.seconds, decisions = decisions + excluded.decisions")
      .bind(id, time.seconds, time.decisions)
      .execute();
}

void RunStore::Parts::add_repeats(RunId id, std::span<const EpisodeRecord> records) const {
  Statement insert = database.prepare("INSERT INTO repeats VALUES(?1, ?2, ?3, ?4)");
  for (const EpisodeRecord& record : records) {
    int number = 0;
    for (const double earned : record.repeated) insert.bind(id, record.episode, number++, earned).execute();
  }
}

std::string_view RunStore::Parts::first_part(RunId id, std::string_view state) const {
  database.prepare("DELETE FROM state_parts WHERE run = ?1").bind(id).execute();
  Statement insert = database.prepare("INSERT INTO state_parts VALUES(?1, ?2, ?3)");
  int number = 1;
  for (std::size_t at = part; at < state.size(); at += part) {
    insert.bind(id, number++, Blob{state.substr(at, part)}).execute();
  }
  return state.substr(0, part);
}

void RunStore::Parts::set_sum(RunId id, std::uint64_t sum) const {
  database.prepare("INSERT OR REPLACE INTO run_sums VALUES(?1, ?2)").bind(id, sum).execute();
}

RunStore::RunStore(const std::filesystem::path& folder, Mode mode, std::size_t part)
    : parts_(std::make_unique<Parts>(folder, mode, part)) {}
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
  parts_->set_sum(id, run_row_sum(settings, context, std::nullopt));
  transaction.commit();
  return id;
}

std::optional<RunStore::Id> RunStore::find(const RunSettings& settings) const {
  const auto guard = parts_->guard();
  // A problem file is identified by its contents: its name ends with a checksum, after any path. Versions
  // that distinguished paths may have left several runs.
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
      .bind(id, checkpoint.epoch, Blob{parts_->first_part(id, checkpoint.state)},
            checkpoint_sum(checkpoint.epoch, checkpoint.state))
      .execute();
  parts_->set_sum(id, parts_->sum(id) + epochs_sum(epochs));
  transaction.commit();
}

void RunStore::save_tested(Id id, std::span<const EpisodeRecord> episodes, const TestTime& time) {
  const auto guard = parts_->guard();
  parts_->need_writable();
  Transaction transaction(parts_->database);
  parts_->need_unfinished(id);
  Statement insert = parts_->database.prepare("INSERT INTO tested VALUES(?1, ?2, ?3, ?4)");
  for (const EpisodeRecord& e : episodes) insert.bind(id, e.episode, e.undiscounted, e.discounted).execute();
  parts_->add_repeats(id, episodes);
  parts_->add_test_time(id, time);
  parts_->set_sum(id, parts_->sum(id) + tested_sum(episodes));
  transaction.commit();
}

void RunStore::finish(Id id, std::span<const EpochRecord> rest, std::span<const EpisodeRecord> episodes,
                      std::string_view policy_state, int epochs, double seconds, const TestTime& time) {
  const auto guard = parts_->guard();
  parts_->need_writable();
  Transaction transaction(parts_->database);
  parts_->need_unfinished(id);
  (void)parts_->sound(id);  // damaged data must not get a new checksum
  parts_->add_epochs(id, rest, epochs);
  parts_->add_episodes(id, episodes);
  parts_->database.prepare("DELETE FROM repeats WHERE run = ?1").bind(id).execute();
  parts_->add_repeats(id, episodes);
  parts_->database.prepare("INSERT INTO policies VALUES(?1, ?2, ?3)")
      .bind(id, Blob{parts_->first_part(id, policy_state)}, checksum(policy_state))
      .execute();
  parts_->add_test_time(id, time);
  parts_->database.prepare("DELETE FROM tested WHERE run = ?1").bind(id).execute();
  parts_->database.prepare("DELETE FROM checkpoints WHERE run = ?1").bind(id).execute();
  const RunSettings settings = parts_->settings(id);
  const RunContext context = parts_->context(id);
  parts_->set_sum(id, stored_sum(parts_->database, id) - run_row_sum(settings, context, std::nullopt) +
                          run_row_sum(settings, context, RunEnd{epochs, seconds}));
  // This comes last, because from here on the triggers refuse every change.
  parts_->database.prepare("UPDATE runs SET finished = 1, epochs = ?2, seconds = ?3 WHERE id = ?1")
      .bind(id, epochs, seconds)
      .execute();
  transaction.commit();
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
  // An open row keeps SQLite's view of the file for as long as it is open.
  Statement view = parts_->database.prepare("SELECT count(*) FROM runs");
  view.step();
  reading();
}

}  // namespace assay
