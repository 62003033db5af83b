// States with a memory: what has been used up in this episode, and which step of the episode it is.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "files/draft.hpp"

namespace assay::files {

/// Multiplies the states of a draft by what `once` and `episodes` make the agent remember. If the draft
/// collects on `entering`, the action pays. Only states that can be reached are kept.
class Remembering {
 public:
  explicit Remembering(const Draft& draft);

  /// The larger problem, still without sources.
  [[nodiscard]] TableBuilder& builder() { return *builder_; }
  /// The places of the larger problem that stand for a place of the draft.
  [[nodiscard]] std::vector<Place> copies(const Place& place) const;

 private:
  struct Memory {
    int state = 0;
    std::uint64_t used = 0;  // a bit for each entry of `once`
    int step = 0;

    auto operator<=>(const Memory&) const = default;
  };
  using Possibilities = std::vector<TableBuilder::Possibility>;
  struct Row {
    int state, action, environment;
    Possibilities possibilities;
  };

  void put(int from);
  void put_row(int from, int action, const std::vector<Possibilities>& of_environment);
  void build();
  int number(Memory memory);
  [[nodiscard]] std::uint64_t bit(const Place& place) const;
  /// What arriving brings; nothing if that was used up.
  [[nodiscard]] Possibilities arrival(const Memory& at, int e) const;
  Possibilities leaving(int from, int action, int e);
  /// One possibility for each state in which the next step may begin.
  void go_on(double probability, const Outcome& outcome, const Memory& to, Possibilities& all);
  void copy(const Place& original, const Place& place);
  [[nodiscard]] std::string name(const Memory& memory) const;
  [[nodiscard]] std::string used_name(const Place& place) const;

  const Draft& draft_;
  TableFamily base_;
  int environments_;
  std::map<Place, std::uint64_t> bits_;  // of the draft's `once`
  std::vector<Memory> memories_;         // [state of the larger problem]
  std::map<Memory, int> numbers_;
  std::vector<Row> rows_;
  std::map<Place, std::set<Place>> copies_;
  std::optional<TableBuilder> builder_;
};

}  // namespace assay::files
