// How many simulations does a second have? BAMCP's search on several problems, one thread and two, and beside
// it the bare environment, drawn as often and stepped as far by random actions: the least that any search by
// simulation can take. The rest is the tree, the values that rollouts follow, and random choices. Then the
// simulations of pcr_search, which are fewer and know more.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "assay/core/rng.hpp"
#include "assay/problem/registry.hpp"
#include "cashing/playouts.hpp"
#include "solver/bamcp.hpp"
#include "timing.hpp"

namespace {

using assay::bench::best_seconds;

constexpr std::array<const char*, 4> kProblems = {"double_loop", "grid_world(size=10)",
                                                  "bandit(arms=5,horizon=100)", "treasure_map(size=5)"};
constexpr std::uint64_t kSimulations = 10'000;
constexpr int kRuns = 5;

struct Row {
  std::string problem;
  double steps_per_simulation = 0;
  double bare_ns = 0, one_ns = 0, two_ns = 0;  // per simulated step
  [[nodiscard]] double per_second(double ns) const { return 1e9 / (ns * steps_per_simulation); }
};

/// Simulations of `depth` steps by random actions in environments that are drawn for each of them.
double bare_seconds(const assay::AllowedActions& allowed, const assay::Situation& now, int depth) {
  const auto environment = now.belief().environment();
  const assay::Rng rng(1);
  double sum = 0;
  const double seconds = best_seconds(kRuns, [&] {
    for (std::uint64_t i = 0; i < kSimulations; ++i) {
      assay::Rng luck = rng.split(i);
      environment->draw(luck.split(0));
      int state = now.state();
      for (int d = 0; d < depth; ++d) {
        // Not uniform_index: what is left of a division here would be counted as the environment's.
        const std::uint64_t choice = (luck.next64() >> 32U) * allowed.count(state) >> 32U;
        const int action = allowed.action(allowed.first(state) + static_cast<std::uint32_t>(choice));
        const assay::SimulatedStep step = environment->step(state, action, d + 1 == now.remaining());
        sum += step.reward + step.arrival;
        state = step.next;
      }
    }
  });
  if (sum == 0.123) fmt::print("\n");  // so that the steps are made at all
  return seconds;
}

assay::Situation first_situation(const assay::Problem& problem) {
  assay::Episode episode = problem.episode(assay::Rng(3));
  episode.arrive();
  return episode.situation();
}

Row measure(const char* spec) {
  const auto problem = assay::make_problem(spec);
  const assay::Situation now = first_situation(*problem);
  assay::Bamcp planner(now.belief(), {.discount = problem->planning_discount(), .trees = 2});
  const auto search = [&](int threads) {
    return best_seconds(kRuns,
                        [&] { planner.run(now, assay::Rng(1), {.simulations = kSimulations}, threads); });
  };
  const double one = search(1);
  const double two = search(2);
  const auto steps = static_cast<double>(planner.steps());
  const auto depth = static_cast<int>(planner.steps() / planner.simulations());
  const double bare = bare_seconds(assay::AllowedActions(now.outline()), now, depth);
  const double to_ns = 1e9 / steps;
  return {spec, steps / static_cast<double>(kSimulations), bare * to_ns, one * to_ns, two * to_ns};
}

/// Of a decision by pcr_search, two trees: what it takes before the first simulation, and a simulation.
struct DecisionRow {
  std::string problem;
  double first_us = 0, one_us = 0, two_us = 0;
};

DecisionRow measure_decisions(const char* spec) {
  const auto problem = assay::make_problem(spec);
  const assay::Situation now = first_situation(*problem);
  constexpr int kFew = 2;
  constexpr int kMany = 402;
  const auto decide = [&](int simulations, int threads) {
    const auto method =
        assay::make_method(fmt::format("pcr_search(simulations={},playouts=never)", simulations));
    const auto policy = method->solve(*problem, {.rng = assay::Rng(1), .resources = threads}).policy;
    policy->begin(now);
    return best_seconds(kRuns, [&] {
      assay::Rng luck(2);
      (void)policy->act(now, luck);
    });
  };
  const double few = decide(kFew, 1);
  const double to_us = 1e6 / (kMany - kFew);
  return {spec, few * 1e6, (decide(kMany, 1) - few) * to_us, (decide(kMany, 2) - decide(kFew, 2)) * to_us};
}

nlohmann::ordered_json print_decisions() {
  fmt::print("\npcr_search in 2 trees, microseconds\n\n{:<28} {:>12} {:>14} {:>15} {:>9}\n", "problem",
             "first two", "then, 1 thread", "then, 2 threads", "1/2");
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const char* spec : kProblems) {
    const DecisionRow r = measure_decisions(spec);
    fmt::print("{:<28} {:>12.0f} {:>14.1f} {:>15.1f} {:>8.2f}x\n", r.problem, r.first_us, r.one_us, r.two_us,
               r.one_us / r.two_us);
    rows.push_back({{"problem", r.problem},
                    {"first_walks_us", r.first_us},
                    {"walk_1_thread_us", r.one_us},
                    {"walk_2_threads_us", r.two_us}});
  }
  return rows;
}

/// Actions of a treasure map played out from the corner, none given up, on one thread.
nlohmann::ordered_json print_playouts() {
  fmt::print("\nPlayouts, 1 thread\n\n{:<28} {:>10} {:>14} {:>12}\n", "problem", "playouts", "us a playout",
             "ns a step");
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const char* spec : {"treasure_map(size=5)", "treasure_map(size=7)"}) {
    const auto problem = assay::make_problem(spec);
    const auto prior = problem->prior();
    assay::Playouts playouts(*prior, {.environments = 256, .discount = problem->discount(), .hopeless = 1e9});
    std::size_t count = 0;
    const double seconds = best_seconds(kRuns, [&] {
      count = 0;
      for (const assay::PlayedOut& one : playouts.run(*prior, 0, problem->horizon(), assay::Rng(1))) {
        count += one.playouts;
      }
    });
    const double us = seconds * 1e6 / static_cast<double>(count);
    const double ns = us * 1e3 / problem->horizon();
    fmt::print("{:<28} {:>10} {:>14.2f} {:>12.0f}\n", spec, count, us, ns);
    rows.push_back({{"problem", spec}, {"us_per_playout", us}, {"ns_per_step", ns}});
  }
  return rows;
}

}  // namespace

int main(int argc, char** argv) {
  const bool to_file = argc == 3 && std::string(argv[1]) == "--json";
  fmt::print(
      "BAMCP from the start of an episode, {} simulations in 2 trees, nanoseconds per simulated step\n\n",
      kSimulations);
  fmt::print("{:<28} {:>10} {:>8} {:>9} {:>9} {:>9} {:>11} {:>14} {:>14}\n", "problem", "steps/sim.", "bare",
             "1 thread", "2 threads", "1/2", "1 thread/bare", "sim./s, 1", "sim./s, 2");
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const char* spec : kProblems) {
    const Row r = measure(spec);
    fmt::print("{:<28} {:>10.1f} {:>8.1f} {:>9.1f} {:>9.1f} {:>8.2f}x {:>12.2f}x {:>14.0f} {:>14.0f}\n",
               r.problem, r.steps_per_simulation, r.bare_ns, r.one_ns, r.two_ns, r.one_ns / r.two_ns,
               r.one_ns / r.bare_ns, r.per_second(r.one_ns), r.per_second(r.two_ns));
    rows.push_back({{"problem", r.problem},
                    {"steps_per_simulation", r.steps_per_simulation},
                    {"bare_simulator_ns_per_step", r.bare_ns},
                    {"bamcp_1_thread_ns_per_step", r.one_ns},
                    {"bamcp_2_threads_ns_per_step", r.two_ns},
                    {"bamcp_1_thread_simulations_per_second", r.per_second(r.one_ns)},
                    {"bamcp_2_threads_simulations_per_second", r.per_second(r.two_ns)}});
  }
  const nlohmann::ordered_json decisions = print_decisions();
  const nlohmann::ordered_json playouts = print_playouts();
  if (!to_file) return 0;
  std::ofstream(argv[2])
      << nlohmann::ordered_json{{"simulation", rows}, {"walks", decisions}, {"playouts", playouts}}.dump(2)
      << "\n";
}
