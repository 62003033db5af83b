// What was said of an event, taken apart.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/problem/problem.hpp"

namespace assay::advice {

std::string_view without_blanks(std::string_view text);
bool begins_with_word(std::string_view text, std::string_view word);

struct Told {
  std::optional<std::string_view> sees;
  std::optional<double> pays;
  std::optional<int> to;
};

/// Takes apart "sees ... pays ... to ...", in any order.
class TellingReader {
 public:
  explicit TellingReader(const Problem& problem);

  /// Every reading: what is seen, and states, may be called anything, also "a nod to the left".
  [[nodiscard]] std::vector<Told> readings(std::string_view said) const;
  /// What is wrong with the words, whatever can happen; empty if nothing is.
  [[nodiscard]] std::string complaint(std::string_view said) const;

 private:
  struct StateName {
    std::string name;
    int state;
  };
  void read(std::string_view rest, const Told& told, std::vector<Told>& all) const;
  void read_state(std::string_view value, const Told& told, std::vector<Told>& all) const;

  /// Where the value of a part ends; 0 if it is none.
  [[nodiscard]] std::size_t end_of(std::string_view word, std::string_view value) const;

  const Problem& problem_;
  std::vector<StateName> names_;  // as state_named takes them
};

}  // namespace assay::advice
