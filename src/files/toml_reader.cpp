#include "files/toml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/core/detail/spec.hpp"
#include "assay/core/error.hpp"
#include "core/slip.hpp"
#include "files/key_depth.hpp"

namespace assay::files {
namespace {

const char* kind_of(const toml::node& node) {
  if (node.is_table()) return "a table";
  if (node.is_array()) return "an array";
  if (node.is_string()) return "a text";
  if (node.is_boolean()) return "true or false";
  if (node.is_number()) return "a number";
  return "a date or time";
}

}  // namespace

std::string placed(const std::string& where, const toml::source_region& region, const std::string& text) {
  return fmt::format("{}:{}:{}: {}", where, region.begin.line, region.begin.column, text);
}

void fail_at(const std::string& where, const toml::source_region& region, const std::string& text) {
  throw UsageError(placed(where, region, text));
}

std::string written_key(std::string_view key) {
  const bool bare = !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  });
  if (bare) return std::string(key);
  std::string quoted = "\"";
  for (const char c : key) quoted += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return printable(quoted + "\"");
}

void at_place(const std::string& where, const toml::node& node, const std::function<void()>& work) {
  try {
    work();
  } catch (const UsageError& error) {
    const std::string text = error.what();
    if (text.starts_with(where + ":")) throw;  // the message has a place already
    fail_at(where, node.source(), text);
  }
}

std::string unknown_among(std::string_view kind, std::string_view given,
                          const std::vector<std::string>& known) {
  constexpr std::size_t kMostListed = 20;
  const std::string nearest = nearest_name(given, known);
  std::string text = fmt::format("unknown {} '{}'", kind, printable(given));
  if (!nearest.empty()) text += fmt::format("; did you mean '{}'?", printable(nearest));
  text += " (known: ";
  for (std::size_t i = 0; i < std::min(known.size(), kMostListed); ++i)
    text += (i == 0 ? "" : ", ") + printable(known[i]);
  return text + (known.size() > kMostListed ? fmt::format(" and {} more)", known.size() - kMostListed) : ")");
}

toml::table parse_toml(std::string_view text, const std::string& where) {
  check_key_depth(text, where);
  try {
    return toml::parse(text, where);
  } catch (const toml::parse_error& error) {
    fail_at(where, error.source(), printable(error.description(), 300));
  }
}

const toml::node* TableReader::find(std::string_view key) {
  read_.insert(std::string(key));
  return table_.get(key);
}

const toml::node& TableReader::need(std::string_view key, const char* example) {
  const toml::node* node = find(key);
  if (node != nullptr) return *node;
  for (const auto& [given, value] : table_) {
    if (!read_.contains(given.str()) && is_slip_of(given.str(), key)) {
      fail_at(where_, given.source(),
              fmt::format("{}: {}", what_, unknown_among("key", given.str(), {std::string(key)})));
    }
  }
  fail(table_, fmt::format("{} has no {}; for example {}", what_, printable(key), example));
}

double TableReader::number(std::string_view key, double otherwise, double low, double high) {
  const toml::node* node = find(key);
  if (node == nullptr) return otherwise;
  const std::optional<double> value = node->value<double>();
  if (!node->is_number() || !value) {
    fail(*node, fmt::format("{}: {} is {}; it should be a number", what_, key, kind_of(*node)));
  }
  if (!(*value >= low && *value <= high)) {
    fail(*node,
         fmt::format("{}: {} = {} is out of range; it is from {} to {}", what_, key, *value, low, high));
  }
  return *value;
}

std::int64_t TableReader::integer(std::string_view key, std::int64_t otherwise, std::int64_t low,
                                  std::int64_t high) {
  const toml::node* node = find(key);
  if (node == nullptr) return otherwise;
  if (!node->is_integer()) {
    fail(*node, fmt::format("{}: {} is {}; it should be a whole number", what_, key, kind_of(*node)));
  }
  const std::int64_t value = node->as_integer()->get();
  if (value < low || value > high) {
    fail(*node,
         fmt::format("{}: {} = {} is out of range; it is from {} to {}", what_, key, value, low, high));
  }
  return value;
}

bool TableReader::flag(std::string_view key, bool otherwise) {
  const toml::node* node = find(key);
  if (node == nullptr) return otherwise;
  if (!node->is_boolean()) {
    fail(*node, fmt::format("{}: {} is {}; it should be true or false", what_, key, kind_of(*node)));
  }
  return node->as_boolean()->get();
}

std::string TableReader::text(std::string_view key, const std::string& otherwise) {
  const toml::node* node = find(key);
  if (node == nullptr) return otherwise;
  if (!node->is_string()) {
    fail(*node, fmt::format("{}: {} is {}; it should be a text in quotes", what_, key, kind_of(*node)));
  }
  return node->as_string()->get();
}

std::vector<std::string> TableReader::texts(std::string_view key) {
  const toml::node* node = find(key);
  if (node == nullptr) return {};
  if (node->is_string()) return {node->as_string()->get()};
  std::vector<std::string> all;
  if (!node->is_array()) {
    fail(*node,
         fmt::format("{}: {} is {}; it should be a text, or an array of them", what_, key, kind_of(*node)));
  }
  for (const toml::node& each : *node->as_array()) {
    if (!each.is_string()) {
      fail(each, fmt::format("{}: {} holds {}; it should hold texts in quotes", what_, key, kind_of(each)));
    }
    all.push_back(each.as_string()->get());
  }
  return all;
}

void TableReader::fail(const toml::node& node, const std::string& text) const {
  fail_at(where_, node.source(), text);
}

void TableReader::only(std::string_view kind, const std::vector<std::string>& known) const {
  for (const auto& [key, node] : table_) {
    if (std::ranges::find(known, key.str()) == known.end())
      fail_at(where_, key.source(), fmt::format("{}: {}", what_, unknown_among(kind, key.str(), known)));
  }
}

void TableReader::finish(const std::vector<std::string>& more) const {
  for (const auto& [key, node] : table_) {
    if (read_.contains(key.str())) continue;
    std::vector<std::string> known(read_.begin(), read_.end());
    known.insert(known.end(), more.begin(), more.end());
    std::ranges::sort(known);
    fail_at(where_, key.source(), fmt::format("{}: {}", what_, unknown_among("key", key.str(), known)));
  }
}

}  // namespace assay::files
