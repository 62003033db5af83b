#include "advice/event_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "assay/advice/explanation.hpp"
#include "assay/core/detail/spec.hpp"
#include "assay/core/error.hpp"

namespace assay::advice {
namespace {

constexpr std::string_view kBlanks = " \t\n";

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string_view first_word(std::string_view text) { return text.substr(0, text.find(' ')); }

bool begins_a_part(std::string_view text) {
  return begins_with_word(text, "sees") || begins_with_word(text, "pays") || begins_with_word(text, "to");
}

/// The places where a value can end: before each word that may begin the next part, and at the end of the
/// text.
std::vector<std::size_t> possible_ends(std::string_view text) {
  std::vector<std::size_t> ends;
  for (std::size_t blank = text.find(' '); blank != std::string_view::npos;
       blank = text.find(' ', blank + 1)) {
    if (begins_a_part(text.substr(blank + 1))) ends.push_back(blank);
  }
  ends.push_back(text.size());
  return ends;
}

std::string unknown_state(const Problem& problem, std::string_view name) {
  try {
    state_named(problem, name);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

bool begins_with_word(std::string_view text, std::string_view word) {
  return text.starts_with(word) && (text.size() == word.size() || text[word.size()] == ' ');
}

EventReader::EventReader(const Problem& problem) : problem_(problem) {
  for (int x = 0; x < problem.states(); ++x) {
    names_.push_back({problem.state_name(x), x});
    if (names_.back().name != std::to_string(x)) names_.push_back({std::to_string(x), x});
    if (problem.drawable()) names_.push_back({std::string(1, problem.landmark(x)), x});
  }
}

std::vector<Reading> EventReader::readings(std::string_view said) const {
  std::vector<Reading> all;
  read(said, {}, all);
  return all;
}

void EventReader::read(std::string_view rest, const Reading& reading, std::vector<Reading>& all) const {
  rest = without_blanks(rest);
  if (rest.empty()) return all.push_back(reading);
  const std::string_view word = first_word(rest);
  const std::string_view value = without_blanks(rest.substr(word.size()));
  if (value.empty()) return;
  if (word == "pays" && !reading.pays) {
    const std::string_view digits = first_word(value);
    Reading more = reading;
    more.pays = number_of(digits);
    if (more.pays) read(value.substr(digits.size()), more, all);
  } else if (word == "to" && !reading.to) {
    read_state(value, reading, all);
  } else if (word == "sees" && !reading.sees) {
    for (const std::size_t end : possible_ends(value)) {
      Reading more = reading;
      more.sees = without_blanks(value.substr(0, end));
      read(value.substr(end), more, all);
    }
  }
}

void EventReader::read_state(std::string_view value, const Reading& reading,
                             std::vector<Reading>& all) const {
  for (const StateName& one : names_) {
    if (!begins_with_word(value, one.name)) continue;
    Reading more = reading;
    more.to = one.state;
    read(value.substr(one.name.size()), more, all);
  }
}

std::size_t EventReader::end_of(std::string_view word, std::string_view value) const {
  if (word == "sees") return possible_ends(value).front();
  const std::string_view first = first_word(value);
  if (word == "pays") return number_of(first) ? first.size() : 0;
  std::size_t longest = 0;
  for (const StateName& one : names_) {
    if (begins_with_word(value, one.name)) longest = std::max(longest, one.name.size());
  }
  return longest;
}

std::string EventReader::complaint(std::string_view said) const {
  std::set<std::string_view> used;
  for (said = without_blanks(said); !said.empty(); said = without_blanks(said)) {
    const std::string_view word = first_word(said);
    if (!begins_a_part(said)) {
      return fmt::format("unknown word '{}'; after what was done come: sees ..., pays ..., to ...",
                         printable(std::string(word), 40));
    }
    if (!used.insert(word).second) return fmt::format("'{}' is said twice", word);
    const std::string_view value = without_blanks(said.substr(word.size()));
    if (value.empty()) return fmt::format("nothing follows '{}'", word);
    const std::size_t end = end_of(word, value);
    if (end == 0 && word == "pays") {
      return fmt::format("'{}' is not a number", printable(std::string(first_word(value)), 40));
    }
    if (end == 0) return unknown_state(problem_, value.substr(0, possible_ends(value).front()));
    said = value.substr(end);
  }
  return "";
}

}  // namespace assay::advice
