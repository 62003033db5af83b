// Reads [[outcome]]: what happens at some states for some actions in some environments.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/draft.hpp"
#include "files/toml_reader.hpp"
#include "files/unknown_reward.hpp"

namespace assay::files {

/// The meaning of the names in an [[outcome]].
struct OutcomeScope {
  std::vector<std::string> states, actions, environments;
  /// The states that a name ("*" is one) stands for in an environment; none if there is no such name.
  std::function<std::vector<int>(const std::string&, int)> states_called;
  /// Do these outcomes replace others, which are given for each environment separately?
  bool over_others = false;
};

class OutcomeReader {
 public:
  OutcomeReader(OutcomeScope scope, Draft& draft);

  /// Reads the outcomes of all environments first, then those of some environments, which take precedence.
  void read(TableReader& problem, const toml::node& outcomes);

  /// The actions that a key names: "*", one or several names, and possibly "arrive".
  std::vector<int> actions(TableReader& reader, const char* key) const;
  /// The only state that a name stands for.
  int state(const TableReader& reader, const toml::node& node, const std::string& name, int e) const;

 private:
  using Numbers = std::map<std::string, int, std::less<>>;
  /// One of the possibilities of an outcome.
  struct Option {
    double probability = 1;
    double reward = 0;
    int next = -1;  // -1: the present state
    std::string sign;
  };
  using Chances = std::vector<std::pair<std::string, double>>;

  void read_outcome(TableReader& reader);
  void put(TableReader& reader, int e, const std::vector<int>& states, const std::vector<int>& actions);
  [[nodiscard]] std::vector<int> environments(TableReader& reader) const;
  [[nodiscard]] std::vector<int> numbered(TableReader& reader, const char* key, const Numbers& numbers,
                                          const std::vector<std::string>& names) const;
  std::vector<Option> read_options(TableReader& reader, int e, const ReadReward& pays) const;
  void put_unknown(TableReader& reader, const ReadReward& pays, const Place& place);
  Chances signs(TableReader& reader, int e) const;
  static Chances chances(TableReader& reader, const char* key);

  OutcomeScope scope_;
  Numbers action_numbers_, environment_numbers_;
  Draft& draft_;
};

}  // namespace assay::files
