#include "assay/core/detail/spec.hpp"
#include "core/bytes.hpp"
#include "lab/run_store_parts.hpp"
#include "lab/run_sum.hpp"

namespace assay {
namespace {

/// The rows (number, double, double) of a run. Their numbers must be 0, 1, ..., and there must be `wanted`
/// of them if the run is finished.
template <class Record, class Parts>
std::vector<Record> records_of(const Parts& parts, std::string_view table, std::string_view columns,
                               std::string_view wanted, RunId id) {
  const Database& database = parts.database;
  const Statement view = parts.sound(id);
  const Statement run = parts.of_run(fmt::format("SELECT finished, {} FROM runs WHERE id = ?1", wanted), id);
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
    database.damaged(fmt::format("run {} has {} {} instead of {}", id, found.size(), table, run.integer(1)));
  }
  return found;
}

}  // namespace

void RunStore::Parts::read_repeats(RunId id, std::vector<EpisodeRecord>& records) const {
  if (without_sums()) return;  // both came in the same version
  Statement rows =
      database.prepare("SELECT episode, repeat, undiscounted FROM repeats WHERE run = ?1 ORDER BY 1, 2");
  auto record = records.begin();
  for (rows.bind(id); rows.step();) {
    while (record != records.end() && record->episode < rows.small(0)) ++record;
    const bool follows = record != records.end() && record->episode == rows.small(0) &&
                         rows.integer(1) == static_cast<std::int64_t>(record->repeated.size());
    if (!follows) database.damaged(fmt::format("run {} has repeated episodes that no episode has", id));
    record->repeated.push_back(rows.real(2));
  }
}

std::string RunStore::Parts::whole_state(RunId id, std::string first) const {
  if (without_sums()) return first;  // parts came in the same version
  Statement rows = database.prepare("SELECT bytes FROM state_parts WHERE run = ?1 ORDER BY part");
  for (rows.bind(id); rows.step();) first += rows.text(0);
  return first;
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

RunSettings RunStore::Parts::settings(RunId id) const {
  const Statement row =
      of_run("SELECT family, method, seed, episodes, test_seed FROM runs WHERE id = ?1", id);
  return {row.text(0), row.text(1), row.unsigned64(2), row.small(3), row.unsigned64(4)};
}

RunContext RunStore::Parts::context(RunId id) const {
  const Statement row =
      of_run("SELECT version, commit_id, machine, kernel, signature FROM runs WHERE id = ?1", id);
  return {row.text(0), row.text(1), row.text(2), row.text(3), row.text(4)};
}

std::uint64_t RunStore::Parts::sum(RunId id) const {
  Statement row = database.prepare("SELECT checksum FROM run_sums WHERE run = ?1");
  if (!row.bind(id).step()) database.damaged(fmt::format("run {} has no checksum", id));
  return row.unsigned64(0);
}

Statement RunStore::Parts::sound(RunId id) const {
  Statement view = of_run("SELECT finished FROM runs WHERE id = ?1", id);
  if (without_sums() || known_sound.contains(id)) return view;
  if (stored_sum(database, id) != sum(id)) {
    const RunSettings run = settings(id);
    database.damaged(fmt::format("the checksum of run {}, {} on {} with seed {}, does not match", id,
                                 printable(run.method), printable(run.family), run.seed));
  }
  if (view.integer(0) == 1) known_sound.insert(id);
  return view;
}

RunSettings RunStore::settings(Id id) const {
  const auto guard = parts_->guard();
  const Statement view = parts_->sound(id);
  return parts_->settings(id);
}

RunContext RunStore::context(Id id) const {
  const auto guard = parts_->guard();
  const Statement view = parts_->sound(id);
  return parts_->context(id);
}

bool RunStore::finished(Id id) const {
  const auto guard = parts_->guard();
  return parts_->sound(id).integer(0) == 1;
}

std::optional<Checkpoint> RunStore::checkpoint(Id id) const {
  const auto guard = parts_->guard();
  const Statement view = parts_->sound(id);
  Statement row = parts_->database.prepare("SELECT epoch, state, checksum FROM checkpoints WHERE run = ?1");
  if (!row.bind(id).step()) return std::nullopt;
  Checkpoint found{row.small(0), parts_->whole_state(id, row.text(1))};
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
  return records_of<EpochRecord>(*parts_, "epochs", "epoch, mean_return, loss", "epochs", id);
}

std::vector<EpisodeRecord> RunStore::episodes(Id id) const {
  const auto guard = parts_->guard();
  std::vector<EpisodeRecord> found =
      records_of<EpisodeRecord>(*parts_, "episodes", "episode, undiscounted, discounted", "episodes", id);
  if (!found.empty()) parts_->read_repeats(id, found);
  return found;
}

std::optional<std::string> RunStore::policy_state(Id id) const {
  const auto guard = parts_->guard();
  const Statement view = parts_->sound(id);
  if (view.integer(0) != 1) return std::nullopt;
  Statement row = parts_->database.prepare("SELECT state, checksum FROM policies WHERE run = ?1");
  if (!row.bind(id).step()) parts_->database.damaged(fmt::format("the policy of run {} is missing", id));
  std::string state = parts_->whole_state(id, row.text(0));
  if (checksum(state) != row.unsigned64(1)) {
    parts_->database.damaged(fmt::format("the checksum of run {}'s policy does not match", id));
  }
  return state;
}

double RunStore::seconds(Id id) const {
  const auto guard = parts_->guard();
  const Statement view = parts_->sound(id);
  const Statement row = parts_->of_run("SELECT seconds FROM runs WHERE id = ?1", id);
  return row.is_null(0) ? 0 : row.real(0);
}

std::vector<EpisodeRecord> RunStore::tested(Id id) const {
  const auto guard = parts_->guard();
  const Statement view = parts_->sound(id);
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
  if (!found.empty()) parts_->read_repeats(id, found);
  return found;
}

std::vector<std::string> RunStore::faults() const {
  std::vector<std::string> found;
  in_one_view([&] {
    for (const Id id : runs()) {
      try {
        (void)epochs(id);
        (void)episodes(id);
        (void)tested(id);
        (void)checkpoint(id);
        (void)policy_state(id);
      } catch (const CorruptError& error) {
        found.emplace_back(error.what());
      }
    }
  });
  return found;
}

bool RunStore::has_sums() const {
  const auto guard = parts_->guard();
  return !parts_->without_sums();
}

std::optional<TestTime> RunStore::test_time(Id id) const {
  const auto guard = parts_->guard();
  const Statement run = parts_->of_run("SELECT id FROM runs WHERE id = ?1", id);
  if (parts_->without_tests()) return std::nullopt;
  Statement row = parts_->database.prepare("SELECT seconds, decisions FROM test_times WHERE run = ?1");
  if (!row.bind(id).step()) return std::nullopt;
  return TestTime{row.real(0), row.integer(1)};
}

}  // namespace assay
