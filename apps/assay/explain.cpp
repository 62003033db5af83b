// `assay explain`: what each action is worth in a situation, and why.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "assay/advice/explanation.hpp"
#include "assay/after.hpp"
#include "assay/command.hpp"
#include "assay/core/detail/memory.hpp"
#include "assay/core/error.hpp"
#include "assay/draw.hpp"
#include "assay/explain_search.hpp"
#include "assay/json_text.hpp"
#include "assay/problem/registry.hpp"
#include "lab/text_table.hpp"

namespace assay::cli {
namespace {

using nlohmann::ordered_json;

void declare(Options& options, ExplainCommand& c) {
  add_problem(options, c.family);
  add_after(options, c.after);
  options.text("--at", c.at, "a state, by its name, its number or its letter on the map");
  add_remaining(options, c.remaining);
  options.text(
      "--method", c.method,
      "a method that searches, such as bamcp: show its search in this situation and what it then does; its "
      "own parameters limit the search");
  add_tree(options, c.tree);
  add_time_limit(options, c.time_limit, "seconds for the whole command, without --method");
  add_memory(options, c.memory);
  add_json(options, c.json);
  add_seed(options, c.seed, "seed of all draws");
  add_threads(options, c.threads);
}

/// The agent keeps what it knows, but may be put into another state or at another time than its history
/// leads to.
Situation situation_of(const ExplainCommand& command, const Problem& problem) {
  // Without a history the agent may be at any start.
  const bool state_matters = command.at.empty() && !command.after.empty();
  const Situation there = situation_of_history(problem, command.after, state_matters);
  const int state = command.at.empty() ? there.state() : state_named(problem, command.at);
  if (command.remaining > 0 && problem.traits().endless) {
    throw UsageError("--remaining: the problem is endless, so that no number of steps remains");
  }
  if (command.remaining > problem.horizon()) {
    throw UsageError(
        fmt::format("--remaining {}: an episode has {} steps", command.remaining, problem.horizon()));
  }
  const int remaining = command.remaining > 0 ? command.remaining : there.remaining();
  return {there.belief().clone(), state, problem.horizon() - remaining};
}

/// Avoids printing -0.0000 for zero.
double without_rounding(double value, const ActionWorth& worth) {
  return std::abs(value) <= 1e-6 * (1 + std::abs(worth.value.lower)) ? 0 : value;
}

constexpr int kDecimalsShown = 4;  // JSON has all of them

/// One number if both bounds are written alike.
std::string range_text(const Bounds& b, int decimals) {
  const std::string lower = fmt::format("{:.{}f}", b.lower, decimals);
  const std::string upper = fmt::format("{:.{}f}", b.upper, decimals);
  return lower == upper ? lower : lower + " to " + upper;
}

std::string shows_text(const ActionWorth& worth) {
  if (worth.tells_apart.empty()) return worth.shows ? "something" : "";
  const std::size_t groups = worth.tells_apart.size();
  if (groups == 1) return "";
  const std::string which =
      groups == 2 && worth.tells_apart[0].size() == 1 && worth.tells_apart[1].size() == 1
          ? fmt::format("{} from {}", worth.tells_apart[0][0], worth.tells_apart[1][0])
          : fmt::format("{} groups of environments", groups);
  return fmt::format("{}, {:.0f} % right", which, 100 * worth.guessed);
}

ordered_json as_json(const Problem& problem, const Explanation& e) {
  ordered_json actions = ordered_json::array();
  for (const ActionWorth& worth : e.actions) {
    actions.push_back({{"action", worth.action},
                       {"name", problem.action_name(worth.action)},
                       {"value", {worth.value.lower, worth.value.upper}},
                       {"current_information", worth.current},
                       {"cashed_reward", worth.cashed},
                       {"future_information", worth.future()},
                       {"tells_apart", worth.tells_apart},
                       {"guessed", worth.guessed}});
  }
  return {{"family", problem.name()}, {"state", e.state},
          {"belief", e.belief},       {"remaining", e.remaining},
          {"exact", e.exact},         {"decimals", e.decimals},
          {"certified", e.certified}, {"plans_exact", e.plans_exact},
          {"words", e.words},         {"actions", actions}};
}

void run_explain(const ExplainCommand& command, const Streams& streams) {
  const std::unique_ptr<Problem> problem = make_problem(command.family);
  if (command.method.empty() && command.tree > 0) {
    throw UsageError("--tree shows what a method searches through: name one with --method");
  }
  const Situation situation = situation_of(command, *problem);
  if (!command.method.empty()) return explain_search(command, *problem, situation, streams);
  const Explanation e =
      explain(*problem, situation,
              {.seconds = command.time_limit,
               .stop = Stop({.bytes = command.memory > 0 ? command.memory : usable_memory()}),
               .seed = command.seed,
               .threads = command.threads});
  if (command.json) {
    print_json(streams, as_json(*problem, e));
    return;
  }
  const std::string left =
      problem->traits().endless ? "without an end" : fmt::format("{} steps to go", e.remaining);
  fmt::print(streams.out, "{}\n\n  at {}, {}, believing {}\n\n", problem->name(), e.state, left,
             shortened(e.belief, 200));
  const int decimals = std::min(e.decimals, kDecimalsShown);
  TextTable table({"action", "worth", "known now", "cashed", "later", "tells"});
  for (const ActionWorth& worth : e.actions) {
    table.add({problem->action_name(worth.action), range_text(worth.value, decimals),
               fmt::format("{:.{}f}", worth.current, decimals),
               fmt::format("{:.{}f}", worth.cashed, decimals),
               fmt::format("{:.{}f}", without_rounding(worth.future() - worth.cashed, worth), decimals),
               shows_text(worth)});
  }
  fmt::print(streams.out, "{}\n", table.text(streams.width));
  fmt::print(streams.out, "  {}\n\n", wrapped(e.words, 2, streams.width));
  fmt::print(streams.out,
             "  worth = known now (do it, then go on with what is known) + cashed (what it shows raises that "
             "by) + later{}\n",
             e.exact       ? ""
             : e.certified ? "\n  bounds are certified"
                           : "\n  the upper bound is drawn");
  if (!e.plans_exact) {
    fmt::print(streams.out,
               "  known now is at least that: there may be better plans that ignore what will be seen\n");
  }
}

const RegisterCommand<ExplainCommand> kRegistered(
    {.name = "explain",
     .group = Group::kProblem,
     .rank = 1,
     .summary =
         "Show what each action is worth in a situation, and how much of that is due to what it shows.",
     .help =
         "assay explain examples/problems/tiger.toml\n"
         "  assay explain examples/problems/tiger.toml --after \"listen sees growl left; listen sees growl "
         "left\"\n"
         "  assay explain examples/problems/t_maze.toml --at junction\n"
         "  assay explain t_maze --method \"bamcp(simulations=3000)\" --tree 2\n\n" +
         std::string(kHistoryHelp) +
         " --at puts the agent somewhere else, with the same knowledge.\n\n"
         "--json prints one object with family, state, belief, remaining, exact, decimals (that are "
         "certain), certified, plans_exact, words and actions, the best first; each has action, name, value "
         "(lower and upper), current_information, cashed_reward, future_information, tells_apart (groups of "
         "environments) and guessed. With --method: family, method, state, belief, remaining, action, "
         "action_name, words and search, as `assay play --json` has it."},
    declare, run_explain);

}  // namespace
}  // namespace assay::cli
