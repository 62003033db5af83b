// `assay solve`: what to do about a problem, what that is worth, and how certain the answer is.
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "assay/advice/solution.hpp"
#include "assay/command.hpp"
#include "assay/core/detail/memory.hpp"
#include "assay/core/error.hpp"
#include "assay/draw.hpp"
#include "assay/interrupt.hpp"
#include "assay/json_text.hpp"
#include "assay/problem/registry.hpp"
#include "assay/progress.hpp"
#include "lab/atomic_file.hpp"
#include "lab/policy_file.hpp"

namespace assay::cli {
namespace {

using nlohmann::ordered_json;

struct SolveCommand {
  std::string family;
  std::string method = "auto";
  std::string policy;  // "": not saved
  bool json = false;
  double time_limit = 20;
  std::size_t memory = 0;  // bytes; 0: what the machine allows
  int episodes = 2000;
  int threads = 0;
  std::uint64_t seed = 1;
};

void declare(Options& options, SolveCommand& c) {
  add_problem(options, c.family);
  options.text("--method", c.method, "auto, exact, search, or any other of `assay list methods`");
  add_time_limit(options, c.time_limit,
                 "seconds for the whole command; work that is unfinished then is ended");
  add_memory(options, c.memory);
  options.text("--policy", c.policy, "file to keep the policy in, for `assay evaluate` and `assay play`");
  add_json(options, c.json);
  options.number("--episodes", c.episodes, 2, 100'000'000, "episodes to simulate");
  add_seed(options, c.seed, "seed of learning and simulation");
  add_threads(options, c.threads);
}

/// Shows the present stage and the gap as it becomes smaller.
std::string progress_text(const SolveProgress& p, double seconds) {
  std::string text = p.stage;
  if (!std::isnan(p.lower)) {
    text += fmt::format(": from {:.6g} to {:.6g}, gap {:.3g}", p.lower, p.upper, p.upper - p.lower);
  }
  if (p.beliefs > 0) text += fmt::format(", {} beliefs", p.beliefs);
  return text + ", " + duration_text(seconds);
}

constexpr const char* kNotComputed = "  not computed   a limit was reached first";

std::string bound_text(const ValueBound& bound, int decimals) {
  if (bound.certified) return fmt::format("{:14.{}f}", bound.value, decimals);
  return fmt::format("{:14.{}f}   95 % interval [{:.4f}, {:.4f}]", bound.value, decimals, bound.interval.low,
                     bound.interval.high);
}

std::string estimate_text(const Estimate& e, int decimals) {
  return e.standard_error == 0
             ? fmt::format("{:14.{}f}", e.value, decimals)
             : fmt::format("{:14.{}f} +- {:.{}f}", e.value, decimals, e.standard_error, decimals);
}

/// A text like "listen", or "listen 60 %, open left 40 %".
std::string shares_text(const Problem& problem, const std::vector<ActionShare>& shares) {
  constexpr std::size_t kMostShown = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(shares.size(), kMostShown); ++i) {
    const bool over = shares[i].action == ActionShare::kOver;
    text += (i == 0 ? "" : ", ") + (over ? "over" : problem.action_name(shares[i].action));
    if (shares.size() > 1) text += fmt::format(" {:.0f} %", 100 * shares[i].share);
  }
  return shares.size() > kMostShown ? text + ", ..." : text;
}

std::string source_text(const SourceUse& use, double value, int decimals) {
  std::string text = fmt::format("used in {:.0f} % of episodes", 100 * use.episodes);
  if (use.uses > use.episodes + 1e-9) text += fmt::format(", {:.2f} times each on average", use.uses);
  if (!use.value_without) return text + "; the value without it was not computed";
  const double worth = value - *use.value_without;
  const double rounding = 1e-9 * (std::abs(value) + std::abs(*use.value_without));
  return text + (worth > rounding ? fmt::format("; without it the value would be {:.{}f}, {:.{}f} less",
                                                *use.value_without, decimals, worth, decimals)
                                  : std::string("; it does not pay: the value is the same without it"));
}

/// How the lower bound was found.
std::string origin_text(const Solution& s) {
  if (s.plan_only) return "the best plan that ignores all that will be seen";
  return s.lower.certified ? fmt::format("certified: {} beliefs searched", s.beliefs)
                           : "what the policy earns";
}

void print_bounds(const Solution& s, std::ostream& out) {
  if (s.exact) {
    fmt::print(
        out, "  value             {}   {} beliefs\n", bound_text(s.lower, s.decimals),
        s.gap() == 0 ? fmt::format("exact: {}", s.beliefs) : fmt::format("the bounds agree: {}", s.beliefs));
    fmt::print(out, "  gap               {:>14}\n", s.gap() == 0 ? "0" : fmt::format("{:.2g}", s.gap()));
    return;
  }
  fmt::print(out, "  lower bound       {}   {}\n", bound_text(s.lower, s.decimals), origin_text(s));
  if (!std::isfinite(s.upper.value)) {
    fmt::print(out, "  upper bound       {}\n", kNotComputed);
    return;
  }
  fmt::print(out, "  upper bound       {}   {}\n", bound_text(s.upper, s.decimals),
             s.upper.certified && s.lower.certified && !s.plan_only ? "certified"
                                                                    : "what full information would be worth");
  const double size = std::max(std::abs(s.upper.value), std::abs(s.lower.value));
  fmt::print(out, "  gap               {:>14}", fmt::format("{:.4g}", s.gap()));
  if (size > 0) {
    fmt::print(out, "   {:.2g} % of the value{}", 100 * s.gap() / size,
               s.lower.certified && s.upper.certified ? "" : ", from end to end of the intervals");
  }
  fmt::print(out, "\n");
}

void print_values(const Solution& s, std::ostream& out) {
  print_bounds(s, out);
  fmt::print(out, "  full information  {}\n",
             s.information ? estimate_text(s.information->full, s.decimals) +
                                 "   if the environment were known from the start"
                           : kNotComputed);
  if (s.fixed_plan) {
    const double slack = 1e-9 * (1 + std::abs(s.lower.value));
    const bool best_plan = s.fixed_plan->upper - s.fixed_plan->lower <= slack;
    fmt::print(
        out, "  stop learning now {:14.{}f}   the best plan that ignores all that will be seen{}\n",
        s.fixed_plan->lower, s.decimals,
        best_plan ? "" : fmt::format(": at least that, at most {:.{}f}", s.fixed_plan->upper, s.decimals));
    const double future = s.lower.value - s.fixed_plan->upper;
    if (future > slack) {
      fmt::print(out, "  finding out adds  {:14.{}f}{}\n", future, s.decimals,
                 s.exact && best_plan ? "" : "   or more");
    }
  }
  fmt::print(out, "  v^c               {}\n",
             s.information ? estimate_text(s.information->current, s.decimals) +
                                 "   planning for an environment drawn from what is believed"
                           : kNotComputed);
}

void print_behaviour(const Problem& problem, const Solution& s, const Streams& streams) {
  if (!s.policy) {
    fmt::print(streams.out,
               "\n  What to do is not known: a limit was reached before a method could be tried\n");
    return;
  }
  fmt::print(streams.out, "\n  What to do ({}; {} episodes simulated)\n", s.method, s.episodes);
  for (std::size_t step = 0; step < s.first_actions.size(); ++step) {
    fmt::print(streams.out, "    step {}   {}\n", step + 1, shares_text(problem, s.first_actions[step]));
  }
  if (s.sources.empty()) return;
  fmt::print(streams.out, "\n  Information\n");
  for (const SourceUse& use : s.sources) {
    fmt::print(streams.out, "    {}: {}\n", use.source,
               wrapped(source_text(use, s.lower.value, s.decimals), 6, streams.width));
  }
}

/// Null if it is unknown.
ordered_json number_json(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(); }

ordered_json bound_json(const ValueBound& bound) {
  return {{"value", number_json(bound.value)},
          {"interval", {number_json(bound.interval.low), number_json(bound.interval.high)}},
          {"certified", bound.certified}};
}

/// The name of the limit that was reached; null if none was.
ordered_json stopped_json(StopReason reason) {
  return reason == StopReason::kNone ? ordered_json() : ordered_json(words_of(reason).name);
}

ordered_json as_json(const Problem& problem, const Solution& s) {
  ordered_json steps = ordered_json::array();
  for (const std::vector<ActionShare>& shares : s.first_actions) {
    ordered_json step = ordered_json::array();
    for (const ActionShare& share : shares) {
      const bool over = share.action == ActionShare::kOver;
      step.push_back({{"action", over ? ordered_json() : ordered_json(share.action)},
                      {"name", over ? "over" : problem.action_name(share.action)},
                      {"share", share.share}});
    }
    steps.push_back(step);
  }
  ordered_json sources = ordered_json::array();
  for (const SourceUse& use : s.sources) {
    sources.push_back(
        {{"name", use.source},
         {"episodes", use.episodes},
         {"uses", use.uses},
         {"value_without", use.value_without ? ordered_json(*use.value_without) : ordered_json()}});
  }
  const auto of = [&](const auto& part) {
    return s.information ? ordered_json(part(*s.information)) : ordered_json();
  };
  ordered_json object = {
      {"family", s.family},
      {"method", s.method},
      {"exact", s.exact},
      {"lower", bound_json(s.lower)},
      {"upper", bound_json(s.upper)},
      {"gap", number_json(s.gap())},
      {"decimals", s.decimals},
      {"stopped", stopped_json(s.stopped)},
      {"fixed_plan", s.fixed_plan ? ordered_json(s.fixed_plan->lower) : ordered_json()},
      {"fixed_plan_upper", s.fixed_plan ? ordered_json(s.fixed_plan->upper) : ordered_json()},
      {"current_information", of([](const InformationValues& i) { return i.current.value; })},
      {"full_information", of([](const InformationValues& i) { return i.full.value; })},
      {"bound", of([](const InformationValues& i) { return i.bound.value; })},
      {"standard_errors",
       {{"current_information", of([](const InformationValues& i) { return i.current.standard_error; })},
        {"full_information", of([](const InformationValues& i) { return i.full.standard_error; })},
        {"bound", of([](const InformationValues& i) { return i.bound.standard_error; })}}},
      {"first_actions", steps},
      {"sources", sources},
      {"episodes", s.episodes},
      {"beliefs", s.beliefs},
      {"seconds", s.seconds}};
  if (const std::optional<Cut>& cut = problem.outline().cut) {
    object["cut"] = {{"steps", problem.horizon()}, {"after", {cut->tail.low, cut->tail.high}}};
  }
  return object;
}

/// Wrong requests are refused before anything is solved.
void demand_new_file(const std::string& file) {
  if (name_is_taken(file)) throw UsageError(file + " is there already; name another file for the policy");
  const std::filesystem::path parent = std::filesystem::path(file).parent_path();
  const std::filesystem::path folder = parent.empty() ? "." : parent;
  if (!std::filesystem::is_directory(folder) || access(folder.c_str(), W_OK | X_OK) != 0) {
    throw UsageError(
        fmt::format("the policy cannot be written to {}: {} is not a folder that can be written to", file,
                    folder.string()));
  }
}

/// The result has been printed. The exit code says how the work ended.
void finish_solve(const SolveCommand& command, const Solution& solution) {
  if (solution.stopped == StopReason::kAsked) throw Stopped(StopReason::kAsked);
  if (!command.policy.empty() && !solution.policy) {
    throw Error("no policy was found before " + limit_text(solution.stopped) + ", so none is kept");
  }
}

void run_solve(const SolveCommand& command, const Streams& streams) {
  if (!command.policy.empty()) demand_new_file(command.policy);
  const std::unique_ptr<Problem> problem = make_problem(command.family);
  Solution solution;
  {
    constexpr double kSecondsBetweenLines = 5;
    StatusLine line(streams, kSecondsBetweenLines);
    const InterruptWatch interrupt;
    solution =
        solve(*problem, {.method = command.method,
                         .seconds = command.time_limit,
                         .seed = command.seed,
                         .episodes = command.episodes,
                         .threads = command.threads,
                         .watch =
                             [&](const SolveProgress& p) {
                               line.show([&](double seconds) { return progress_text(p, seconds); });
                             },
                         .stop = Stop({.asked = InterruptWatch::interrupted,
                                       .bytes = command.memory > 0 ? command.memory : usable_memory()})});
  }
  const std::string warning = solution.method.empty() ? "" : make_method(solution.method)->warning(*problem);
  if (!warning.empty()) fmt::print(streams.err, "warning: {}: {}\n", solution.method, warning);
  const bool kept = !command.policy.empty() && solution.policy;
  if (kept) save_policy(command.policy, solution.file);
  if (command.json) {
    print_json(streams, as_json(*problem, solution));
    return finish_solve(command, solution);
  }
  fmt::print(streams.out, "{}\n\n", solution.family);
  print_values(solution, streams.out);
  if (problem->traits().endless) fmt::print(streams.out, "  {}\n", cut_text(problem->outline()));
  print_behaviour(*problem, solution, streams);
  if (kept) fmt::print(streams.out, "\n  the policy is in {}\n", command.policy);
  fmt::print(streams.out, "\n  why: assay explain {}\n  {} {:.2f} s{}\n", quoted(command.family),
             solution.stopped == StopReason::kNone ? "solved in" : "ended after", solution.seconds,
             solution.stopped == StopReason::kNone ? "" : ": " + limit_text(solution.stopped));
  finish_solve(command, solution);
}

const RegisterCommand<SolveCommand> kRegistered(
    {.name = "solve",
     .group = Group::kProblem,
     .rank = 0,
     .summary =
         "Say what to do about a problem, what that is worth, how certain that is, and what information is "
         "worth.",
     .help =
         "assay solve examples/problems/tiger.toml\n\n"
         "Small problems are solved exactly. Larger problems with finitely many environments get certified "
         "bounds from a search, which continues until they meet, the time is over or Ctrl-C ends it. For "
         "other problems a policy is learned or planned and simulated; its return is a lower bound with an "
         "interval, and the full-information value is an upper bound.\n\n"
         "--json prints one object with family, method, exact, lower and upper (each with value, interval "
         "and certified), gap, fixed_plan and fixed_plan_upper (bounds of the value of the best plan "
         "that ignores what will be seen; equal where that plan was found), current_information (v^c), "
         "full_information "
         "(E[v^e]), bound (B), standard_errors, first_actions (by step), sources (how often used, "
         "value_without), episodes, beliefs and seconds; of an endless problem also cut (steps, and after: "
         "what the "
         "steps after it are worth at least and at most)."},
    declare, run_solve);

}  // namespace
}  // namespace assay::cli
