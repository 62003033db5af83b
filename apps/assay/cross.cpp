// `assay cross`: what knowledge is worth in every state, and what more knowledge could add.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "assay/after.hpp"
#include "assay/cashing/cashing.hpp"
#include "assay/command.hpp"
#include "assay/draw.hpp"
#include "assay/json_text.hpp"
#include "assay/problem/registry.hpp"
#include "assay/progress.hpp"

namespace assay::cli {
namespace {

using nlohmann::ordered_json;

struct CrossCommand {
  std::string family;
  std::string after;
  std::string estimator = "auto";
  std::string kernel = "auto";
  bool json = false;
  bool endless = false;
  int remaining = 0;  // 0: what the history leaves of the horizon
  int samples = 2000;
  int worlds = 1;
  std::optional<int> outcomes;  // by default as many as are affordable
  int threads = 0;
  std::uint64_t seed = 0;
};

void declare(Options& options, CrossCommand& c) {
  add_problem(options, c.family);
  add_after(options, c.after);
  options.text("--estimator", c.estimator, "auto, summed, linear, paired, crossed, mean or best");
  options.number("--samples", c.samples, 2, 10'000'000, "environments to draw as plans");
  options.number("--worlds", c.worlds, 1, 100'000,
                 "environments in which the plans are valued, for the estimator crossed");
  add_remaining(options, c.remaining);
  options.flag("--endless", c.endless, "plans without an end (needs a discount below 1)");
  options.number("--outcomes", c.outcomes, 0, 1'000'000,
                 "outcomes to draw for the expected cashed reward; 0 leaves it out (the default for more "
                 "than 400 states)");
  add_seed(options, c.seed, "seed of all draws");
  add_kernel(options, c.kernel);
  add_threads(options, c.threads);
  add_json(options, c.json);
}

/// One quantity in all states.
struct Map {
  std::string key;  // in JSON
  std::string title;
  std::vector<Estimate> values;  // [state]
};

struct CrossMaps {
  std::string family;
  std::string belief;
  Estimator estimator;
  Ending ending;
  std::vector<Map> maps;
};

Estimator chosen_estimator(const CrossCommand& command, const Belief& knowledge, std::size_t draws) {
  if (command.estimator == "auto") {
    if (knowledge.finite()) return Summed{};
    if (knowledge.known_transitions()) return Linear{draws};
    return Paired{draws};
  }
  Estimator estimator = estimator_named(command.estimator, draws);
  if (auto* crossed = std::get_if<Crossed>(&estimator))
    crossed->worlds = static_cast<std::size_t>(command.worlds);
  return estimator;
}

Ending chosen_ending(const CrossCommand& command, const Situation& situation) {
  if (command.endless && command.remaining > 0) {
    throw UsageError("--endless and --remaining contradict each other: give one of them");
  }
  if (command.remaining > 0) return StepsLeft{command.remaining};
  if (command.endless || situation.outline().endless()) return Endless{};
  return StepsLeft{situation.remaining()};
}

/// How many outcomes to draw for the expected cashed reward. By default this takes at most seconds.
std::size_t chosen_outcomes(const CrossCommand& command, const Belief& knowledge) {
  constexpr int kMostStates = 400;
  if (command.outcomes) return static_cast<std::size_t>(*command.outcomes);
  if (knowledge.finite()) return 1;  // all outcomes are summed
  return knowledge.states() > kMostStates
             ? 0
             : static_cast<std::size_t>(std::min(512, 12800 / knowledge.states()));
}

CrossMaps find(const CrossCommand& command, const Problem& problem, const Streams& streams) {
  const Kernel kernel = command.kernel == "auto" ? default_kernel() : kernel_named(command.kernel);
  const Situation situation = situation_of_history(problem, command.after, false);
  const std::unique_ptr<Belief> knowledge = problem.prior(kernel);
  knowledge->assign(situation.belief());
  const DrawKey key{.seed = command.seed, .episode = 0, .step = 0, .role = 0};
  CrossMaps f;
  f.family = problem.name();
  f.belief = knowledge->text();
  f.estimator = chosen_estimator(command, *knowledge, static_cast<std::size_t>(command.samples));
  f.ending = chosen_ending(command, situation);
  const CrossSamples samples =
      CrossSampler(f.estimator, f.ending, kernel, command.threads).sample(*knowledge, key);
  const std::string vc = std::holds_alternative<MeanPlan>(f.estimator) ? "v^m" : "v^c";
  f.maps = {{"current_information", vc + ": value of current information", {}},
            {"full_information", "E[v^e]: value of full information", {}},
            {"bound", "B = E[v^e] - " + vc + ": what more knowledge could add at most", {}}};
  for (int x = 0; x < problem.states(); ++x) {
    f.maps[0].values.push_back(current_information(samples, x));
    f.maps[1].values.push_back(full_information(samples, x));
    f.maps[2].values.push_back(information_bound(samples, x));
  }
  const std::size_t outcomes = chosen_outcomes(command, *knowledge);
  if (outcomes > 0) {
    constexpr std::size_t kEnoughPlans = 80;  // the outcomes average over the plans once more
    StatusLine line(streams);
    Expectation how;
    how.estimator = chosen_estimator(command, *knowledge,
                                     std::min(kEnoughPlans, static_cast<std::size_t>(command.samples)));
    how.ending = f.ending;
    how.key = key;
    how.key.episode = 1;
    how.outcomes = outcomes;
    how.kernel = kernel;
    how.threads = command.threads;
    how.watch = [&](double share) {
      if (share <= 0) return;
      line.show([&](double seconds) {
        return fmt::format("expected cashed reward: {:.0f} %, {} left", 100 * share,
                           duration_text(seconds * (1 - share) / share));
      });
    };
    std::vector<int> states(static_cast<std::size_t>(problem.states()));
    std::iota(states.begin(), states.end(), 0);
    f.maps.push_back({"expected_cashed_reward",
                      "E[lambda]: expected cashed reward, what a visit's information is worth",
                      expected_cashed_reward(*knowledge, states, how)});
  }
  return f;
}

struct Range {
  double low, high;
};

Range range_of(const Map& map) {
  const auto [low, high] = std::ranges::minmax(map.values, {}, &Estimate::value);
  return {low.value, high.value};
}

void print_grid(const Problem& problem, const Map& map, bool colour, std::ostream& out) {
  const Range range = range_of(map);
  const int decimals = std::max(std::abs(range.low), std::abs(range.high)) >= 100 ? 1 : 3;
  std::size_t width = 0;
  for (const Estimate& e : map.values)
    width = std::max(width, fmt::formatted_size("{:.{}f}", e.value, decimals));
  const Picture grid = draw_grid(problem, width + 2, [&](int x) {
    const double value = map.values[static_cast<std::size_t>(x)].value;
    const std::string text = fmt::format(" {:{}.{}f} ", value, width, decimals);
    if (!colour) return text;
    return shaded(text, range.high > range.low ? (value - range.low) / (range.high - range.low) : 0.5);
  });
  print_lines(grid, out, "    ");
}

std::string error_text(const Estimate& e) {
  if (std::isnan(e.standard_error)) return fmt::format("{:.4f} +- unknown", e.value);
  return e.standard_error == 0 ? fmt::format("{:.4f}", e.value)
                               : fmt::format("{:.4f} +- {:.4f}", e.value, e.standard_error);
}

/// Where the map is highest, by how much, and how certain that is.
void print_summary(const Problem& problem, const Map& map, std::ostream& out) {
  const auto most = std::ranges::max_element(map.values, {}, &Estimate::value);
  std::vector<double> sorted;
  double error = 0;
  for (const Estimate& e : map.values) {
    sorted.push_back(e.value);
    error = std::max(error, e.standard_error);
  }
  std::ranges::sort(sorted, std::greater());
  const Range range = range_of(map);
  if (range.high - range.low <= 1e-6 * std::abs(range.high)) {
    fmt::print(out, "    the same everywhere: {}\n", error_text(*most));
    return;
  }
  fmt::print(out, "    most at {}: {} (second {:.4f}, median {:.4f}",
             problem.state_name(static_cast<int>(most - map.values.begin())), error_text(*most), sorted[1],
             sorted[sorted.size() / 2]);
  if (error > 0) fmt::print(out, "; standard errors up to {:.4f}", error);
  fmt::print(out, ")\n");
}

std::string ending_text(const Ending& ending) {
  if (const auto* known = std::get_if<StepsLeft>(&ending)) return fmt::format("{} steps left", known->steps);
  return "without an end";
}

void print_maps(const Problem& problem, const CrossMaps& f, const Streams& streams) {
  std::ostream& out = streams.out;
  fmt::print(out, "{}\n  belief: {}\n  {}, estimator {}\n", f.family, f.belief.empty() ? "prior" : f.belief,
             ending_text(f.ending), estimator_name(f.estimator));
  constexpr int kMostColumns = 12;
  int columns = 0;
  for (int x = 0; problem.drawable() && x < problem.states(); ++x) {
    columns = std::max(columns, problem.cell(x).column + 1);
  }
  const bool draw = problem.drawable() && columns <= kMostColumns;
  for (const Map& map : f.maps) {
    fmt::print(out, "\n  {}\n", map.title);
    if (draw) {
      print_grid(problem, map, streams.colour, out);
    } else if (problem.states() <= kMostColumns) {
      for (int x = 0; x < problem.states(); ++x) {
        fmt::print(out, "    {}: {}\n", problem.state_name(x),
                   error_text(map.values[static_cast<std::size_t>(x)]));
      }
    }
    if (problem.states() > 1) print_summary(problem, map, out);
  }
  if (f.maps.size() == 3) {
    fmt::print(out, "\n  (--outcomes N adds the expected cashed reward; with {} states that takes time)\n",
               problem.states());
  }
}

ordered_json maps_json(const Problem& problem, const CrossMaps& f, const CrossCommand& command) {
  const auto number = [](double value) { return std::isnan(value) ? ordered_json() : ordered_json(value); };
  ordered_json states = ordered_json::array();
  for (int x = 0; x < problem.states(); ++x) {
    ordered_json state = {{"state", x}, {"state_name", problem.state_name(x)}};
    ordered_json errors = ordered_json::object();
    for (const Map& map : f.maps) {
      const Estimate& e = map.values[static_cast<std::size_t>(x)];
      state[map.key] = e.value;
      errors[map.key] = number(e.standard_error);
    }
    state["standard_errors"] = errors;
    states.push_back(state);
  }
  const auto* known = std::get_if<StepsLeft>(&f.ending);
  return {{"family", f.family},
          {"belief", f.belief},
          {"estimator", estimator_name(f.estimator)},
          {"samples", command.samples},
          {"seed", command.seed},
          {"remaining", known != nullptr ? ordered_json(known->steps) : ordered_json()},
          {"states", states}};
}

void run_cross(const CrossCommand& command, const Streams& streams) {
  const std::unique_ptr<Problem> problem = make_problem(command.family);
  const CrossMaps f = find(command, *problem, streams);
  if (command.json) {
    print_json(streams, maps_json(*problem, f, command));
  } else {
    print_maps(*problem, f, streams);
  }
}

const RegisterCommand<CrossCommand> kRegistered(
    {.name = "cross",
     .group = Group::kProblem,
     .rank = 5,
     .summary =
         "Map what knowledge is worth: v^c, E[v^e], the bound B and the expected cashed reward in every "
         "state.",
     .help =
         "assay cross \"treasure_map(size=7)\" --seed 1\n"
         "  assay cross \"treasure_map(size=3)\" --after \"start sees 4 pays 1 to row 0 column 0; right sees "
         "0 "
         "pays 0\"\n"
         "  assay cross t_maze --after \"down; down; down; down sees right\"\n\n" +
         std::string(kHistoryHelp) +
         " Where an episode can begin at several states, 'start to NAME' says at which.\n\n"
         "Estimators: summed (exact, for finite beliefs), linear (drawn plans in the mean environment; needs "
         "known transitions), paired (each drawn plan in a drawn environment of its own), crossed (the "
         "paper's: all drawn plans in the same --worlds environments), mean (v^m, the plan of the mean "
         "environment), best (the best of the drawn plans). auto takes the first that the problem allows.\n\n"
         "--json prints one object with family, belief, estimator, samples, seed, remaining (null: without "
         "an end) and states; each has state, state_name, current_information, full_information, bound, "
         "expected_cashed_reward and standard_errors, 0 where exact and null where unknown."},
    declare, run_cross);

}  // namespace
}  // namespace assay::cli
