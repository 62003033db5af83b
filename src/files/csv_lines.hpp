// Comma-separated values, line by line. Only fields in quotes are copied.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::files {

/// Fields are separated by commas; blanks around them are ignored. A field in quotes may contain any
/// characters, with a quote written as "". Empty lines and lines that begin with # are skipped. Lines end
/// with LF or CR LF.
class CsvLines {
 public:
  /// Both arguments must outlive the object.
  CsvLines(std::string_view text, const std::string& where);

  /// Goes to the next line. Returns false if there is none.
  bool next();

  /// The fields of this line; they are valid until the next call.
  [[nodiscard]] std::span<const std::string_view> fields() const { return fields_; }
  /// The number of this line, from 1.
  [[nodiscard]] std::uint32_t line() const { return line_; }

  /// "WHERE:LINE: text" as UsageError.
  [[noreturn]] void fail(const std::string& text) const { fail(line_, text); }
  [[noreturn]] void fail(std::uint32_t line, const std::string& text) const;

 private:
  [[nodiscard]] static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }
  std::string_view plain_field();
  std::string_view quoted_field();

  const char* at_;
  const char* end_;
  const std::string& where_;
  std::uint32_t line_ = 0;
  std::uint32_t next_line_ = 1;
  std::vector<std::string_view> fields_;
  std::deque<std::string> unquoted_;  // the fields with quotes in them; fields_ points here
  std::size_t unquoted_used_ = 0;
};

}  // namespace assay::files
