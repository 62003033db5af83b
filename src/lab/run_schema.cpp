// The tables of assay.db. docs/run-store.md describes them.
#include <fmt/format.h>

#include <initializer_list>
#include <string>

#include "lab/database.hpp"
#include "lab/run_store.hpp"
#include "lab/run_sum.hpp"

namespace assay {
namespace {

// The triggers keep finished runs unchanged, also if another program opens the file. Each INSERT has a
// trigger, too, because OR REPLACE removes rows without calling the triggers for DELETE.
constexpr std::string_view kRunTables = R"(
CREATE TABLE runs(
  id INTEGER PRIMARY KEY,
  family TEXT NOT NULL, method TEXT NOT NULL, seed INTEGER NOT NULL,
  episodes INTEGER NOT NULL, test_seed INTEGER NOT NULL,
  version TEXT NOT NULL, commit_id TEXT NOT NULL, machine TEXT NOT NULL, kernel TEXT NOT NULL,
  signature TEXT NOT NULL,
  finished INTEGER NOT NULL DEFAULT 0 CHECK(finished IN (0, 1)), epochs INTEGER, seconds REAL,
  UNIQUE(family, method, seed, episodes, test_seed)) STRICT;
CREATE TABLE epochs(
  run INTEGER NOT NULL REFERENCES runs(id), epoch INTEGER NOT NULL, mean_return REAL, loss REAL,
  PRIMARY KEY(run, epoch)) STRICT, WITHOUT ROWID;
CREATE TABLE episodes(
  run INTEGER NOT NULL REFERENCES runs(id), episode INTEGER NOT NULL, undiscounted REAL, discounted REAL,
  PRIMARY KEY(run, episode)) STRICT, WITHOUT ROWID;
CREATE TABLE checkpoints(
  run INTEGER PRIMARY KEY REFERENCES runs(id), epoch INTEGER NOT NULL, state BLOB NOT NULL,
  checksum INTEGER NOT NULL) STRICT;
CREATE TABLE policies(
  run INTEGER PRIMARY KEY REFERENCES runs(id), state BLOB NOT NULL, checksum INTEGER NOT NULL) STRICT;
CREATE TABLE artifacts(name TEXT PRIMARY KEY NOT NULL, text TEXT NOT NULL) STRICT;

CREATE TRIGGER runs_insert BEFORE INSERT ON runs
  WHEN EXISTS(SELECT 1 FROM runs WHERE finished = 1 AND (id = NEW.id OR (family = NEW.family
    AND method = NEW.method AND seed = NEW.seed AND episodes = NEW.episodes AND test_seed = NEW.test_seed)))
  BEGIN SELECT RAISE(ABORT, 'a finished run is never changed'); END;
CREATE TRIGGER runs_update BEFORE UPDATE ON runs WHEN OLD.finished = 1
  BEGIN SELECT RAISE(ABORT, 'a finished run is never changed'); END;
CREATE TRIGGER runs_delete BEFORE DELETE ON runs WHEN OLD.finished = 1
  BEGIN SELECT RAISE(ABORT, 'a finished run is never changed'); END;
)";

// Since version 2: the times of tests, in a table of their own, because they differ from one time to the
// next and nothing reproducible may be made from them; and the episodes on which unfinished runs have been
// tested.
constexpr std::string_view kTestTables = R"(
CREATE TABLE test_times(
  run INTEGER PRIMARY KEY REFERENCES runs(id), seconds REAL NOT NULL, decisions INTEGER NOT NULL) STRICT;
CREATE TABLE tested(
  run INTEGER NOT NULL REFERENCES runs(id), episode INTEGER NOT NULL, undiscounted REAL, discounted REAL,
  PRIMARY KEY(run, episode)) STRICT, WITHOUT ROWID;
)";

// Since version 3: the further parts of checkpoints and policies that are longer than SQLite accepts at
// once; and the returns of repeated episodes, for the episodes on which a run has been tested.
constexpr std::string_view kPartTables = R"(
CREATE TABLE state_parts(
  run INTEGER NOT NULL REFERENCES runs(id), part INTEGER NOT NULL, bytes BLOB NOT NULL,
  PRIMARY KEY(run, part)) STRICT;
CREATE TABLE repeats(
  run INTEGER NOT NULL REFERENCES runs(id), episode INTEGER NOT NULL, repeat INTEGER NOT NULL,
  undiscounted REAL, PRIMARY KEY(run, episode, repeat)) STRICT, WITHOUT ROWID;
)";

// Since version 3: the checksum of a run, which changes with the run until that is finished. It is written
// before the last change of the run, or, for a finished run without a checksum, when the store of an older
// version is upgraded.
constexpr std::string_view kSumTables = R"(
CREATE TABLE run_sums(
  run INTEGER PRIMARY KEY REFERENCES runs(id) ON DELETE CASCADE, checksum INTEGER NOT NULL) STRICT;
CREATE TRIGGER run_sums_insert BEFORE INSERT ON run_sums
  WHEN EXISTS(SELECT 1 FROM run_sums JOIN runs ON id = run WHERE finished = 1 AND run = NEW.run)
  BEGIN SELECT RAISE(ABORT, 'a finished run is never changed'); END;
CREATE TRIGGER run_sums_update BEFORE UPDATE ON run_sums
  WHEN EXISTS(SELECT 1 FROM runs WHERE finished = 1 AND id IN (OLD.run, NEW.run))
  BEGIN SELECT RAISE(ABORT, 'a finished run is never changed'); END;
CREATE TRIGGER run_sums_delete BEFORE DELETE ON run_sums
  WHEN EXISTS(SELECT 1 FROM runs WHERE finished = 1 AND id = OLD.run)
  BEGIN SELECT RAISE(ABORT, 'a finished run is never changed'); END;
)";

/// The application id is "ASAY".
constexpr std::uint32_t kRunApplication = 0x41534159;

/// Keeps the rows of finished runs unchanged.
std::string run_triggers(std::initializer_list<const char*> tables) {
  std::string schema;
  for (const char* table : tables) {
    const auto trigger = [&](const char* event, const char* row) {
      schema += fmt::format(
          "CREATE TRIGGER {0}_{1} BEFORE {1} ON {0}\n"
          "  WHEN EXISTS(SELECT 1 FROM runs WHERE finished = 1 AND id IN ({2}))\n"
          "  BEGIN SELECT RAISE(ABORT, 'a finished run is never changed'); END;\n",
          table, event, row);
    };
    trigger("insert", "NEW.run");
    trigger("update", "OLD.run, NEW.run");
    trigger("delete", "OLD.run");
  }
  return schema;
}

}  // namespace

const DatabaseKind& run_database_kind() {
  static const DatabaseKind kind{
      kRunApplication,
      {std::string(kRunTables) + run_triggers({"epochs", "episodes", "checkpoints", "policies"}),
       std::string(kTestTables) + run_triggers({"test_times", "tested"}),
       std::string(kPartTables) + run_triggers({"state_parts", "repeats"}) + std::string(kSumTables)},
      [](const Database& database, std::uint32_t from) {
        if (from < 3) fill_run_sums(database);
      }};
  return kind;
}

}  // namespace assay
