// `assay explain`: what each action is worth in a situation, and why.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "assay/advice/explanation.hpp"
#include "assay/cli.hpp"
#include "assay/core/error.hpp"
#include "assay/core/memory.hpp"
#include "assay/draw.hpp"
#include "assay/explain_search.hpp"
#include "assay/json_text.hpp"
#include "assay/lab/text_table.hpp"
#include "assay/problem/registry.hpp"

namespace assay::cli {
namespace {

using nlohmann::ordered_json;

/// What is seen on arriving at the start is left open where it is not said and could be several things.
Situation at_a_start(const Problem& problem) {
  return {problem.starts().front().state, problem.horizon(), problem.knowledge(default_kernel())};
}

Situation situation_of(const ExplainCommand& command, const Problem& problem) {
  Situation situation;
  try {
    situation = situation_after(problem, command.after);
  } catch (const Error& error) {
    if (!command.after.empty()) throw UsageError(std::string("--after ") + error.what());
    situation = at_a_start(problem);
  }
  if (!command.at.empty()) situation.state = state_named(problem, command.at);
  if (command.remaining > problem.horizon()) {
    throw UsageError(
        fmt::format("--remaining {}: an episode has {} steps", command.remaining, problem.horizon()));
  }
  if (command.remaining > 0) situation.remaining = command.remaining;
  return situation;
}

/// Not -0.0000 for what is nothing.
double without_rounding(double value, const ActionWorth& worth) {
  return std::abs(value) <= 1e-6 * (1 + std::abs(worth.value.lower)) ? 0 : value;
}

constexpr int kDecimalsShown = 4;  // JSON has them all

/// One number where both bounds are the same once they are written down.
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

}  // namespace

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
  fmt::print(streams.out, "{}\n\n  at {}, {} steps to go, believing {}\n\n", problem->name(), e.state,
             e.remaining, shortened(e.belief, 200));
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

}  // namespace assay::cli
