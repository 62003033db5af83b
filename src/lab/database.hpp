// The part of SQLite that assay needs: handles that close themselves, and errors that name the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Declared as in sqlite3.h, so that this header need not include it.
struct sqlite3;
struct sqlite3_stmt;

namespace assay {

class Database;

/// How a file is recognised as a database of assay.
struct DatabaseKind {
  std::uint32_t application_id = 0;
  /// The statements that lead to each version of the schema from the version before, from version 1 on.
  std::vector<std::string> versions;
  /// Fills what later versions than `from` have added with data of the older tables, in the same
  /// transaction.
  void (*fill)(const Database& database, std::uint32_t from) = nullptr;

  [[nodiscard]] std::uint32_t newest() const { return static_cast<std::uint32_t>(versions.size()); }
};

/// Bytes to bind instead of text. They are not copied and must exist until the statement has been stepped.
struct Blob {
  std::string_view bytes;
};

class Statement;

/// A database whose header, application id, schema version, structure and schema have been checked. A
/// database of an older version is upgraded when it is opened for writing, and read as it is otherwise.
///
/// Throws CorruptError if the file is damaged or not a database, and UsageError if it belongs to another
/// program or a newer version. Nothing is written to a file that has not passed the checks, with one
/// exception: when a process was killed in the middle of a change, SQLite undoes that change for the next
/// writer. A reader changes nothing and therefore throws UsageError in that case.
class Database {
 public:
  enum class Mode { kReadWrite, kReadOnly };

  Database(const std::filesystem::path& file, const DatabaseKind& kind, Mode mode);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  /// Creates an empty database, completely or not at all. Throws UsageError if the file exists already.
  static void create(const std::filesystem::path& file, const DatabaseKind& kind);

  [[nodiscard]] Statement prepare(std::string_view sql) const;
  /// Executes statements without parameters and results.
  void run(const std::string& sql) const;
  [[nodiscard]] std::int64_t last_row() const;
  [[nodiscard]] const std::string& name() const { return name_; }
  /// The version of the schema that the file has now.
  [[nodiscard]] std::uint32_t version() const { return version_; }

  /// Throws the error that a result code of SQLite stands for.
  [[noreturn]] void fail(int code) const;
  /// Throws CorruptError with the file, `why`, and what can be done.
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

  /// Binds the parameters ?1, ?2, ... of a statement that starts anew.
  template <class... Values>
  Statement& bind(const Values&... values) {
    reset();
    int index = 0;
    (bind_one(++index, values), ...);
    return *this;
  }

  /// True if there is a row, false at the end.
  bool step();
  /// Executes a statement that has no rows.
  void execute();

  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] int small(int column) const;         // CorruptError if it does not fit or is negative
  [[nodiscard]] double real(int column) const;       // NULL is NaN
  [[nodiscard]] std::string text(int column) const;  // works for bytes, too
  [[nodiscard]] std::uint64_t unsigned64(int column) const {
    return static_cast<std::uint64_t>(integer(column));
  }

 private:
  void reset();
  void bind_one(int index, std::int64_t value);
  void bind_one(int index, int value) { bind_one(index, std::int64_t{value}); }
  /// The same 64 bits: numbers from 2^63 on appear as negative ones.
  void bind_one(int index, std::uint64_t value) { bind_one(index, static_cast<std::int64_t>(value)); }
  void bind_one(int index, double value);  // NaN becomes NULL, because SQLite cannot store it
  void bind_one(int index, std::string_view value);
  void bind_one(int index, const std::string& value) { bind_one(index, std::string_view(value)); }
  void bind_one(int index, Blob value);

  const Database* database_;
  sqlite3_stmt* handle_ = nullptr;
};

/// A transaction: what is not committed is undone.
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
