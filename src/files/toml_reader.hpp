// Reads TOML with places: every complaint names file, line and column. A key that is not read is an error.
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace assay::files {

/// The largest reward that can be written: sums of such rewards keep their digits.
inline constexpr double kMostReward = 1e9;

/// "WHERE:LINE:COLUMN: text".
std::string placed(const std::string& where, const toml::source_region& region, const std::string& text);

/// The same as a UsageError.
[[noreturn]] void fail_at(const std::string& where, const toml::source_region& region,
                          const std::string& text);

/// Runs `work` and adds the place of the node to the UsageErrors that it throws.
void at_place(const std::string& where, const toml::node& node, const std::function<void()>& work);

/// A key as TOML writes it: in quotes unless it is made of letters, digits, - and _.
std::string written_key(std::string_view key);

/// "unknown KIND 'given'; did you mean ...", with the first few of the known names.
std::string unknown_among(std::string_view kind, std::string_view given,
                          const std::vector<std::string>& known);

toml::table parse_toml(std::string_view text, const std::string& where);

class TableReader {
 public:
  /// `what` names the table in messages: "the problem", "[legend] C".
  TableReader(const toml::table& table, std::string where, std::string what)
      : table_(table), where_(std::move(where)), what_(std::move(what)) {}

  /// The value of a key, which is marked as read; none if the key is absent.
  const toml::node* find(std::string_view key);
  const toml::node& need(std::string_view key, const char* example);
  /// The node that a complaint about the key refers to: its value, or the table if the key is absent.
  const toml::node& place(std::string_view key) {
    const toml::node* node = find(key);
    return node == nullptr ? table_ : *node;
  }

  double number(std::string_view key, double otherwise, double low, double high);
  std::int64_t integer(std::string_view key, std::int64_t otherwise, std::int64_t low, std::int64_t high);
  bool flag(std::string_view key, bool otherwise);
  std::string text(std::string_view key, const std::string& otherwise);
  /// One text or an array of texts; empty if the key is absent.
  std::vector<std::string> texts(std::string_view key);

  [[noreturn]] void fail(const toml::node& node, const std::string& text) const;
  /// Complains about the first key that is not one of these. A misspelt key is thus reported before the key
  /// that was meant is reported missing.
  void only(std::string_view kind, const std::vector<std::string>& known) const;
  /// Complains about the first key that was not read; `more` are further keys that would have been possible.
  void finish(const std::vector<std::string>& more = {}) const;

  [[nodiscard]] const toml::table& table() const { return table_; }
  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] const std::string& what() const { return what_; }

 private:
  const toml::table& table_;
  std::string where_, what_;
  std::set<std::string, std::less<>> read_;
};

}  // namespace assay::files
