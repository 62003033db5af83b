#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "assay/core/error.hpp"
#include "assay/problem/registry.hpp"

namespace assay::detail {
namespace {

constexpr const char* kEndlessWord = "endless";

[[noreturn]] void throw_bad_value(const std::string& key, const std::string& value,
                                  const std::string& expected, const std::string& help) {
  throw UsageError(fmt::format("{}={} is not {} ({})", key, value, expected, help));
}

/// The whole of `text` as a number, or false.
template <class Number>
bool parse_all(const std::string& text, Number& number) {
  const char* const last = text.data() + text.size();
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-';  // from_chars accepts none
  const auto [end, error] = std::from_chars(text.data() + (plus ? 1 : 0), last, number);
  return error == std::errc{} && end == last;
}

}  // namespace

int parse_integer(const std::string& key, const std::string& value, int low, int high,
                  const std::string& help) {
  int number = 0;
  if (!parse_all(value, number) || number < low || number > high) {
    throw_bad_value(key, value, "an integer " + integer_range(low, high), help);
  }
  return number;
}

int parse_steps(const std::string& key, const std::string& value, int most, const std::string& help) {
  if (value == kEndlessWord) return kEndless;
  int number = 0;
  if (!parse_all(value, number) || number < 1 || number > most) {
    throw_bad_value(key, value, "an integer " + steps_range(most), help);
  }
  return number;
}

double parse_real(const std::string& key, const std::string& value, double low, double high,
                  const std::string& help) {
  double number = 0;
  if (!parse_all(value, number) || !std::isfinite(number) || number < low || number > high) {
    throw_bad_value(key, value, "a number " + real_range(low, high), help);
  }
  return number;
}

std::size_t parse_choice(const std::string& key, const std::string& value,
                         const std::vector<std::string>& choices, const std::string& help) {
  const auto found = std::ranges::find(choices, value);
  if (found == choices.end()) {
    const std::string nearest = nearest_name(value, choices);
    const std::string hint = nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest);
    throw_bad_value(key, value, "one of " + choice_range(choices) + hint, help);
  }
  return static_cast<std::size_t>(found - choices.begin());
}

std::string steps_text(int steps) { return steps == kEndless ? kEndlessWord : std::to_string(steps); }
std::string steps_range(int most) { return fmt::format("from 1 to {}, or {}", most, kEndlessWord); }
std::string integer_range(int low, int high) { return fmt::format("from {} to {}", low, high); }
std::string real_range(double low, double high) { return fmt::format("from {} to {}", low, high); }
std::string choice_range(const std::vector<std::string>& choices) {
  return fmt::format("{}", fmt::join(choices, "|"));
}
std::string real_text(double value) { return fmt::format("{}", value); }

void throw_unknown_parameter(const std::string& given, const std::vector<std::string>& known) {
  throw UsageError(unknown_name_message("parameter", given, known));
}

}  // namespace assay::detail
