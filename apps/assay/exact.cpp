// `assay exact`: the exact values of a small problem.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "assay/command.hpp"
#include "assay/draw.hpp"
#include "assay/json_text.hpp"
#include "assay/problem/registry.hpp"
#include "assay/progress.hpp"
#include "assay/solver/exact_solution.hpp"

namespace assay::cli {
namespace {

using nlohmann::ordered_json;

struct ExactCommand {
  std::string family;
  bool json = false;
  bool policy = false;
  std::uint64_t beliefs = 8;  // for how many beliefs the policy is shown
  std::uint64_t max_states = 10'000'000;
  int threads = 0;
  int samples = 2000;
  std::uint64_t seed = 0;
};

void declare(Options& options, ExactCommand& c) {
  add_problem(options, c.family);
  add_json(options, c.json);
  options.flag("--policy", c.policy,
               "show the optimal policy for each belief, drawn where the family is a grid");
  options.number("--max-states", c.max_states, 1, 4'000'000'000,
                 "belief states that may be held in memory; one with more than 8 cells or environments "
                 "counts for several");
  add_threads(options, c.threads);
  options.number("--samples", c.samples, 2, 100'000'000,
                 "pairs of environments to average v^c and E[v^e] over where they have no exact form");
  add_seed(options, c.seed, "seed of that average");
}

/// A source of information, and the value of the problem without it.
struct SourceWorth {
  std::string name;
  double value_without = 0;
  bool pays = false;
};

struct Findings {
  std::string family;
  double bayes_optimal = 0;
  std::string cut;  // for people; empty unless the problem is endless
  Bounds bounds;    // of the Bayes-optimal value; they differ only if the problem is endless
  InformationValues information;
  std::vector<SourceWorth> sources;
  std::uint64_t states = 0;
  double seconds = 0;

  /// v* - v^c, without the rounding that remains where both are equal.
  [[nodiscard]] double future_information() const {
    const double future = bayes_optimal - information.current.value;
    const double rounding = 1e-12 * (std::abs(bayes_optimal) + std::abs(information.current.value));
    return std::abs(future) <= rounding ? 0 : future;
  }
};

std::string progress_text(const ExactProgress& p, double seconds) {
  return fmt::format("{} step {} of {}, {} belief states, {:.1f} million a second",
                     p.forward ? "collecting" : "valuing", p.step, p.horizon, p.states,
                     static_cast<double>(p.states) / seconds / 1e6);
}

/// The value of the problem without each of its sources.
std::vector<SourceWorth> without_sources(const Problem& problem, double with_all,
                                         const ExactOptions& options) {
  std::vector<SourceWorth> all;
  for (const Silenced& silenced : problem.sources()) {
    const double without = silenced.problem->exact(options)->value();
    const double rounding = 1e-9 * (std::abs(with_all) + std::abs(without));
    all.push_back({silenced.source, without, with_all - without > rounding});
  }
  return all;
}

std::string with_error(const Estimate& e) {
  if (e.standard_error == 0) return fmt::format("{:14.6f}", e.value);
  return fmt::format("{:14.6f} +- {:.6f} (standard error)", e.value, e.standard_error);
}

void print_values(const Findings& f, std::ostream& out) {
  const Estimate future{f.future_information(), f.information.current.standard_error};
  fmt::print(out, "{}\n\n", f.family);
  fmt::print(out, "  v*      Bayes-optimal value          {}\n", with_error({f.bayes_optimal, 0}));
  fmt::print(out, "  v^c     value of current information {}\n", with_error(f.information.current));
  fmt::print(out, "  v^f     value of future information  {}\n", with_error(future));
  fmt::print(out, "  E[v^e]  full information             {}\n", with_error(f.information.full));
  fmt::print(out, "  B       bound on v^f                 {}\n\n", with_error(f.information.bound));

  if (!f.cut.empty()) {
    fmt::print(out,
               "  {}\n  without an end v* is at least {:.6f} and at most {:.6f}: the cut leaves an error of "
               "{:.2g}\n\n",
               f.cut, f.bounds.lower, f.bounds.upper, f.bounds.upper - f.bounds.lower);
  }
  constexpr std::size_t kWidth = 44;
  fmt::print(out, "  v^c {} E[v^e]\n",
             draw_scale(f.information.current.value, f.bayes_optimal, f.information.full.value, kWidth));
  if (f.information.bound.value > 0) {
    fmt::print(out, "  * is v*: {:.1f} % of what full information would add can be had by finding out\n",
               100 * f.future_information() / f.information.bound.value);
  }
  for (const SourceWorth& s : f.sources) {
    if (s.pays) {
      fmt::print(out, "\n  the {} pays: without it the value would be {:.6f}, {:.6f} less\n", s.name,
                 s.value_without, f.bayes_optimal - s.value_without);
    } else {
      fmt::print(out, "\n  the {}: it does not pay, the value without it is the same\n", s.name);
    }
  }
}

void print_drawn_policy(const Problem& problem, const BeliefPolicy& policy, std::ostream& out) {
  const auto glyph = [&](int x) {
    const auto choice = std::ranges::find(policy.choices, x, &BeliefPolicy::Choice::state);
    return std::string{choice == policy.choices.end() ? ' ' : problem.action_glyph(choice->action), ' '};
  };
  const auto landmark = [&](int x) { return std::string{problem.landmark(x), ' '}; };
  print_lines(draw_grid(problem, 2, landmark).beside(draw_grid(problem, 2, glyph)), out, "    ");
}

void print_policy(const Problem& problem, const BeliefPolicies& policies, std::ostream& out) {
  fmt::print(out, "\nOptimal policy for {} of {}{} beliefs, at the earliest step at which they can be met:\n",
             policies.shown.size(), policies.complete ? "" : "more than ", policies.met);
  if (problem.drawable()) {
    std::string legend;
    for (int a = 0; a < problem.actions(); ++a) {
      legend += fmt::format("{}{} {}", a == 0 ? "" : ", ", problem.action_glyph(a), problem.action_name(a));
    }
    fmt::print(out, "  ({}; blank: not reached with this belief)\n", legend);
  }
  for (const BeliefPolicy& policy : policies.shown) {
    fmt::print(out, "\n  belief: {}\n", policy.belief);
    if (problem.drawable()) {
      print_drawn_policy(problem, policy, out);
      continue;
    }
    for (const BeliefPolicy::Choice& c : policy.choices) {
      fmt::print(out, "    step {}, {}: {} (worth {:.6f})\n", c.step, problem.state_name(c.state),
                 problem.action_name(c.action), c.value);
    }
  }
}

ordered_json as_json(const Findings& f) {
  ordered_json sources = ordered_json::array();
  for (const SourceWorth& s : f.sources) {
    sources.push_back({{"name", s.name}, {"value_without", s.value_without}, {"pays", s.pays}});
  }
  const InformationValues& i = f.information;
  ordered_json object = {{"family", f.family},
                         {"bayes_optimal", f.bayes_optimal},
                         {"current_information", i.current.value},
                         {"future_information", f.future_information()},
                         {"full_information", i.full.value},
                         {"bound", i.bound.value},
                         {"standard_errors",
                          {{"current_information", i.current.standard_error},
                           {"future_information", i.current.standard_error},
                           {"full_information", i.full.standard_error},
                           {"bound", i.bound.standard_error}}},
                         {"sources", sources},
                         {"states", f.states},
                         {"seconds", f.seconds}};
  if (!f.cut.empty()) object["bayes_optimal_bounds"] = {f.bounds.lower, f.bounds.upper};
  return object;
}

ordered_json choice_json(const Problem& problem, const ExactChoice& c) {
  return {{"step", c.step},
          {"state", c.state},
          {"state_name", problem.state_name(c.state)},
          {"belief", c.belief},
          {"belief_numbers", json_numbers(c.numbers)},
          {"action", c.action},
          {"action_name", problem.action_name(c.action)},
          {"value", c.value}};
}

/// The members of an object without the braces around them.
std::string members_text(const ordered_json& object) {
  const std::string text = json_text(object, 2);
  return text.substr(2, text.size() - 4);  // "{\n" and "\n}"
}

/// Also writes one object, but while it is being computed, because there may be millions of decisions.
void print_policy_json(const Problem& problem, const ExactSolution& solved, const Streams& streams) {
  fmt::print(streams.out, "{{\n{},\n  \"policy\": [",
             members_text({{"belief_names", environment_names(problem)}}));
  std::uint64_t count = 0;
  solved.for_each_choice([&](const ExactChoice& choice) {
    fmt::print(streams.out, "{}\n    {}", count++ == 0 ? "" : ",", json_text(choice_json(problem, choice)));
  });
  fmt::print(streams.out, "\n  ],\n{},\n", members_text({{"decisions", count}}));
}

void run_exact(const ExactCommand& command, const Streams& streams) {
  const std::unique_ptr<Problem> problem = make_problem(command.family);
  Findings f;
  f.family = problem->name();
  std::optional<BeliefPolicies> policies;
  std::optional<StatusLine> line(std::in_place, streams);
  const ExactOptions options{
      .max_states = command.max_states, .threads = command.threads, .watch = [&](const ExactProgress& p) {
        line->show([&](double seconds) { return progress_text(p, seconds); });
      }};
  const auto begin = std::chrono::steady_clock::now();
  std::unique_ptr<ExactSolution> solved = problem->exact(options);
  f.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  f.bayes_optimal = solved->value();
  f.bounds = solved->bounds();
  f.cut = cut_text(problem->outline());
  f.states = solved->states();
  if (command.policy && command.json) {
    line.reset();  // it would otherwise stand between the lines
    print_policy_json(*problem, *solved, streams);
    line.emplace(streams);
  } else if (command.policy) {
    policies = solved->policy(command.beliefs);
  }
  solved.reset();  // the memory is needed for the problems without sources
  f.sources = without_sources(*problem, f.bayes_optimal, options);
  f.information =
      problem->information({.seed = command.seed, .samples = command.samples, .threads = command.threads});
  line.reset();
  if (command.json && command.policy) {
    fmt::print(streams.out, "{}\n}}\n", members_text(as_json(f)));  // the rest of the object
    return;
  }
  if (command.json) return print_json(streams, as_json(f));
  print_values(f, streams.out);
  if (policies) print_policy(*problem, *policies, streams.out);
  fmt::print(streams.out, "\n{} belief states, solved in {:.3f} s\n", f.states, f.seconds);
}

const RegisterCommand<ExactCommand> kRegistered(
    {.name = "exact",
     .group = Group::kProblem,
     .rank = 4,
     .summary =
         "Solve a problem exactly: the Bayes-optimal value, what present knowledge is worth, and what more "
         "of it could add.",
     .help =
         "assay exact \"t_maze(distance=3,arm=3)\" --policy\n\n"
         "--json prints one object with the numbers bayes_optimal (v*), current_information (v^c), "
         "future_information (v^f = v* - v^c), full_information (E[v^e]), bound (B = E[v^e] - v^c), "
         "states and seconds; of an endless problem bayes_optimal_bounds, between which v* lies; "
         "standard_errors, "
         "zero where a number is exact; sources, each "
         "with the value without it; and, with --policy, policy: all decisions that the optimal agent can "
         "come to, step by step, one a line as they are found. Each has step, state, state_name, belief (as "
         "text), belief_numbers (the probability of each environment, or all a and then all b of the Beta "
         "laws of unknown chances), action, action_name and value; belief_names are the environments' names "
         "and decisions says how many there are."},
    declare, run_exact);

}  // namespace
}  // namespace assay::cli
