#include "files/outcome_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/core/detail/spec.hpp"
#include "files/cue.hpp"

namespace assay::files {
namespace {

/// Does the outcome show each environment's own sign?
bool shows_environments(const toml::table& outcome) {
  const toml::table* shows = outcome["shows"].as_table();
  if (shows == nullptr) return false;
  return std::ranges::any_of(*shows, [](const auto& sign) { return sign.second.is_string(); });
}

/// Does the outcome show the rewards themselves, and no text?
bool looks_at_rewards(TableReader& reader) {
  const toml::node* shows = reader.find("shows");
  return reader.find("looks") != nullptr && shows != nullptr && shows->value<std::string>() == "rewards";
}

}  // namespace

OutcomeReader::OutcomeReader(OutcomeScope scope, Draft& draft) : scope_(std::move(scope)), draft_(draft) {
  const auto number = [](const std::vector<std::string>& names, Numbers& numbers) {
    for (std::size_t i = 0; i < names.size(); ++i) numbers.emplace(names[i], static_cast<int>(i));
  };
  number(scope_.actions, action_numbers_);
  number(scope_.environments, environment_numbers_);
}

void OutcomeReader::read(TableReader& problem, const toml::node& outcomes) {
  const toml::array* all = outcomes.as_array();
  if (all == nullptr || !std::ranges::all_of(*all, [](const toml::node& n) { return n.is_table(); }))
    problem.fail(outcomes, "outcomes are tables, one after the other: [[outcome]]");
  for (const toml::node& each : *all)
    scope_.over_others = scope_.over_others || shows_environments(*each.as_table());
  for (const bool common : {true, false}) {
    for (const toml::node& each : *all) {
      if (each.as_table()->contains("environment") == common) continue;
      TableReader reader(*each.as_table(), problem.where(), "[[outcome]]");
      read_outcome(reader);
    }
  }
}

void OutcomeReader::read_outcome(TableReader& reader) {
  const toml::node& state = reader.need("state", "state = \"*\"");
  reader.need("action", "action = \"*\", or \"arrive\"");
  const std::vector<int> doing = actions(reader, "action");
  bool any = false;
  for (const int e : environments(reader)) {
    std::vector<int> states;
    for (const std::string& name : reader.texts("state")) {
      const std::vector<int> called = scope_.states_called(name, std::max(e, 0));
      states.insert(states.end(), called.begin(), called.end());
    }
    any = any || !states.empty();
    put(reader, e, states, doing);
  }
  for (const std::string& name : reader.texts("state")) {
    bool known = false;
    for (const int e : environments(reader))
      known = known || !scope_.states_called(name, std::max(e, 0)).empty();
    if (!known)
      reader.fail(state, fmt::format("{}: {}", reader.what(), unknown_among("state", name, scope_.states)));
  }
  if (!any) reader.fail(state, reader.what() + ": it names no state");
  reader.finish();
}

void OutcomeReader::put(TableReader& reader, int e, const std::vector<int>& states,
                        const std::vector<int>& actions) {
  ReadReward pays;
  read_reward(reader, pays);
  const std::vector<Option> options = read_options(reader, e, pays);
  const bool once = reader.flag("once", false);
  const std::string source = reader.text("source", "");
  const bool sees = std::ranges::any_of(options, [](const Option& o) { return !o.sign.empty(); });
  const bool every = e == TableBuilder::kEvery;
  std::set<int> where;
  for (int i = 0; every && i < static_cast<int>(scope_.environments.size()); ++i) where.insert(i);
  if (!every) where.insert(e);
  for (const int x : states) {
    for (const int a : actions) {
      std::vector<TableBuilder::Possibility> all;
      for (const Option& option : options) {
        Observation seen;
        if (!option.sign.empty()) seen.push_back(draft_.signs.number(option.sign));
        all.push_back({option.probability, {option.next < 0 ? x : option.next, option.reward, seen}});
      }
      draft_.forget({x, a}, where, every);
      at_place(reader.where(), reader.table(), [&] { draft_.builder.outcome(x, a, std::move(all), e); });
      put_unknown(reader, pays, {x, a});
      if (once) draft_.once[{x, a}].insert(where.begin(), where.end());
      if (sees || draft_.looks_at_all.contains({x, a})) {
        const std::string& name = a == kArrive ? scope_.states[static_cast<std::size_t>(x)]
                                               : scope_.actions[static_cast<std::size_t>(a)];
        draft_.sources[{x, a}] = source.empty() ? name : source;
      }
    }
  }
}

std::vector<int> OutcomeReader::environments(TableReader& reader) const {
  if (reader.find("environment") != nullptr)
    return numbered(reader, "environment", environment_numbers_, scope_.environments);
  if (!scope_.over_others) return {TableBuilder::kEvery};
  std::vector<int> all;
  for (std::size_t e = 0; e < scope_.environments.size(); ++e) all.push_back(static_cast<int>(e));
  return all;
}

std::vector<int> OutcomeReader::actions(TableReader& reader, const char* key) const {
  return numbered(reader, key, action_numbers_, scope_.actions);
}

std::vector<int> OutcomeReader::numbered(TableReader& reader, const char* key, const Numbers& numbers,
                                         const std::vector<std::string>& names) const {
  std::vector<int> all;
  for (const std::string& name : reader.texts(key)) {
    if (name == "*") {
      for (std::size_t i = 0; i < names.size(); ++i) all.push_back(static_cast<int>(i));
    } else if (name == "arrive" && &numbers == &action_numbers_) {
      all.push_back(kArrive);
    } else if (const auto found = numbers.find(name); found != numbers.end()) {
      all.push_back(found->second);
    } else {
      reader.fail(*reader.find(key), fmt::format("{}: {}", reader.what(), unknown_among(key, name, names)));
    }
  }
  if (all.empty()) reader.fail(*reader.find(key), fmt::format("{}: {} names nothing", reader.what(), key));
  return all;
}

int OutcomeReader::state(const TableReader& reader, const toml::node& node, const std::string& name,
                         int e) const {
  const std::vector<int> called = scope_.states_called(name, std::max(e, 0));
  if (called.empty())
    reader.fail(node, fmt::format("{}: {}", reader.what(), unknown_among("state", name, scope_.states)));
  if (called.size() > 1) {
    reader.fail(node, fmt::format("{}: '{}' stands for {} states, and one is needed, such as '{}'",
                                  reader.what(), printable(name), called.size(),
                                  printable(scope_.states[static_cast<std::size_t>(called.front())])));
  }
  return called.front();
}

/// `options` lists possibilities with all that belongs to each; without it, `next` and `shows` are drawn
/// independently.
std::vector<OutcomeReader::Option> OutcomeReader::read_options(TableReader& reader, int e,
                                                               const ReadReward& pays) const {
  const double reward = pays.unknown ? 0 : pays.reward;
  std::vector<Option> all;
  const toml::node* options = reader.find("options");
  const auto state_of = [&](TableReader& table, const std::string& name) {
    return name.empty() ? -1 : state(table, *table.find("next"), name, e);
  };
  if (options == nullptr) {
    const Chances next = chances(reader, "next");
    for (const auto& [sign, q] : signs(reader, e)) {
      for (const auto& [to, p] : next) {
        const int there = state_of(reader, to);
        all.push_back({p * q * pays.chance, reward, there, sign});
        if (pays.chance < 1) all.push_back({p * q * (1 - pays.chance), 0, there, sign});
      }
    }
    return all;
  }
  for (const char* key : {"chance", "next", "shows"}) {
    if (const toml::node* node = reader.find(key)) {
      reader.fail(*node, fmt::format("{}: {} besides options; say it in each of them", reader.what(), key));
    }
  }
  if (!options->is_array())
    reader.fail(*options, "options is an array of tables: [ { probability = 0.5, reward = 1 }, ... ]");
  for (const toml::node& each : *options->as_array()) {
    if (!each.is_table())
      reader.fail(each, "options is an array of tables: [ { probability = 0.5, reward = 1 }, ... ]");
    TableReader option(*each.as_table(), reader.where(), reader.what() + ", options");
    option.need("probability", "probability = 0.5");
    all.push_back({option.number("probability", 1, 0, 1),
                   option.number("reward", reward, -kMostReward, kMostReward),
                   state_of(option, option.text("next", "")), option.text("shows", "")});
    option.finish();
  }
  return all;
}

/// The outcome's draws and looks, if it has any.
void OutcomeReader::put_unknown(TableReader& reader, const ReadReward& pays, const Place& place) {
  const auto& [x, a] = place;
  const std::string& state = scope_.states[static_cast<std::size_t>(x)];
  const std::string shared = reader.text("unknown", "");
  if (pays.unknown) {
    DrawnReward& drawn = draft_.drawn[place] = {*pays.unknown, pays.looks};
    drawn.reward.name = state;
    if (a != kArrive) {
      const std::string& action = scope_.actions[static_cast<std::size_t>(a)];
      drawn.reward.name = scope_.states.size() == 1 ? action : fmt::format("{} at {}", action, state);
    }
    if (!shared.empty()) drawn.reward.name = shared;
  } else if (!shared.empty()) {
    reader.fail(*reader.find("unknown"),
                reader.what() + ": unknown names what is known; give it chance = { beta = [1, 1] }");
  }
  if (looks_at_rewards(reader)) {
    draft_.looks_at_all[place] = pays.looks;
  } else if (pays.looks > 0 && !pays.unknown) {
    reader.fail(*reader.find("looks"), reader.what() +
                                           ": looks at what? It needs chance = { beta = [1, 1] }, or shows = "
                                           "\"rewards\"");
  }
}

/// `shows` is a text, texts with probabilities, or each environment's text with an `accuracy`.
OutcomeReader::Chances OutcomeReader::signs(TableReader& reader, int e) const {
  if (looks_at_rewards(reader)) return {{"", 1}};
  if (!shows_environments(reader.table())) return chances(reader, "shows");
  const double accuracy = reader.number("accuracy", 1, 0, 1);
  TableReader table(*reader.find("shows")->as_table(), reader.where(), reader.what() + ", shows");
  table.only("environment", scope_.environments);
  std::string shown;
  Chances all;
  for (std::size_t i = 0; i < scope_.environments.size(); ++i) {
    const std::string& name = scope_.environments[i];
    table.need(name, fmt::format("{} = \"a sign\"", written_key(name)).c_str());
    const std::string sign = table.text(name, "");
    if (static_cast<int>(i) == e) shown = sign;
    if (std::ranges::find(all, sign, &Chances::value_type::first) == all.end()) all.emplace_back(sign, 0);
  }
  warn_of_accuracy(reader, accuracy, all.size(), draft_.warnings);
  for (auto& [sign, chance] : all) chance = sign_chance(accuracy, all.size(), sign == shown);
  return all;
}

/// A text, or a table of texts with probabilities.
OutcomeReader::Chances OutcomeReader::chances(TableReader& reader, const char* key) {
  const toml::node* node = reader.find(key);
  if (node == nullptr) return {{"", 1}};
  if (node->is_string()) return {{node->as_string()->get(), 1}};
  if (!node->is_table() || node->as_table()->empty()) {
    reader.fail(*node,
                fmt::format("{}: {} is a text, or a table of texts with probabilities", reader.what(), key));
  }
  TableReader table(*node->as_table(), reader.where(), reader.what() + ", " + key);
  Chances all;
  double sum = 0;
  for (const auto& [name, probability] : table.table()) {
    (void)probability;
    all.emplace_back(std::string(name.str()), table.number(name.str(), 0, 0, 1));
    sum += all.back().second;
  }
  if (std::abs(sum - 1) > TableBuilder::kSumTolerance) {
    reader.fail(*node,
                fmt::format("{}: the probabilities of {} sum to {}, not to 1", reader.what(), key, sum));
  }
  return all;
}

}  // namespace assay::files
