#include "assay/explain_search.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "assay/core/error.hpp"
#include "assay/draw.hpp"
#include "assay/json_text.hpp"
#include "assay/problem/registry.hpp"
#include "assay/search_text.hpp"
#include "lab/text_table.hpp"

namespace assay::cli {
namespace {

// The streams of what the method draws when it is made and when it chooses. They are the same as in `play`.
enum ExplainedStream : std::uint64_t { kMethodStream = 0, kChoiceStream = 2 };

UsageError does_not_search(const std::string& method) {
  return UsageError(
      method +
      " does not search: --method takes one that does, such as bamcp; without --method, explain says "
      "what each action is worth");
}

std::string worth_of(double value) { return std::isnan(value) ? "" : fmt::format("{:.4f}", value); }

/// Columns without any number are left out.
TextTable root_table(const Problem& problem, const SearchView& view, int chosen) {
  const bool bounds = std::ranges::any_of(
      view.actions, [](const ViewedAction& one) { return !std::isnan(one.lower) || !std::isnan(one.upper); });
  std::vector<std::string> titles = {"  action", "visits", "value"};
  if (bounds) titles.insert(titles.end(), {"lower", "upper"});
  TextTable table(titles);
  for (const ViewedAction& one : view.actions) {
    std::vector<std::string> row = {(one.action == chosen ? "> " : "  ") + problem.action_name(one.action),
                                    fmt::format("{}", one.visits), worth_of(one.value)};
    if (bounds) row.insert(row.end(), {worth_of(one.lower), worth_of(one.upper)});
    table.add(row);
  }
  return table;
}

}  // namespace

void explain_search(const ExplainCommand& command, const Problem& problem, const Situation& situation,
                    const Streams& streams) {
  const std::unique_ptr<Method> method = make_method(command.method);
  const Rng rng(command.seed);
  const std::string objection = method->objection(problem);
  if (objection.empty() && method->learner(problem, rng.split(kMethodStream), command.threads)) {
    throw UsageError(command.method +
                     " learns before it can be asked: --method takes one that only searches, such as bamcp "
                     "or pcr_search; without --method, explain says what each action is worth");
  }
  const std::unique_ptr<Policy> policy =
      method->solve(problem, {.rng = rng.split(kMethodStream), .resources = command.threads}).policy;
  if (policy->oracle() != nullptr) throw does_not_search(command.method);
  Rng luck = rng.split(kChoiceStream);
  policy->begin(situation);
  const int action = policy->act(situation, luck);
  const SearchView view =
      policy->searched(std::max(1, command.tree), command.tree > 1 ? kShownSuccessors : 0);
  if (view.empty()) throw does_not_search(command.method);

  const std::string words = search_reason(problem, view, action);
  if (command.json) {
    const nlohmann::ordered_json object = {{"family", problem.name()},
                                           {"method", method->name()},
                                           {"state", problem.state_name(situation.state())},
                                           {"belief", situation.belief().text()},
                                           {"remaining", situation.remaining()},
                                           {"action", action},
                                           {"action_name", problem.action_name(action)},
                                           {"words", words},
                                           {"search", search_json(problem, view)}};
    print_json(streams, object);
    return;
  }
  fmt::print(streams.out, "{}\n\n  at {}, {} steps to go, believing {}\n  {}\n  searched: {}\n\n",
             problem.name(), problem.state_name(situation.state()), situation.remaining(),
             shortened(situation.belief().text(), 200), method->name(), search_summary(view, action));
  fmt::print(streams.out, "{}\n", root_table(problem, view, action).text(streams.width));
  fmt::print(streams.out, "  {}\n", wrapped(words, 2, streams.width));
  if (command.tree < 2) return;  // the table has the first level
  fmt::print(streams.out, "\n");
  for (const std::string& line : search_tree_lines(problem, view, situation.state(), action)) {
    fmt::print(streams.out, "{}\n", line);
  }
}

}  // namespace assay::cli
