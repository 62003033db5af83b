// SQLite, as far as assay needs it: handles that close themselves, and errors that name the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// As in sqlite3.h, which whoever includes this need not have.
struct sqlite3;
struct sqlite3_stmt;

namespace assay {

class Database;

/// What makes a file one of ours.
struct DatabaseKind {
  std::uint32_t application_id = 0;
  /// By version of the schema, from 1 on: the statements that lead to it from the version before.
  std::vector<std::string> versions;
  /// Fills what the versions after `from` have added with what was there before, in the same transaction.
  void (*fill)(const Database& database, std::uint32_t from) = nullptr;

  [[nodiscard]] std::uint32_t newest() const { return static_cast<std::uint32_t>(versions.size()); }
};

/// To bind bytes instead of text. Not copied: they must stay until the statement has been stepped.
struct Blob {
  std::string_view bytes;
};

class Statement;

/// A database that has been looked over: its header, application id, schema version, structure and schema.
/// One of an older version gets what it lacks when it is opened to be written, and is read as it is.
///
/// Throws CorruptError if the file is damaged or no database, UsageError if it belongs to another program or
/// a newer version. Nothing is written to a file before it has passed, but for one thing: to a writer, SQLite
/// undoes what a process left half-done when it was killed. A reader changes nothing and so throws
/// UsageError then.
class Database {
 public:
  enum class Mode { kReadWrite, kReadOnly };

  Database(const std::filesystem::path& file, const DatabaseKind& kind, Mode mode);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  /// A new, empty database; there whole or not at all. Throws UsageError if the file is there already.
  static void create(const std::filesystem::path& file, const DatabaseKind& kind);

  [[nodiscard]] Statement prepare(std::string_view sql) const;
  /// Statements without parameters and results.
  void run(const std::string& sql) const;
  [[nodiscard]] std::int64_t last_row() const;
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Of the schema that the file has by now.
  [[nodiscard]] std::uint32_t version() const { return version_; }

  /// Throws what a result code of SQLite stands for.
  [[noreturn]] void fail(int code) const;
  /// Throws CorruptError: the file, `why`, and what can be done.
  [[noreturn]] void damaged(std::string_view why) const;

 private:
  void open(const std::filesystem::path& file, Mode mode);
  [[nodiscard]] std::string header() const;
  void check_header(const DatabaseKind& kind);
  void configure(Mode mode) const;
  void check_structure() const;
  void check_schema(const DatabaseKind& kind, std::uint32_t version) const;
  [[nodiscard]] int stored_version() const;
  void upgrade(const DatabaseKind& kind);

  std::string name_;
  std::uint32_t version_ = 0;
  sqlite3* handle_ = nullptr;
  bool checked_ = false;
};

/// One prepared statement; the database must outlive it.
class Statement {
 public:
  Statement(const Database& database, sqlite3* handle, std::string_view sql);
  Statement(Statement&& other) noexcept;
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  /// The parameters ?1, ?2, ... of a statement that starts anew.
  template <class... Values>
  Statement& bind(const Values&... values) {
    reset();
    int index = 0;
    (bind_one(++index, values), ...);
    return *this;
  }

  /// True if there is a row to look at, false at the end.
  bool step();
  /// For statements without rows.
  void execute();

  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] int small(int column) const;         // CorruptError if it does not fit or is negative
  [[nodiscard]] double real(int column) const;       // NULL is NaN
  [[nodiscard]] std::string text(int column) const;  // or bytes
  [[nodiscard]] std::uint64_t unsigned64(int column) const {
    return static_cast<std::uint64_t>(integer(column));
  }

 private:
  void reset();
  void bind_one(int index, std::int64_t value);
  void bind_one(int index, int value) { bind_one(index, std::int64_t{value}); }
  /// The same 64 bits: from 2^63 on they show as negative numbers.
  void bind_one(int index, std::uint64_t value) { bind_one(index, static_cast<std::int64_t>(value)); }
  void bind_one(int index, double value);  // NaN becomes NULL: SQLite has no other place for it
  void bind_one(int index, std::string_view value);
  void bind_one(int index, const std::string& value) { bind_one(index, std::string_view(value)); }
  void bind_one(int index, Blob value);

  const Database* database_;
  sqlite3_stmt* handle_ = nullptr;
};

/// Everything or nothing: what is not committed is undone.
class Transaction {
 public:
  explicit Transaction(const Database& database);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  const Database& database_;
  bool open_ = true;
};

}  // namespace assay
