#include "files/outcome_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "assay/core/detail/spec.hpp"
#include "assay/core/error.hpp"
#include "core/utf8.hpp"
#include "files/csv_lines.hpp"
#include "files/name_index.hpp"
#include "files/toml_reader.hpp"

namespace assay::files {
namespace {

/// The columns: their numbers and their names.
struct OutcomeColumns {
  enum Column : std::size_t { kState, kAction, kEnvironment, kNext, kProbability, kReward, kShows, kCount };
  inline static const std::vector<std::string> kNames = {"state",       "action", "environment", "next",
                                                         "probability", "reward", "shows"};
};

constexpr double kMostLineReward = 1e9;  // as for an [[outcome]]

class OutcomeTable : OutcomeColumns {
 public:
  OutcomeTable(std::string_view text, const std::string& where, const OutcomeNames& names,
               std::vector<std::string>& signs)
      : lines_(text, where),
        names_(names),
        state_index_(*names.states),
        next_index_(*names.states),
        action_index_(*names.actions),
        environment_index_(*names.environments),
        signs_(signs),
        sign_index_(signs) {
    check_keys();
    read_header();
    // The estimate is seldom too small, so that millions of entries are not moved repeatedly.
    entries_.reserve(text.size() / 24);
    while (lines_.next()) read_line();
  }

  void put(TableBuilder& builder) const {
    // Sorts by counting, which keeps the entries of a key in the order of their lines.
    std::vector<std::uint32_t> ends(keys_ + 1);  // [key + 1]
    for (const Entry& entry : entries_) ++ends[entry.key + 1];
    for (std::size_t key = 0; key < keys_; ++key) ends[key + 1] += ends[key];
    std::vector<std::uint32_t> order(entries_.size());
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      order[ends[entries_[i].key]++] = static_cast<std::uint32_t>(i);
    }
    builder.reserve(entries_.size());
    std::vector<TableBuilder::PlainPossibility> together;
    for (std::size_t i = 0; i < order.size();) {
      const std::uint32_t key = entries_[order[i]].key;
      const std::uint32_t first = entries_[order[i]].line;
      together.clear();
      for (; i < ends[key]; ++i) together.push_back(entries_[order[i]].possibility);
      check_sum(together, key, first);
      builder.outcome(state_of(key), action_of(key), together, environment_of(key));
    }
  }

  [[nodiscard]] std::vector<std::pair<int, int>> shown() const {
    std::vector<bool> shows(keys_ / environments());
    for (const Entry& entry : entries_) {
      if (entry.possibility.sign != TableBuilder::kNoSign) shows[entry.key / environments()] = true;
    }
    std::vector<std::pair<int, int>> all;
    for (std::size_t pair = 0; pair < shows.size(); ++pair) {
      if (shows[pair]) all.emplace_back(state_of(pair * environments()), action_of(pair * environments()));
    }
    return all;
  }

 private:
  struct Entry {
    TableBuilder::PlainPossibility possibility;
    std::uint32_t key, line;
  };

  /// The number of environments, including the one that stands for all of them.
  [[nodiscard]] std::size_t environments() const { return names_.environments->size() + 1; }
  [[nodiscard]] std::size_t actions() const { return names_.actions->size() + 1; }

  // A key counts [state][action + 1][environment + 1].
  [[nodiscard]] std::uint32_t key_of(int state, int action, int environment) const {
    return static_cast<std::uint32_t>(
        (static_cast<std::size_t>(state) * actions() + static_cast<std::size_t>(action + 1)) *
            environments() +
        static_cast<std::size_t>(environment + 1));
  }
  [[nodiscard]] int state_of(std::size_t key) const {
    return static_cast<int>(key / environments() / actions());
  }
  [[nodiscard]] int action_of(std::size_t key) const {
    return static_cast<int>(key / environments() % actions()) - 1;
  }
  [[nodiscard]] int environment_of(std::size_t key) const {
    return static_cast<int>(key % environments()) - 1;
  }

  void check_keys() {
    constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max() - 1;
    const std::size_t states = names_.states->size();
    if (states > kMost / actions() || states * actions() > kMost / environments()) {
      lines_.fail(1, fmt::format("{} states, {} actions and {} environments are too many for a table", states,
                                 actions() - 1, environments() - 1));
    }
    keys_ = states * actions() * environments();
  }

  void read_header() {
    if (!lines_.next()) {
      lines_.fail(1, "there is no header; the first line names the columns: state,action,next,reward");
    }
    places_.fill(kNowhere);
    width_ = lines_.fields().size();
    for (std::size_t i = 0; i < width_; ++i) {
      const std::string_view name = lines_.fields()[i];
      const auto found = std::ranges::find(kNames, name);
      if (found == kNames.end()) {
        lines_.fail(
            fmt::format("{}; the first line names the columns", unknown_among("column", name, kNames)));
      }
      std::size_t& place = places_[static_cast<std::size_t>(found - kNames.begin())];
      if (place != kNowhere) lines_.fail(fmt::format("the column {} is there twice; once is enough", name));
      place = i;
    }
    for (const Column needed : {kState, kAction}) {
      if (places_[needed] == kNowhere) {
        lines_.fail(
            fmt::format("the header has no column {}; for example state,action,next,reward", kNames[needed]));
      }
    }
  }

  /// The field of a column; empty if there is no such column.
  [[nodiscard]] std::string_view field(Column column) const {
    return places_[column] == kNowhere ? std::string_view() : lines_.fields()[places_[column]];
  }

  void read_line() {
    if (lines_.fields().size() != width_) {
      lines_.fail(fmt::format("{} fields, but the header has {} columns; empty fields need their commas too",
                              lines_.fields().size(), width_));
    }
    const int state = named(kState, "state", state_index_, *names_.states);
    const int action =
        field(kAction) == "arrive" ? kArrive : named(kAction, "action", action_index_, *names_.actions);
    const bool every = field(kEnvironment).empty() || field(kEnvironment) == "*";
    const int environment =
        every ? TableBuilder::kEvery
              : named(kEnvironment, "environment", environment_index_, *names_.environments);
    TableBuilder::PlainPossibility possibility;
    possibility.next = field(kNext).empty() ? state : named(kNext, "state", next_index_, *names_.states);
    if (action == kArrive && possibility.next != state) {
      lines_.fail("arriving leads elsewhere; only actions lead to other states: leave next empty");
    }
    possibility.probability = number(kProbability, 1, 0, 1);
    possibility.reward = number(kReward, 0, -kMostLineReward, kMostLineReward);
    if (!field(kShows).empty()) possibility.sign = sign_number(field(kShows));
    entries_.push_back({possibility, key_of(state, action, environment), lines_.line()});
  }

  [[nodiscard]] int named(Column column, const char* kind, NameIndex& index,
                          const std::vector<std::string>& names) const {
    const int found = index.find(field(column));
    if (found < 0 && field(column).empty()) lines_.fail(fmt::format("the {} is missing", kind));
    if (found < 0) lines_.fail(unknown_among(kind, field(column), names));
    return found;
  }

  [[nodiscard]] double number(Column column, double otherwise, double low, double high) const {
    std::string_view text = field(column);
    if (text.empty()) return otherwise;
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::invalid_argument || end != text.data() + text.size()) {
      lines_.fail(fmt::format("{} is '{}'; it should be a number such as 0.25", kNames[column],
                              printable(field(column))));
    }
    if (error != std::errc() || !(value >= low && value <= high)) {
      lines_.fail(fmt::format("{} = {} is out of range; it is from {} to {}", kNames[column],
                              printable(field(column)), low, high));
    }
    return value;
  }

  int sign_number(std::string_view sign) {
    const int known = sign_index_.find(sign);
    if (known >= 0) return known;
    if (!is_utf8(sign)) {
      lines_.fail(fmt::format("shows is '{}', which is not UTF-8; save the file as UTF-8", printable(sign)));
    }
    signs_.emplace_back(sign);
    sign_index_.add_last();
    return static_cast<int>(signs_.size()) - 1;
  }

  void check_sum(std::span<const TableBuilder::PlainPossibility> all, std::size_t key,
                 std::uint32_t first_line) const {
    double sum = 0;
    for (const TableBuilder::PlainPossibility& p : all) sum += p.probability;
    if (std::abs(sum - 1) <= TableBuilder::kSumTolerance) return;
    const auto name = [](const std::vector<std::string>& names, int i) {
      return printable(names[static_cast<std::size_t>(i)]);
    };
    const std::string state = name(*names_.states, state_of(key));
    const int action = action_of(key);
    const int environment = environment_of(key);
    const std::string what = action == kArrive
                                 ? fmt::format("arriving at '{}'", state)
                                 : fmt::format("'{}' at '{}'", name(*names_.actions, action), state);
    const std::string in = environment == TableBuilder::kEvery
                               ? "all environments"
                               : fmt::format("environment '{}'", name(*names_.environments, environment));
    lines_.fail(first_line, fmt::format("{} in {}: the probabilities of {} line{} sum to {}, not to 1", what,
                                        in, all.size(), all.size() == 1 ? "" : "s", sum));
  }

  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

  CsvLines lines_;
  OutcomeNames names_;
  NameIndex state_index_, next_index_, action_index_, environment_index_;
  std::vector<std::string>& signs_;
  NameIndex sign_index_;
  std::size_t keys_ = 0;
  std::size_t width_ = 0;
  std::array<std::size_t, kCount> places_{};  // [column]: the number of its field
  std::vector<Entry> entries_;
};

}  // namespace

std::vector<std::pair<int, int>> read_outcome_table(std::string_view text, const std::string& where,
                                                    const OutcomeNames& names,
                                                    std::vector<std::string>& signs, TableBuilder& builder) {
  const OutcomeTable table(text, where, names, signs);
  table.put(builder);
  return table.shown();
}

}  // namespace assay::files
