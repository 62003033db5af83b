#include <fmt/format.h>

#include <optional>

#include "assay/core/error.hpp"
#include "files/outcome_reader.hpp"
#include "files/outcome_table.hpp"
#include "files/problem_parts.hpp"

namespace assay::files {
namespace {

class TableProblem {
 public:
  TableProblem(TableReader& problem, const EpisodeSettings& episode, SideFiles& files)
      : problem_(problem), states_(names(problem, "states")), actions_(names(problem, "actions")) {
    if (actions_.empty())
      problem.fail(problem.table(), "there are no actions; for example actions = [\"wait\"]");
    read_table_environments();
    check_size(problem, states_.size(), actions_.size(), environments_.size());
    for (std::size_t x = 0; x < states_.size(); ++x) state_numbers_.emplace(states_[x], static_cast<int>(x));
    at_place(problem.where(), *problem.find("states"),
             [&] { draft_.emplace(TableBuilder(states_, actions_), episode); });
    add_environments();
    const toml::node* written = problem.find("outcome");
    const toml::node* listed = problem.find("outcomes");
    if (written == nullptr && listed == nullptr)
      problem.fail(problem.table(), "there are no outcomes: [[outcome]] says what an action leads to");
    if (listed != nullptr) read_list(*listed, files);
    OutcomeReader outcomes(scope(listed != nullptr), *draft_);
    read_starts(outcomes);
    if (written != nullptr) outcomes.read(problem, *written);
    read_terminals(outcomes);
  }

  Draft draft() && { return std::move(*draft_); }

 private:
  /// The names, or their number: then they are called "0", "1", ...
  static std::vector<std::string> names(TableReader& problem, const char* key) {
    const toml::node* node = problem.find(key);
    if (node == nullptr || !node->is_number()) return problem.texts(key);
    constexpr std::int64_t kMostNames = 1'000'000;
    std::vector<std::string> all(static_cast<std::size_t>(problem.integer(key, 1, 1, kMostNames)));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::to_string(i);
    return all;
  }

  void read_table_environments() {
    const toml::node* count = problem_.find("environments");
    if (count == nullptr) {
      environments_ = read_environments(problem_);
      return;
    }
    if (!count->is_number())
      problem_.fail(*count, "environments is how many there are; with names, each is an [[environment]]");
    if (problem_.find("environment") != nullptr)
      problem_.fail(*count, "environments and [[environment]]: count them or name them");
    for (const std::string& name : names(problem_, "environments"))
      environments_.push_back({name, 1, nullptr});
  }

  /// The outcomes of a file of their own, of which there can be thousands.
  void read_list(const toml::node& node, SideFiles& files) {
    const std::string name = problem_.text("outcomes", "");
    std::string text;
    at_place(problem_.where(), node, [&] { text = files.read(name); });
    std::vector<std::string> environments;
    for (const NamedEnvironment& e : environments_) environments.push_back(e.name);
    std::vector<std::string> signs;
    const auto seen = read_outcome_table(text, files.path(name), {&states_, &actions_, &environments}, signs,
                                         draft_->builder);
    for (const std::string& sign : signs) draft_->signs.number(sign);
    for (const auto& [x, a] : seen) {
      draft_->sources[{x, a}] =
          a == kArrive ? states_[static_cast<std::size_t>(x)] : actions_[static_cast<std::size_t>(a)];
    }
  }

  void add_environments() {
    for (const NamedEnvironment& environment : environments_) {
      draft_->builder.environment(environment.name, environment.weight);
      if (environment.table == nullptr) continue;
      TableReader reader(*environment.table, problem_.where(), "[[environment]]");
      reader.find("name");
      reader.find("weight");
      reader.finish();
    }
  }

  [[nodiscard]] OutcomeScope scope(bool over_others) const {
    OutcomeScope scope{states_, actions_, {}, {}, over_others};
    for (const NamedEnvironment& e : environments_) scope.environments.push_back(e.name);
    scope.states_called = [this](const std::string& name, int) { return states_called(name); };
    return scope;
  }

  [[nodiscard]] std::vector<int> states_called(const std::string& name) const {
    std::vector<int> all;
    if (name == "*") {
      for (std::size_t x = 0; x < states_.size(); ++x) all.push_back(static_cast<int>(x));
    } else if (const auto found = state_numbers_.find(name); found != state_numbers_.end()) {
      all.push_back(found->second);
    }
    return all;
  }

  void read_starts(const OutcomeReader& names) {
    const toml::node& start = problem_.need("start", "start = \"the first state\"");
    if (start.is_string()) {
      draft_->builder.start(names.state(problem_, start, start.as_string()->get(), 0));
      return;
    }
    if (!start.is_table()) problem_.fail(start, "start is a state, or a table of states with weights");
    TableReader weights(*start.as_table(), problem_.where(), "start");
    for (const auto& [key, node] : weights.table()) {
      draft_->builder.start(names.state(problem_, node, std::string(key.str()), 0),
                            weights.number(key.str(), 1, 1e-12, 1e12));
    }
    if (start.as_table()->empty()) problem_.fail(start, "start names no state");
  }

  /// Is this a state in which nothing happens any more, whatever is done?
  void read_terminals(const OutcomeReader& names) {
    std::set<int> everywhere;
    for (int e = 0; e < static_cast<int>(environments_.size()); ++e) everywhere.insert(e);
    for (const std::string& name : problem_.texts("terminal")) {
      const int x = names.state(problem_, *problem_.find("terminal"), name, 0);
      for (int a = 0; a < static_cast<int>(actions_.size()); ++a) {
        draft_->forget({x, a}, everywhere, true);
        for (const int e : everywhere) draft_->builder.outcome(x, a, {{1, {x, 0, {}}}}, e);
      }
      draft_->terminals.insert(x);
    }
  }

  TableReader& problem_;
  std::vector<std::string> states_, actions_;
  std::vector<NamedEnvironment> environments_;
  std::map<std::string, int, std::less<>> state_numbers_;
  std::optional<Draft> draft_;
};

}  // namespace

Draft read_table_problem(TableReader& problem, const EpisodeSettings& episode, SideFiles& files) {
  std::optional<Draft> draft;
  at_place(problem.where(), *problem.find("states"),
           [&] { draft.emplace(TableProblem(problem, episode, files).draft()); });
  return std::move(*draft);
}

}  // namespace assay::files
