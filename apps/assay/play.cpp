// `assay play`: plays episodes and shows them step by step.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>

#include "assay/command.hpp"
#include "assay/episode_view.hpp"
#include "assay/interrupt.hpp"
#include "assay/json_text.hpp"
#include "assay/problem/registry.hpp"
#include "assay/saved_policy.hpp"
#include "assay/search_text.hpp"
#include "lab/atomic_file.hpp"
#include "report/trace.hpp"

namespace assay::cli {
namespace {

using nlohmann::ordered_json;

struct PlayCommand {
  std::string family;
  std::string policy = "random";
  bool json = false;
  bool still = false;  // every step is printed below the last one
  double speed = 4;    // steps a second
  int tree = 0;        // levels of a search to show
  int threads = 0;
  std::optional<int> episodes;  // by default one, printed as one object
  std::uint64_t seed = 0;
};

void declare(Options& options, PlayCommand& c) {
  add_problem(options, c.family);
  options.text("--policy", c.policy,
               "the method that chooses, or the file of a trained policy; see `assay list methods`");
  add_seed(options, c.seed, "seed of the hidden environment, its outcomes and the policy");
  options.number("--episodes", c.episodes, 1, 100'000'000,
                 "episodes to play, each in an environment of its own; the first is the one that is played "
                 "without this option");
  add_json(options, c.json);
  options.real("--speed", c.speed, 0.1, 1000, "steps per second of the animation on a terminal");
  options.flag("--no-animation", c.still, "print every step below the previous one, as to a file");
  add_tree(options, c.tree);
  add_threads(options, c.threads);
}

// The true environment and the policy's own draws must not share a stream.
enum Stream : std::uint64_t { kTrainingStream, kEpisodeStream };

/// A file that has the name of a method does not replace the method.
bool is_method(const std::string& name) {
  return std::ranges::any_of(methods().entries(), [&](const auto& entry) { return entry.name == name; });
}

ordered_json outcome_json(const Problem& problem, int state, int action, const Outcome& o) {
  ordered_json json = {{"reward", o.reward},
                       {"observation", o.observation},
                       {"seen", problem.observation_text(state, action, o.observation)}};
  if (action != kArrive) {
    json["next"] = o.next;
    json["next_name"] = problem.state_name(o.next);
  }
  return json;
}

ordered_json step_json(const Problem& problem, const TraceStep& s, std::size_t number) {
  ordered_json step = {{"step", number},
                       {"state", s.state},
                       {"state_name", problem.state_name(s.state)},
                       {"arrival", outcome_json(problem, s.state, kArrive, s.arrival)},
                       {"belief", s.belief},
                       {"belief_numbers", json_numbers(s.numbers)},
                       {"action", s.action},
                       {"action_name", problem.action_name(s.action)},
                       {"outcome", outcome_json(problem, s.state, s.action, s.outcome)},
                       {"belief_after", s.belief_after},
                       {"belief_numbers_after", json_numbers(s.numbers_after)},
                       {"current_information", json_number(s.at.current)},
                       {"future_information", json_number(s.at.future)},
                       {"bound", json_number(s.at.bound)},
                       {"cashed_reward", json_number(s.cashed)}};
  if (!s.search.empty()) step["search"] = search_json(problem, s.search);
  return step;
}

ordered_json episode_json(const PlayCommand& command, const Problem& problem, const Trace& trace, int episode,
                          const Rng& rng) {
  ordered_json steps = ordered_json::array();
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    steps.push_back(step_json(problem, trace.steps[i], i));
  }
  ordered_json environment;
  if (trace.environment >= 0) {
    environment = {{"number", trace.environment}, {"name", problem.environment_name(trace.environment)}};
  }
  return {{"family", problem.name()},
          {"policy", command.policy},
          {"seed", command.seed},
          {"episode", episode},
          {"environment", environment},
          {"truth", json_numbers(hidden_rewards(problem, rng))},
          {"return", trace.undiscounted},
          {"discounted_return", trace.discounted},
          {"belief_names", environment_names(problem)},
          {"steps", steps}};
}

/// Draws every step in the place of the last one. False if a signal has stopped it.
bool animate(const PlayCommand& command, const EpisodeView& view, std::size_t steps, std::ostream& out) {
  const InterruptWatch watch;
  for (std::size_t i = 0; i < steps && !InterruptWatch::interrupted(); ++i) {
    const Picture frame = view.step(i, true);
    // The cursor goes to the beginning of the last frame. What a line leaves of an older, longer one is
    // erased.
    if (i > 0) fmt::print(out, "\033[{}A", frame.lines().size());
    print_lines(frame, out, "", "\033[K\n");
    out.flush();
    if (i + 1 < steps) std::this_thread::sleep_for(std::chrono::duration<double>(1 / command.speed));
  }
  return !InterruptWatch::interrupted();
}

/// False if a signal has stopped it.
bool show(const PlayCommand& command, const Problem& problem, const Trace& trace, const Streams& streams) {
  const EpisodeView view(problem, trace, streams.width, streams.colour, command.tree > 0);
  fmt::print(streams.out, "{}, policy {}, seed {}\n", problem.name(), command.policy, command.seed);
  print_lines(view.legend(), streams.out);
  fmt::print(streams.out, "\n");
  bool going_on = true;
  // Trees differ in height, so they cannot be drawn over each other.
  if (streams.animate && !command.still && command.tree == 0 && problem.drawable()) {
    going_on = animate(command, view, trace.steps.size(), streams.out);
  } else {
    for (std::size_t i = 0; i < trace.steps.size(); ++i) print_lines(view.step(i, false), streams.out);
  }
  fmt::print(streams.out, "\nreturn {:.6g}, discounted {:.6g}\n", trace.undiscounted, trace.discounted);
  if (problem.outline().endless()) fmt::print(streams.out, "{}\n", cut_text(problem.outline()));
  return going_on;
}

/// A saved policy, or one that is made now.
std::unique_ptr<Policy> policy_of(const PlayCommand& command, const Problem& problem, const Rng& rng,
                                  const Streams& streams) {
  if (!is_method(command.policy) && is_file(command.policy)) {
    return saved_policy(load_policy(command.policy), command.policy, problem, command.threads);
  }
  const std::unique_ptr<Method> method = make_method(command.policy);
  std::unique_ptr<Policy> policy =
      method->solve(problem, {.rng = rng.split(kTrainingStream), .resources = command.threads}).policy;
  const std::string warning = method->warning(problem);
  if (!warning.empty()) fmt::print(streams.err, "warning: {}: {}\n", command.policy, warning);
  return policy;
}

void run_play(const PlayCommand& command, const Streams& streams) {
  const std::unique_ptr<Problem> problem = make_problem(command.family);
  const Rng rng(command.seed);
  const std::unique_ptr<Policy> policy = policy_of(command, *problem, rng, streams);
  // Successors belong to the level below the actions: without that level they would not be shown.
  const SearchDetail detail{.levels = std::max(1, command.tree),
                            .successors = command.tree > 1 ? kShownSuccessors : 0};
  const int episodes = command.episodes.value_or(1);
  for (int episode = 0; episode < episodes; ++episode) {
    const Rng luck = rng.split(kEpisodeStream + static_cast<std::uint64_t>(episode));
    const Trace trace = trace_episode(*problem, *policy, luck, detail);
    if (command.json) {
      const ordered_json object = episode_json(command, *problem, trace, episode, luck);
      command.episodes ? print_json_line(streams, object) : print_json(streams, object);
      continue;
    }
    if (command.episodes) fmt::print(streams.out, "{}episode {}: ", episode == 0 ? "" : "\n", episode);
    if (!show(command, *problem, trace, streams)) return;
  }
}

const RegisterCommand<PlayCommand> kRegistered(
    {.name = "play",
     .group = Group::kProblem,
     .rank = 6,
     .summary = "Play an episode, or several, and show it step by step.",
     .help =
         "assay play t_maze --policy exact --seed 1\n\n"
         "--json prints one object with family, policy, seed, episode, environment (the true one: number "
         "and name; null unless there are finitely many), truth (by state: what a step there pays on average "
         "in the true environment), return, discounted_return, belief_names (the environments, by number) "
         "and steps; with --episodes, one such object per line for each episode. A step has step, state, "
         "state_name, arrival and outcome (each with reward, observation as numbers, seen as text; outcome "
         "also with next and next_name), action, action_name, belief (which the action was chosen with), "
         "belief_after, both also as belief_numbers and belief_numbers_after (the probability of each "
         "environment; or all a, then all b of the Beta laws of unknown chances), what the place that it "
         "goes to is worth (current_information v^c, future_information v^f, bound B; null where unknown) "
         "and cashed_reward. Where the policy searches, search has simulations, timed, certain, lower, "
         "upper, upper_error and actions; an action has action, name, visits, value, lower, upper, ends "
         "(probability, state, state_name, acted, arrived, visits, actions) and more_ends."},
    declare, run_play);

}  // namespace
}  // namespace assay::cli
