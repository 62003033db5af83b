#include "lab/database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>

#include "assay/core/detail/spec.hpp"
#include "assay/core/error.hpp"
#include "core/bytes.hpp"
#include "lab/atomic_file.hpp"

namespace assay {
namespace {

// The layout is described at https://www.sqlite.org/fileformat.html, "The Database Header".
constexpr std::string_view kSqliteMagic("SQLite format 3\0", 16);
constexpr std::size_t kSqliteHeader = 100;
constexpr std::size_t kFormatPlace = 18, kVersionPlace = 60, kApplicationPlace = 68;

/// A writer and a reader wait for each other for this long.
constexpr int kPatienceMs = 60'000;

std::uint32_t big_endian_at(std::string_view bytes, std::size_t place) {
  std::uint32_t value = 0;
  for (const char c : bytes.substr(place, 4)) value = value << 8U | static_cast<unsigned char>(c);
  return value;
}

using SqliteHandle = std::unique_ptr<sqlite3, decltype([](sqlite3* handle) { sqlite3_close_v2(handle); })>;

/// The schema in memory, with which a file is compared and from which a new file is made.
SqliteHandle schema_in_memory(const DatabaseKind& kind, std::uint32_t version) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(":memory:", &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  SqliteHandle handle(raw);
  std::string sql =
      fmt::format("PRAGMA application_id={}; PRAGMA user_version={}; BEGIN;", kind.application_id, version);
  for (std::uint32_t v = 0; v < version; ++v) sql += kind.versions[v];
  sql += "COMMIT;";
  if (code != SQLITE_OK || sqlite3_exec(raw, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    throw Error(fmt::format("the schema cannot be made: {}", sqlite3_errmsg(raw)));
  }
  return handle;
}

/// Calls SQLite, and calls it again if SQLite mistakes the journal of a writer that has just finished for
/// that of a killed one, which happens if the journal disappears while SQLite looks at it.
template <class Call>
int patiently(const Call& call) {
  constexpr int kTries = 20;
  int code = call();
  for (int i = 1; i < kTries && code == SQLITE_READONLY_ROLLBACK; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    code = call();
  }
  return code;
}

constexpr std::string_view kSchemaQuery =
    "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name";

}  // namespace

Database::Database(const std::filesystem::path& file, const DatabaseKind& kind, Mode mode)
    : name_(file.string()) {
  try {
    open(file, mode);
    check_header(kind);
    configure(mode);
    check_structure();
    // Repeats the call after the journal of a process that was killed between two versions has been dealt
    // with.
    version_ = static_cast<std::uint32_t>(stored_version());
    check_schema(kind, version_);
    if (version_ < kind.newest() && mode == Mode::kReadWrite) upgrade(kind);
    checked_ = true;
  } catch (...) {
    sqlite3_close_v2(handle_);
    throw;
  }
}

Database::~Database() { sqlite3_close_v2(handle_); }

void Database::create(const std::filesystem::path& file, const DatabaseKind& kind) {
  const SqliteHandle memory = schema_in_memory(kind, kind.newest());
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, decltype(&sqlite3_free)> image(
      sqlite3_serialize(memory.get(), "main", &size, 0), sqlite3_free);
  if (!image) throw Error(fmt::format("cannot create {}: out of memory", file.string()));
  write_new(file, {reinterpret_cast<const char*>(image.get()), static_cast<std::size_t>(size)});
}

void Database::open(const std::filesystem::path& file, Mode mode) {
  // The name is checked before anything is opened, because opening a pipe would wait.
  std::error_code fault;
  const auto status = std::filesystem::status(file, fault);
  if (status.type() == std::filesystem::file_type::not_found) {
    throw UsageError(fmt::format("there is no {}", name_));
  }
  if (fault) throw UsageError(fmt::format("cannot open {}: {}", name_, fault.message()));
  if (!std::filesystem::is_regular_file(status)) {
    throw UsageError(fmt::format("{} is not an ordinary file, and so no database of assay", name_));
  }
  // SQLite would believe that the pages of this file are newer than those of the database.
  const std::filesystem::path ahead = file.string() + "-wal";
  if (name_is_taken(ahead)) {
    throw UsageError(fmt::format(
        "{} is there, which assay never makes: what it holds would be read in place of {}; nothing was "
        "changed; move it away",
        ahead.string(), name_));
  }
  // The path is made absolute, because SQLite would read "file:..." as a URI.
  const std::filesystem::path path = std::filesystem::absolute(file, fault);
  if (fault) throw Error(fmt::format("cannot open {}: {}", name_, fault.message()));
  const int access = mode == Mode::kReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  const int code = sqlite3_open_v2(path.c_str(), &handle_, access | SQLITE_OPEN_NOMUTEX, nullptr);
  if (handle_ == nullptr) throw Error(fmt::format("cannot open {}: out of memory", name_));
  if (code != SQLITE_OK) fail(code);
}

// Reads the first bytes of the file without SQLite's pager, which would first apply a journal that lies
// beside it, but through SQLite's own descriptor: closing a descriptor of ours would drop the locks of every
// other connection of this process to the file (sqlite.org/howtocorrupt.html, 2.2).
std::string Database::header() const {
  sqlite3_file* file = nullptr;
  sqlite3_int64 size = 0;
  std::string bytes(kSqliteHeader, '\0');
  int code = sqlite3_file_control(handle_, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code == SQLITE_OK) code = file->pMethods->xFileSize(file, &size);
  if (code == SQLITE_OK) code = file->pMethods->xRead(file, bytes.data(), static_cast<int>(bytes.size()), 0);
  if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) {
    throw Error(fmt::format("cannot read {}: {}", name_, sqlite3_errstr(code)));
  }
  bytes.resize(std::min(bytes.size(), static_cast<std::size_t>(size)));
  return bytes;
}

void Database::check_header(const DatabaseKind& kind) {
  const std::string bytes = header();
  if (bytes.empty()) damaged("it is empty");
  if (std::string_view(bytes).substr(0, kSqliteMagic.size()) != kSqliteMagic.substr(0, bytes.size())) {
    damaged("file is not a database");
  }
  if (bytes.size() < kSqliteHeader) damaged(fmt::format("only {} bytes of it are left", bytes.size()));
  const std::uint32_t id = big_endian_at(bytes, kApplicationPlace);
  if (id != kind.application_id) {
    throw UsageError(
        fmt::format("{} is a database, but not of assay (application id {:#x}, not {:#x}); nothing was "
                    "changed; give another folder",
                    name_, id, kind.application_id));
  }
  version_ = big_endian_at(bytes, kVersionPlace);
  if (version_ > kind.newest()) {
    throw UsageError(
        fmt::format("{} was written by a newer version of assay (schema {}, this one knows {}); nothing "
                    "was changed; use the newer assay",
                    name_, version_, kind.newest()));
  }
  if (version_ == 0) damaged("it has schema 0, which was never in use");
  if (bytes[kFormatPlace] != 1 || bytes[kFormatPlace + 1] != 1) {
    damaged(
        "its journal is not a rollback journal; if you changed that, PRAGMA journal_mode=DELETE changes it "
        "back");
  }
}

void Database::configure(Mode mode) const {
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, kPatienceMs);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  // With FULL, a rollback journal is on the disk before the file changes, and the file is on the disk before
  // the journal is removed.
  run("PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON");
  run("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON");  // the file may come from anyone
  if (mode == Mode::kReadOnly) {
    run("PRAGMA query_only=ON");
  } else if (sqlite3_db_readonly(handle_, "main") == 1) {
    throw UsageError(fmt::format("{} may not be written; change its permissions or only read it", name_));
  }
}

// Indexes are checked, too: they are small, and a row that is missing in an index is not found.
void Database::check_structure() const {
  Statement check = prepare("PRAGMA integrity_check(1)");
  const std::string found = check.step() ? check.text(0) : "no answer";
  if (found != "ok") damaged(printable(found));
}

/// Are all parts of this version there, unchanged, and no part that only a later version has?
void Database::check_schema(const DatabaseKind& kind, std::uint32_t version) const {
  const SqliteHandle memory = schema_in_memory(kind, version);
  const SqliteHandle newest = schema_in_memory(kind, kind.newest());
  constexpr const char* kCount =
      "SELECT count(*) FROM sqlite_schema WHERE type=?1 AND name=?2 AND tbl_name=?3 AND sql=?4";
  Statement due(*this, memory.get(), kCount);
  Statement found = prepare(kCount);
  const auto count = [](Statement& in, const Statement& entry) {
    in.bind(entry.text(0), entry.text(1), entry.text(2), entry.text(3));
    return in.step() ? in.integer(0) : 0;
  };
  for (sqlite3* schema : {memory.get(), newest.get()}) {
    Statement entries(*this, schema, kSchemaQuery);
    while (entries.step()) {
      if (count(found, entries) == count(due, entries)) continue;
      damaged(fmt::format("the {} {} is not as assay made it", entries.text(0), entries.text(1)));
    }
  }
}

int Database::stored_version() const {
  Statement query = prepare("PRAGMA user_version");
  return query.step() ? query.small(0) : 0;
}

// The number of the version lies in the file's header, which transactions include, so that an upgrade
// happens completely or not at all.
void Database::upgrade(const DatabaseKind& kind) {
  Transaction all(*this);
  for (std::uint32_t v = version_; v < kind.newest(); ++v) run(kind.versions[v]);
  if (kind.fill != nullptr) kind.fill(*this, version_);
  run(fmt::format("PRAGMA user_version={}", kind.newest()));
  check_schema(kind, kind.newest());
  all.commit();
  version_ = kind.newest();
}

Statement Database::prepare(std::string_view sql) const { return {*this, handle_, sql}; }

void Database::run(const std::string& sql) const {
  const int code = patiently([&] { return sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr); });
  if (code != SQLITE_OK) fail(code);
}

std::int64_t Database::last_row() const { return sqlite3_last_insert_rowid(handle_); }

void Database::fail(int code) const {
  const std::string why = handle_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle_);
  // The queries of this check are correct: if SQLite cannot answer them, the file is damaged.
  if (!checked_ && (code & 0xff) == SQLITE_ERROR) damaged(printable(why));
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
      damaged(printable(why));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw Error(fmt::format("{} is in use by another program ({}); close that and try again", name_, why));
    case SQLITE_FULL:
      throw Error(fmt::format("the disk that holds {} is full; nothing was changed", name_));
    case SQLITE_TOOBIG:
      throw LimitError(
          fmt::format("one entry is too large for {} ({}); 1000000000 bytes are possible", name_, why));
    case SQLITE_READONLY:
      if (code == SQLITE_READONLY_ROLLBACK) {
        throw UsageError(fmt::format(
            "{0}-journal is there: a process was stopped while it wrote, and {0} cannot be read before that "
            "is undone; nothing was changed; begin the command that wrote it again with --resume",
            name_));
      }
      [[fallthrough]];
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      throw UsageError(fmt::format(
          "cannot open or write {} ({}); look at the permissions of it and its folder", name_, why));
    case SQLITE_CONSTRAINT:
      throw UsageError(fmt::format("{} refuses this: {}", name_, printable(why)));
    default:
      throw Error(fmt::format("{}: {} (SQLite {})", name_, printable(why), code));
  }
}

void Database::damaged(std::string_view why) const {
  throw CorruptError(
      fmt::format("{} is damaged ({}); nothing was changed; move it away or restore a copy", name_, why));
}

Statement::Statement(const Database& database, sqlite3* handle, std::string_view sql) : database_(&database) {
  const int code = patiently([&] {
    return sqlite3_prepare_v2(handle, sql.data(), static_cast<int>(sql.size()), &handle_, nullptr);
  });
  if (code != SQLITE_OK) database.fail(code);
}

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_), handle_(std::exchange(other.handle_, nullptr)) {}

Statement::~Statement() { sqlite3_finalize(handle_); }

// Its result only repeats what the last step has reported.
void Statement::reset() { sqlite3_reset(handle_); }

bool Statement::step() {
  const int code = patiently([&] { return sqlite3_step(handle_); });
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_->fail(code);
  return false;
}

void Statement::execute() {
  while (step()) {
  }
  reset();
}

bool Statement::is_null(int column) const { return sqlite3_column_type(handle_, column) == SQLITE_NULL; }

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_, column); }

int Statement::small(int column) const {
  const std::int64_t value = integer(column);
  if (value < 0 || value > std::numeric_limits<int>::max()) {
    database_->damaged(fmt::format("{} holds {}", sqlite3_column_name(handle_, column), value));
  }
  return static_cast<int>(value);
}

double Statement::real(int column) const {
  return is_null(column) ? std::numeric_limits<double>::quiet_NaN() : sqlite3_column_double(handle_, column);
}

std::string Statement::text(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(handle_, column));
  const int size = sqlite3_column_bytes(handle_, column);
  const bool lost = bytes == nullptr && sqlite3_errcode(sqlite3_db_handle(handle_)) == SQLITE_NOMEM;
  if (lost) database_->fail(SQLITE_NOMEM);
  return bytes == nullptr ? std::string() : std::string(bytes, static_cast<std::size_t>(size));
}

void Statement::bind_one(int index, std::int64_t value) {
  const int code = sqlite3_bind_int64(handle_, index, value);
  if (code != SQLITE_OK) database_->fail(code);
}

void Statement::bind_one(int index, double value) {
  const int code =
      std::isnan(value) ? sqlite3_bind_null(handle_, index) : sqlite3_bind_double(handle_, index, value);
  if (code != SQLITE_OK) database_->fail(code);
}

// An empty array may have no address, which SQLite would take for NULL.
void Statement::bind_one(int index, std::string_view value) {
  const int code = sqlite3_bind_text64(handle_, index, value.empty() ? "" : value.data(), value.size(),
                                       SQLITE_TRANSIENT, SQLITE_UTF8);
  if (code != SQLITE_OK) database_->fail(code);
}

void Statement::bind_one(int index, Blob value) {
  const int code = sqlite3_bind_blob64(handle_, index, value.bytes.empty() ? "" : value.bytes.data(),
                                       value.bytes.size(), SQLITE_STATIC);
  if (code != SQLITE_OK) database_->fail(code);
}

Transaction::Transaction(const Database& database) : database_(database) { database.run("BEGIN IMMEDIATE"); }

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.run("ROLLBACK");
  } catch (const std::exception&) {
    // SQLite has undone it already, because of the error that led here.
  }
}

void Transaction::commit() {
  database_.run("COMMIT");
  open_ = false;
}

}  // namespace assay
