// `assay solve`: what to do, what that is worth, and how sure that is.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "assay/advice/solution.hpp"
#include "assay/cli.hpp"
#include "assay/core/error.hpp"
#include "assay/draw.hpp"
#include "assay/interrupt.hpp"
#include "assay/lab/atomic_file.hpp"
#include "assay/problem/registry.hpp"
#include "assay/progress.hpp"

namespace assay::cli {
namespace {

using nlohmann::ordered_json;

/// The stage and the shrinking gap.
std::string progress_text(const SolveProgress& p, double seconds) {
  std::string text = p.stage;
  if (!std::isnan(p.lower)) {
    text += fmt::format(": from {:.6g} to {:.6g}, gap {:.3g}", p.lower, p.upper, p.upper - p.lower);
  }
  if (p.beliefs > 0) text += fmt::format(", {} beliefs", p.beliefs);
  return text + ", " + duration_text(seconds);
}

std::string bound_text(const ValueBound& bound) {
  if (bound.certified) return fmt::format("{:14.6f}", bound.value);
  return fmt::format("{:14.6f}   95 % interval [{:.4f}, {:.4f}]", bound.value, bound.interval.low,
                     bound.interval.high);
}

std::string estimate_text(const Estimate& e) {
  return e.standard_error == 0 ? fmt::format("{:14.6f}", e.value)
                               : fmt::format("{:14.6f} +- {:.6f}", e.value, e.standard_error);
}

/// "listen", or "listen 60 %, open left 40 %".
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

std::string source_text(const SourceUse& use, double value) {
  std::string text = fmt::format("used in {:.0f} % of episodes", 100 * use.episodes);
  if (use.uses > use.episodes + 1e-9) text += fmt::format(", {:.2f} times each on average", use.uses);
  if (!use.value_without) return text;
  const double worth = value - *use.value_without;
  const double rounding = 1e-9 * (std::abs(value) + std::abs(*use.value_without));
  return text + (worth > rounding ? fmt::format("; without it the value would be {:.6f}, {:.6f} less",
                                                *use.value_without, worth)
                                  : std::string("; it does not pay: the value is the same without it"));
}

void print_values(const Solution& s, std::ostream& out) {
  if (s.exact) {
    fmt::print(out, "  value             {}   exact: {} beliefs\n", bound_text(s.lower), s.beliefs);
  } else {
    fmt::print(out, "  lower bound       {}   {}\n", bound_text(s.lower),
               s.lower.certified ? fmt::format("certified: {} beliefs searched", s.beliefs)
                                 : "what the policy earns");
    fmt::print(out, "  upper bound       {}   {}\n", bound_text(s.upper),
               s.upper.certified && s.lower.certified ? "certified" : "what full information would be worth");
  }
  const double size = std::max(std::abs(s.upper.value), std::abs(s.lower.value));
  fmt::print(out, "  gap               {:14.6f}", s.exact ? 0.0 : s.gap());
  fmt::print(out, "{}\n",
             s.exact || size == 0
                 ? ""
                 : fmt::format("   {:.2f} % of the value{}", 100 * s.gap() / size,
                               s.lower.certified ? "" : ", from end to end of the intervals"));
  fmt::print(out, "  full information  {}   if the environment were known from the start\n",
             estimate_text(s.information.full));
  const double slack = 1e-9 * (1 + size);
  const bool best_plan = s.fixed_plan.upper - s.fixed_plan.lower <= slack;
  fmt::print(out, "  stop learning now {:14.6f}   the best plan that ignores all that will be seen{}\n",
             s.fixed_plan.lower,
             best_plan ? "" : fmt::format(": at least that, at most {:.6f}", s.fixed_plan.upper));
  const double future = s.lower.value - s.fixed_plan.upper;
  if (future > slack) {
    fmt::print(out, "  finding out adds  {:14.6f}{}\n", future, s.exact && best_plan ? "" : "   or more");
  }
  fmt::print(out, "  v^c               {}   planning for an environment drawn from what is believed\n",
             estimate_text(s.information.current));
}

void print_behaviour(const Problem& problem, const Solution& s, const Streams& streams) {
  fmt::print(streams.out, "\n  What to do ({}; {} episodes simulated)\n", s.method, s.episodes);
  for (std::size_t step = 0; step < s.first_actions.size(); ++step) {
    fmt::print(streams.out, "    step {}   {}\n", step + 1, shares_text(problem, s.first_actions[step]));
  }
  if (s.sources.empty()) return;
  fmt::print(streams.out, "\n  Information\n");
  for (const SourceUse& use : s.sources) {
    fmt::print(streams.out, "    {}: {}\n", use.source,
               wrapped(source_text(use, s.lower.value), 6, streams.width));
  }
}

ordered_json bound_json(const ValueBound& bound) {
  return {{"value", bound.value},
          {"interval", {bound.interval.low, bound.interval.high}},
          {"certified", bound.certified}};
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
  return {{"family", s.family},
          {"method", s.method},
          {"exact", s.exact},
          {"lower", bound_json(s.lower)},
          {"upper", bound_json(s.upper)},
          {"gap", s.exact ? 0.0 : s.gap()},
          {"fixed_plan", s.fixed_plan.lower},
          {"fixed_plan_upper", s.fixed_plan.upper},
          {"current_information", s.information.current.value},
          {"full_information", s.information.full.value},
          {"bound", s.information.bound.value},
          {"standard_errors",
           {{"current_information", s.information.current.standard_error},
            {"full_information", s.information.full.standard_error},
            {"bound", s.information.bound.standard_error}}},
          {"first_actions", steps},
          {"sources", sources},
          {"episodes", s.episodes},
          {"beliefs", s.beliefs},
          {"seconds", s.seconds}};
}

}  // namespace

void run_solve(const SolveCommand& command, const Streams& streams) {
  if (!command.policy.empty() && name_is_taken(command.policy)) {
    throw UsageError(command.policy + " is there already; name another file for the policy");
  }
  const std::unique_ptr<Problem> problem = make_problem(command.family);
  Solution solution;
  {
    constexpr double kSecondsBetweenLines = 5;
    StatusLine line(streams, kSecondsBetweenLines);
    const InterruptWatch interrupt;
    solution = solve(*problem, {.method = command.method,
                                .seconds = command.time_limit,
                                .seed = command.seed,
                                .episodes = command.episodes,
                                .threads = command.threads,
                                .watch =
                                    [&](const SolveProgress& p) {
                                      line.show([&](double seconds) { return progress_text(p, seconds); });
                                    },
                                .stop = [] { return InterruptWatch::interrupted(); }});
  }
  if (!command.policy.empty()) save_policy(command.policy, solution.file);
  if (command.json) {
    fmt::print(streams.out, "{}\n", as_json(*problem, solution).dump(2));
    return;
  }
  fmt::print(streams.out, "{}\n\n", solution.family);
  print_values(solution, streams.out);
  print_behaviour(*problem, solution, streams);
  if (!command.policy.empty()) fmt::print(streams.out, "\n  the policy is in {}\n", command.policy);
  fmt::print(streams.out, "\n  why: assay explain {}\n  solved in {:.2f} s\n", quoted(command.family),
             solution.seconds);
}

}  // namespace assay::cli
