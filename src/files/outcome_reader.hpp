// [[outcome]]: what happens at some states for some actions in some environments.
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

/// What the names in an [[outcome]] stand for.
struct OutcomeScope {
  std::vector<std::string> states, actions, environments;
  /// The states of a name ("*" is one) in an environment; none if there is no such name.
  std::function<std::vector<int>(const std::string&, int)> states_called;
  /// Is there something below the outcomes, said of each environment on its own?
  bool over_others = false;
};

class OutcomeReader {
 public:
  OutcomeReader(OutcomeScope scope, Draft& draft);

  /// Outcomes of all environments first, then those of some: these go before.
  void read(TableReader& problem, const toml::node& outcomes);

  /// The actions that a key names: "*", a name or several, and perhaps "arrive".
  std::vector<int> actions(TableReader& reader, const char* key) const;
  /// The state of a name, of which there must be exactly one.
  int state(const TableReader& reader, const toml::node& node, const std::string& name, int e) const;

 private:
  using Numbers = std::map<std::string, int, std::less<>>;
  /// One of the things that may happen together.
  struct Option {
    double probability = 1;
    double reward = 0;
    int next = -1;  // -1: where one is
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
