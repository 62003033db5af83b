// A problem as it was read, before its states are multiplied by what has to be remembered.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/families/cell_family.hpp"
#include "files/problem_file.hpp"

namespace assay::files {

/// How long an episode is, whatever it is about.
struct EpisodeSettings {
  int horizon = 0;
  double discount = 1;
  int episodes = 1;
};

/// A state and what is done there: an action, or kArrive.
using Place = std::pair<int, int>;

/// The texts that can be seen, numbered over the whole problem.
class Signs {
 public:
  int number(const std::string& text);
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  std::map<std::string, int, std::less<>> numbers_;
};

/// A reward that is drawn at a place without being known, and how often it is looked at besides.
struct DrawnReward {
  UnknownReward reward;  // places that name it alike draw the same one
  int looks = 0;
};

struct Draft {
  Draft(TableBuilder empty, const EpisodeSettings& settings) : builder(std::move(empty)), episode(settings) {}

  TableBuilder builder;  // without sources
  EpisodeSettings episode;
  bool entering = false;  // is what an arrival brings paid and seen with the action that leads there?
  Signs signs;
  std::map<Place, std::string> sources;  // where something is seen, and what that is called
  /// What can be had once in an episode, and in which environments.
  std::map<Place, std::set<int>> once;
  std::set<int> terminals;  // where nothing can be used up any more
  std::map<Place, DrawnReward> drawn;
  std::vector<std::string> warnings;  // what is allowed but hardly meant, with its place in the file
  std::map<Place, int> looks_at_all;  // where every unknown reward is looked at so often

  /// What was said of a place before does not count any more in these environments; `all` of them?
  void forget(const Place& place, const std::set<int>& environments, bool all);
};

/// The family that a draft stands for: with a state for each that `once` and `episodes` tell apart.
WrittenFamily finished(Draft draft);

}  // namespace assay::files
