// The text of one event of a history, taken apart.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/problem/problem.hpp"

namespace assay::advice {

std::string_view without_blanks(std::string_view text);
bool begins_with_word(std::string_view text, std::string_view word);

struct Reading {
  std::optional<std::string_view> sees;
  std::optional<double> pays;
  std::optional<int> to;
};

/// Takes apart "sees ... pays ... to ...", in any order of the three parts.
class EventReader {
 public:
  explicit EventReader(const Problem& problem);

  /// Every reading of the text. There can be several, because observations and states may have any name,
  /// such as "a nod to the left".
  [[nodiscard]] std::vector<Reading> readings(std::string_view said) const;
  /// What is wrong with the words themselves, whatever can happen; empty if nothing is wrong.
  [[nodiscard]] std::string complaint(std::string_view said) const;

 private:
  struct StateName {
    std::string name;
    int state;
  };
  void read(std::string_view rest, const Reading& reading, std::vector<Reading>& all) const;
  void read_state(std::string_view value, const Reading& reading, std::vector<Reading>& all) const;

  /// The length of the value that follows `word`; 0 if no value follows.
  [[nodiscard]] std::size_t end_of(std::string_view word, std::string_view value) const;

  const Problem& problem_;
  std::vector<StateName> names_;  // the names that state_named accepts
};

}  // namespace assay::advice
