#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "assay/core/error.hpp"
#include "assay/core/spec.hpp"
#include "files/problem_parts.hpp"

namespace assay::files {
namespace {

constexpr double kMostTableReward = 1e9;

class TableProblem {
 public:
  TableProblem(TableReader& problem, const EpisodeSettings& episode)
      : problem_(problem), states_(problem.texts("states")), actions_(problem.texts("actions")) {
    if (actions_.empty())
      problem.fail(problem.table(), "there are no actions; for example actions = [\"wait\"]");
    environments_ = read_environments(problem);
    check_size(problem, states_.size(), actions_.size(), environments_.size());
    number(states_, state_numbers_);
    number(actions_, action_numbers_);
    at_place(problem.where(), *problem.find("states"), [&] { builder_.emplace(states_, actions_); });
    builder_->horizon(episode.horizon).discount(episode.discount);
    for (std::size_t e = 0; e < environments_.size(); ++e) {
      const NamedEnvironment& environment = environments_[e];
      builder_->environment(environment.name, environment.weight);
      environment_numbers_.emplace(environment.name, static_cast<int>(e));
      if (environment.table == nullptr) continue;
      TableReader reader(*environment.table, problem.where(), "[[environment]]");
      reader.find("name");
      reader.find("weight");
      reader.finish();
    }
    read_starts();
    read_outcomes();
    read_terminals();
  }

  TableFamily family() {
    if (!seen_.empty()) builder_->source("what is seen", seen_);
    return builder_->build();
  }

 private:
  using Numbers = std::map<std::string, int, std::less<>>;

  static void number(const std::vector<std::string>& names, Numbers& numbers) {
    for (std::size_t i = 0; i < names.size(); ++i) numbers.emplace(names[i], static_cast<int>(i));
  }

  int numbered(const TableReader& reader, const toml::node& node, std::string_view name, const char* kind,
               const Numbers& numbers, const std::vector<std::string>& names) const {
    const auto found = numbers.find(name);
    if (found == numbers.end())
      reader.fail(node, fmt::format("{}: {}", reader.what(), unknown_name_message(kind, name, names)));
    return found->second;
  }

  void read_starts() {
    const toml::node& start = problem_.need("start", "start = \"the first state\"");
    if (start.is_string()) {
      builder_->start(numbered(problem_, start, start.as_string()->get(), "state", state_numbers_, states_));
      return;
    }
    if (!start.is_table()) problem_.fail(start, "start is a state, or a table of states with weights");
    TableReader weights(*start.as_table(), problem_.where(), "start");
    for (const auto& [key, node] : weights.table()) {
      builder_->start(numbered(problem_, node, key.str(), "state", state_numbers_, states_),
                      weights.number(key.str(), 1, 1e-12, 1e12));
    }
    if (start.as_table()->empty()) problem_.fail(start, "start names no state");
  }

  /// All of a kind for "*", else those that are named.
  std::vector<int> chosen(TableReader& reader, const char* key, const char* kind, const Numbers& numbers,
                          const std::vector<std::string>& names) {
    std::vector<int> all;
    for (const std::string& name : reader.texts(key)) {
      if (name == "*") {
        for (std::size_t i = 0; i < names.size(); ++i) all.push_back(static_cast<int>(i));
      } else if (name == "arrive" && kind == std::string_view("action")) {
        all.push_back(kArrive);
      } else {
        all.push_back(numbered(reader, *reader.find(key), name, kind, numbers, names));
      }
    }
    return all;
  }

  /// `next` and `shows` are one text, or a table of texts with probabilities.
  std::vector<std::pair<std::string, double>> distribution(TableReader& reader, const char* key) {
    const toml::node* node = reader.find(key);
    if (node == nullptr) return {{"", 1}};
    if (node->is_string()) return {{node->as_string()->get(), 1}};
    if (!node->is_table() || node->as_table()->empty()) {
      reader.fail(
          *node, fmt::format("{}: {} is a text, or a table of texts with probabilities", reader.what(), key));
    }
    TableReader table(*node->as_table(), reader.where(), reader.what() + ", " + key);
    std::vector<std::pair<std::string, double>> all;
    double sum = 0;
    for (const auto& [name, probability] : table.table()) {
      (void)probability;
      all.emplace_back(std::string(name.str()), table.number(name.str(), 0, 0, 1));
      sum += all.back().second;
    }
    if (std::abs(sum - 1) > 1e-6) {
      reader.fail(*node,
                  fmt::format("{}: the probabilities of {} sum to {}, not to 1", reader.what(), key, sum));
    }
    return all;
  }

  int sign_number(const std::string& sign) {
    return sign_numbers_.try_emplace(sign, static_cast<int>(sign_numbers_.size())).first->second;
  }

  void read_outcomes() {
    const toml::node* node = problem_.find("outcome");
    if (node == nullptr)
      problem_.fail(problem_.table(), "there are no outcomes: [[outcome]] says what an action leads to");
    if (!node->is_array_of_tables())
      problem_.fail(*node, "outcomes are tables, one after the other: [[outcome]]");
    for (const toml::node& each : *node->as_array()) {
      TableReader reader(*each.as_table(), problem_.where(), "[[outcome]]");
      read_outcome(reader);
    }
  }

  void read_outcome(TableReader& reader) {
    reader.need("state", "state = \"*\"");
    reader.need("action", "action = \"*\", or \"arrive\"");
    const std::vector<int> states = chosen(reader, "state", "state", state_numbers_, states_);
    const std::vector<int> actions = chosen(reader, "action", "action", action_numbers_, actions_);
    std::vector<std::string> environment_names;
    for (const NamedEnvironment& e : environments_) environment_names.push_back(e.name);
    std::vector<int> environments =
        chosen(reader, "environment", "environment", environment_numbers_, environment_names);
    if (environments.empty()) environments = {TableBuilder::kEvery};
    const std::vector<Option> options = read_options(reader);
    reader.finish();
    for (const int x : states) {
      for (const int a : actions) {
        std::vector<TableBuilder::Possibility> all;
        bool sees = false;
        for (const Option& option : options) {
          Observation seen;
          if (!option.sign.empty()) seen.push_back(sign_number(option.sign));
          sees = sees || !option.sign.empty();
          all.push_back({option.probability, {option.next < 0 ? x : option.next, option.reward, seen}});
        }
        if (sees && std::ranges::find(seen_, std::pair(x, a)) == seen_.end()) seen_.emplace_back(x, a);
        for (const int e : environments) {
          at_place(reader.where(), reader.table(), [&] { builder_->outcome(x, a, all, e); });
        }
      }
    }
  }

  /// One of the things that may happen together.
  struct Option {
    double probability = 1;
    double reward = 0;
    int next = -1;  // -1: where one is
    std::string sign;
  };

  /// `options` says what happens together; without it, `next` and `shows` are drawn independently.
  std::vector<Option> read_options(TableReader& reader) {
    const double reward = reader.number("reward", 0, -kMostTableReward, kMostTableReward);
    std::vector<Option> all;
    const toml::node* options = reader.find("options");
    const auto state_of = [&](TableReader& table, const std::string& name) {
      return name.empty() ? -1 : numbered(table, *table.find("next"), name, "state", state_numbers_, states_);
    };
    if (options == nullptr) {
      const auto next = distribution(reader, "next");
      for (const auto& [sign, q] : distribution(reader, "shows")) {
        for (const auto& [to, p] : next) all.push_back({p * q, reward, state_of(reader, to), sign});
      }
      return all;
    }
    if (!options->is_array())
      reader.fail(*options, "options is an array of tables: [ { probability = 0.5, reward = 1 }, ... ]");
    for (const toml::node& each : *options->as_array()) {
      if (!each.is_table())
        reader.fail(each, "options is an array of tables: [ { probability = 0.5, reward = 1 }, ... ]");
      TableReader option(*each.as_table(), reader.where(), reader.what() + ", options");
      option.need("probability", "probability = 0.5");
      all.push_back({option.number("probability", 1, 0, 1),
                     option.number("reward", reward, -kMostTableReward, kMostTableReward),
                     state_of(option, option.text("next", "")), option.text("shows", "")});
      option.finish();
    }
    return all;
  }

  /// Whatever is done there, nothing happens any more.
  void read_terminals() {
    for (const int x : chosen(problem_, "terminal", "state", state_numbers_, states_)) {
      for (int a = 0; a < static_cast<int>(actions_.size()); ++a) builder_->outcome(x, a, {{1, {x, 0, {}}}});
    }
  }

  TableReader& problem_;
  std::vector<std::string> states_, actions_;
  std::vector<NamedEnvironment> environments_;
  Numbers state_numbers_, action_numbers_, environment_numbers_, sign_numbers_;
  std::optional<TableBuilder> builder_;
  std::vector<std::pair<int, int>> seen_;
};

}  // namespace

TableFamily read_table_problem(TableReader& problem, const EpisodeSettings& episode) {
  std::optional<TableFamily> family;
  at_place(problem.where(), *problem.find("states"),
           [&] { family = TableProblem(problem, episode).family(); });
  return *family;
}

}  // namespace assay::files
