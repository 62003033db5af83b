// A problem as it was read, before its states are multiplied by what the agent has to remember.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/families/builders.hpp"
#include "files/problem_file.hpp"

namespace assay::files {

/// How long an episode is.
struct EpisodeSettings {
  int horizon = 0;  // or kEndless
  double discount = 1;
  int episodes = 1;
  double tolerance = kCutTolerance;
};

/// A state and an action there, or kArrive.
using Place = std::pair<int, int>;

/// The texts that can be seen, numbered throughout the problem.
class Signs {
 public:
  int number(const std::string& text);
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  std::map<std::string, int, std::less<>> numbers_;
};

/// An unknown reward that a place pays, and how often the place looks at it in addition.
struct DrawnReward {
  UnknownReward reward;  // places that give it the same name draw the same reward
  int looks = 0;
};

struct Draft {
  Draft(TableBuilder empty, const EpisodeSettings& settings) : builder(std::move(empty)), episode(settings) {}

  TableBuilder builder;  // without sources
  EpisodeSettings episode;
  bool entering = false;  // are an arrival's reward and observation given to the action that leads there?
  Signs signs;
  std::map<Place, std::string> sources;  // where something is seen, and the name of the source
  /// What can be had once in an episode, and in which environments.
  std::map<Place, std::set<int>> once;
  std::set<int> terminals;  // states where nothing can be used up any more
  std::map<Place, DrawnReward> drawn;
  std::vector<std::string> warnings;  // what is allowed but hardly meant, with its place in the file
  std::map<Place, int> looks_at_all;  // how often a place looks at every unknown reward

  /// Drops what was said of a place for these environments; `all` says whether they are all there are.
  void forget(const Place& place, const std::set<int>& environments, bool all);
};

/// The family that a draft describes. It has a state for each state of the draft and each memory that `once`
/// and `episodes` require.
WrittenFamily finished(Draft draft);

}  // namespace assay::files
