// `assay play`: one episode, step by step.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "assay/cli.hpp"
#include "assay/episode_view.hpp"
#include "assay/interrupt.hpp"
#include "assay/lab/atomic_file.hpp"
#include "assay/problem/registry.hpp"
#include "assay/report/trace.hpp"
#include "assay/saved_policy.hpp"
#include "assay/search_text.hpp"

namespace assay::cli {
namespace {

using nlohmann::ordered_json;

// The hidden environment and the policy's own randomness must not share a stream.
enum Stream : std::uint64_t { kTrainingStream, kEpisodeStream };

/// A file that is called like a method does not take its place.
bool is_method(const std::string& name) {
  return std::ranges::any_of(methods().entries(), [&](const auto& entry) { return entry.name == name; });
}

ordered_json step_json(const Problem& problem, const TraceStep& s, std::size_t number) {
  const auto outcome = [](const Outcome& o) {
    return ordered_json{{"reward", o.reward}, {"observation", o.observation}};
  };
  const auto known = [](double value) { return std::isnan(value) ? ordered_json() : ordered_json(value); };
  ordered_json step = {{"step", number},
                       {"state", s.state},
                       {"state_name", problem.state_name(s.state)},
                       {"arrival", outcome(s.arrival)},
                       {"belief", s.belief},
                       {"action", s.action},
                       {"action_name", problem.action_name(s.action)},
                       {"outcome", outcome(s.outcome)},
                       {"belief_after", s.belief_after},
                       {"current_information", known(s.at.current)},
                       {"future_information", known(s.at.future)},
                       {"bound", known(s.at.bound)},
                       {"cashed_reward", s.cashed}};
  if (!s.search.empty()) step["search"] = search_json(problem, s.search);
  return step;
}

void print_json(const PlayCommand& command, const Problem& problem, const Trace& trace, std::ostream& out) {
  ordered_json steps = ordered_json::array();
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    steps.push_back(step_json(problem, trace.steps[i], i));
  }
  const ordered_json object = {{"family", problem.name()},
                               {"policy", command.policy},
                               {"seed", command.seed},
                               {"return", trace.undiscounted},
                               {"discounted_return", trace.discounted},
                               {"steps", steps}};
  fmt::print(out, "{}\n", object.dump(2));
}

/// Every step in the place of the last one.
void animate(const PlayCommand& command, const EpisodeView& view, std::size_t steps, std::ostream& out) {
  const InterruptWatch watch;
  for (std::size_t i = 0; i < steps && !InterruptWatch::interrupted(); ++i) {
    const Picture frame = view.step(i, true);
    // The cursor goes up to where the last frame began; what a line leaves of the older one is cleared.
    if (i > 0) fmt::print(out, "\033[{}A", frame.lines().size());
    print_lines(frame, out, "", "\033[K\n");
    out.flush();
    if (i + 1 < steps) std::this_thread::sleep_for(std::chrono::duration<double>(1 / command.speed));
  }
}

/// One that was saved, or one that is made now.
std::unique_ptr<Policy> policy_of(const PlayCommand& command, const Problem& problem, const Rng& rng,
                                  const Streams& streams) {
  if (!is_method(command.policy) && is_file(command.policy)) {
    return saved_policy(load_policy(command.policy), command.policy, problem, command.threads);
  }
  const std::unique_ptr<Method> method = make_method(command.policy);
  std::unique_ptr<Policy> policy = method->solve(problem, rng.split(kTrainingStream), command.threads);
  const std::string warning = method->warning(problem);
  if (!warning.empty()) fmt::print(streams.err, "warning: {}: {}\n", command.policy, warning);
  return policy;
}

}  // namespace

void run_play(const PlayCommand& command, const Streams& streams) {
  const std::unique_ptr<Problem> problem = make_problem(command.family);
  const Rng rng(command.seed);
  const std::unique_ptr<Policy> policy = policy_of(command, *problem, rng, streams);
  // Ends belong to the level below the actions: without one they would not be shown.
  const SearchDetail detail{.levels = std::max(1, command.tree), .ends = command.tree > 1 ? kShownEnds : 0};
  const Trace trace = trace_episode(*problem, *policy, rng.split(kEpisodeStream), detail);
  if (command.json) return print_json(command, *problem, trace, streams.out);

  const EpisodeView view(*problem, trace, streams.width, streams.colour, command.tree > 0);
  fmt::print(streams.out, "{}, policy {}, seed {}\n", problem->name(), command.policy, command.seed);
  print_lines(view.legend(), streams.out);
  fmt::print(streams.out, "\n");
  // Trees differ in height: they cannot be drawn over each other.
  if (streams.animate && !command.still && command.tree == 0 && problem->drawable()) {
    animate(command, view, trace.steps.size(), streams.out);
  } else {
    for (std::size_t i = 0; i < trace.steps.size(); ++i) print_lines(view.step(i, false), streams.out);
  }
  fmt::print(streams.out, "\nreturn {:.6g}, discounted {:.6g}\n", trace.undiscounted, trace.discounted);
}

}  // namespace assay::cli
