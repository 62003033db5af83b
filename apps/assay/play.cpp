// `assay play`: one episode, step by step.
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "assay/cli.hpp"
#include "assay/draw.hpp"
#include "assay/problem/registry.hpp"
#include "assay/saved_policy.hpp"

namespace assay::cli {
namespace {

using nlohmann::ordered_json;

// The hidden environment and the policy's own randomness must not share a stream.
enum Stream : std::uint64_t { kTrainingStream, kEpisodeStream };

/// A file that is called like a method does not take its place.
bool is_method(const std::string& name) {
  return std::ranges::any_of(methods().entries(), [&](const auto& entry) { return entry.name == name; });
}

ordered_json as_json(const Problem& problem, const StepRecord& r) {
  const auto outcome = [](const Outcome& o) {
    return ordered_json{{"reward", o.reward}, {"observation", o.observation}};
  };
  return {{"step", r.step},
          {"state", r.state},
          {"state_name", problem.state_name(r.state)},
          {"arrival", outcome(r.arrival)},
          {"belief", r.arrival_belief},
          {"action", r.action},
          {"action_name", problem.action_name(r.action)},
          {"outcome", outcome(r.outcome)},
          {"belief_after", r.outcome_belief}};
}

std::string seen_text(const Outcome& o) {
  std::string text = o.reward != 0 ? fmt::format("reward {}", o.reward) : "";
  if (!o.observation.empty()) {
    text += fmt::format("{}sees {}", text.empty() ? "" : ", ", fmt::join(o.observation, " "));
  }
  return text.empty() ? "nothing" : text;
}

/// The grid with the agent on it, and what the belief expects each cell to pay, from 0 (least) to 9 (most).
std::vector<std::string> draw_step(const Problem& problem, const World& world, int state) {
  std::vector<double> pays;
  for (int x = 0; x < problem.states(); ++x) {
    pays.push_back(world.expected_reward(x, 0));
    for (int a = 1; a < problem.actions(); ++a)
      pays.back() = std::max(pays.back(), world.expected_reward(x, a));
  }
  const double low = std::ranges::min(pays);
  const double high = std::ranges::max(pays);
  const auto shade = [&](int x) {
    if (!(high > low)) return '-';
    const double share = (pays[static_cast<std::size_t>(x)] - low) / (high - low);
    return static_cast<char>('0' + std::min(9, static_cast<int>(10 * share)));
  };
  std::vector<std::string> rows =
      side_by_side(draw_cells(problem, [&](int x) { return x == state ? '@' : problem.landmark(x); }),
                   draw_cells(problem, shade));
  rows.push_back(fmt::format("a step from there is expected to pay {:.3f} (0) to {:.3f} (9)", low, high));
  return rows;
}

class TextEpisode {
 public:
  TextEpisode(const Problem& problem, std::ostream& out) : problem_(problem), out_(out) {}

  void arrived(const World& world, const StepRecord& r) {
    fmt::print(out_, "step {}: at {}\n", r.step, problem_.state_name(r.state));
    if (is_something(r.arrival)) fmt::print(out_, "  arriving: {}\n", seen_text(r.arrival));
    print_belief(r.arrival_belief);
    if (!problem_.drawable()) return;
    for (const std::string& row : draw_step(problem_, world, r.state)) fmt::print(out_, "    {}\n", row);
  }

  void acted(const StepRecord& r) {
    fmt::print(out_, "  does: {}\n", problem_.action_name(r.action));
    if (is_something(r.outcome) || r.outcome_belief != belief_) {
      fmt::print(out_, "  outcome: {}\n", seen_text(r.outcome));
    }
    print_belief(r.outcome_belief);
  }

 private:
  static bool is_something(const Outcome& o) { return o.reward != 0 || !o.observation.empty(); }

  void print_belief(const std::string& belief) {
    if (belief != belief_) fmt::print(out_, "  belief: {}\n", belief);
    belief_ = belief;
  }

  const Problem& problem_;
  std::ostream& out_;
  std::string belief_;
};

}  // namespace

void run_play(const PlayCommand& command, const Streams& streams) {
  const std::unique_ptr<Problem> problem = make_problem(command.family);
  const Rng rng(command.seed);
  const std::unique_ptr<Policy> policy =
      !is_method(command.policy) && std::filesystem::is_regular_file(command.policy)
          ? saved_policy(load_policy(command.policy), command.policy, *problem, command.threads)
          : make_method(command.policy)->solve(*problem, rng.split(kTrainingStream), command.threads);
  const std::unique_ptr<World> world = problem->world();

  if (command.json) {
    ordered_json steps = ordered_json::array();
    const EpisodeReturn total =
        run_episode(*world, *policy, rng.split(kEpisodeStream),
                    [&](const World&, const StepRecord& r) { steps.push_back(as_json(*problem, r)); });
    const ordered_json object = {{"family", problem->name()},
                                 {"policy", command.policy},
                                 {"seed", command.seed},
                                 {"return", total.undiscounted},
                                 {"discounted_return", total.discounted},
                                 {"steps", steps}};
    fmt::print(streams.out, "{}\n", object.dump(2));
    return;
  }
  fmt::print(streams.out, "{}, policy {}, seed {}\n\n", problem->name(), command.policy, command.seed);
  TextEpisode text(*problem, streams.out);
  const EpisodeReturn total = run_episode(
      *world, *policy, rng.split(kEpisodeStream), [&](const World&, const StepRecord& r) { text.acted(r); },
      [&](const World& w, const StepRecord& r) { text.arrived(w, r); });
  fmt::print(streams.out, "\nreturn {:.6g}, discounted {:.6g}\n", total.undiscounted, total.discounted);
}

}  // namespace assay::cli
