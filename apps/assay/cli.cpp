#include "assay/cli.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>

#include "assay/core/error.hpp"
#include "assay/core/spec.hpp"

namespace assay::cli {
namespace {

constexpr const char* kFamilyHelp = "a problem, as name(key=value,...); see `assay list families`";

/// CLI11 wraps -3 round to a large unsigned number and saturates what is too large: read digits only.
CLI::Validator whole_number(std::uint64_t low, std::uint64_t high) {
  const auto check = [=](const std::string& text) -> std::string {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool fits =
        error == std::errc{} && end == text.data() + text.size() && number >= low && number <= high;
    return fits ? "" : fmt::format("'{}' is not a whole number from {} to {}", text, low, high);
  };
  return {check, fmt::format("{} to {}", low, high)};
}

constexpr std::uint64_t kAnySeed = std::numeric_limits<std::uint64_t>::max();

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& what,
                      const std::string& example) {
  CLI::App* command = app.add_subcommand(name, what);
  command->footer("Example:\n  " + example);
  return command;
}

void add_list(CLI::App& app, ListOptions& options) {
  CLI::App* list = add_command(
      app, "list", "Show the families, methods and their parameters.",
      "assay list families\n\n"
      "--json prints one object with the arrays families and methods; each entry has name, summary and "
      "parameters, and each of these name, type, range, default and help.");
  list->add_option("kind", options.kind, "families or methods; all if left out");
  list->add_flag("--json", options.json, "print one JSON object");
}

void add_exact(CLI::App& app, ExactCommand& c) {
  CLI::App* exact = add_command(
      app, "exact",
      "Solve a problem exactly: the Bayes-optimal value, what present knowledge is worth, and "
      "what more of it could add.",
      "assay exact \"t_maze(distance=3,arm=3)\" --policy\n\n"
      "--json prints one object with the numbers bayes_optimal (v*), current_information (v^c), "
      "future_information (v^f = v* - v^c), full_information (E[v^e]), bound (B = E[v^e] - v^c), "
      "states and seconds; standard_errors, zero where a number is exact; sources, each "
      "with the value without it; and, with --policy, beliefs (how many were met) and policy, an array of "
      "beliefs with their choices: state, state_name, step, action, action_name, value.");
  exact->add_option("family", c.family, kFamilyHelp)->required();
  exact->add_flag("--json", c.json, "print one JSON object");
  exact->add_flag("--policy", c.policy,
                  "show the optimal policy for each belief, drawn where the family is a grid");
  exact
      ->add_option("--max-states", c.max_states,
                   "belief states that may be held in memory; one with more than 8 cells or environments "
                   "counts for several")
      ->capture_default_str()
      ->check(whole_number(1, 4'000'000'000));
  exact->add_option("--threads", c.threads, "threads to use, 0 for all cores; never changes the result")
      ->capture_default_str()
      ->check(whole_number(0, 1024));
  exact
      ->add_option("--samples", c.samples,
                   "pairs of environments to average v^c and E[v^e] over where they have no exact form")
      ->capture_default_str()
      ->check(whole_number(2, 100'000'000));
  exact->add_option("--seed", c.seed, "seed of that average")
      ->capture_default_str()
      ->check(whole_number(0, kAnySeed));
}

void add_play(CLI::App& app, PlayCommand& c) {
  CLI::App* play = add_command(
      app, "play", "Play one episode and show it step by step.",
      "assay play t_maze --policy exact --seed 1\n\n"
      "--json prints one object with family, policy, seed, return, discounted_return and steps; a step has "
      "step, state, state_name, arrival and outcome (each with reward and observation), action, action_name, "
      "belief (which the action was chosen with) and belief_after.");
  play->add_option("family", c.family, kFamilyHelp)->required();
  play->add_option("--policy", c.policy, "the method that chooses: exact, random; see `assay list methods`")
      ->capture_default_str();
  play->add_option("--seed", c.seed, "seed of the hidden environment, its outcomes and the policy")
      ->capture_default_str()
      ->check(whole_number(0, kAnySeed));
  play->add_flag("--json", c.json, "print one JSON object");
  play->add_option("--threads", c.threads, "threads to use, 0 for all cores; never changes the result")
      ->capture_default_str()
      ->check(whole_number(0, 1024));
}

/// CLI11 says what is wrong but not what would be right; add the nearest command for a mistyped one.
std::string parse_error_message(const CLI::App& app, const std::vector<std::string>& args,
                                const CLI::ParseError& error) {
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
  const bool has_command = !args.empty() && std::find(known.begin(), known.end(), args[0]) != known.end();
  if (!args.empty() && !has_command && args[0].rfind('-', 0) != 0) {
    return unknown_name_message("command", args[0], known);
  }
  const std::string level = has_command ? "assay " + args[0] : "assay";
  const CLI::App* asked = has_command ? app.get_subcommand(args[0]) : &app;
  std::vector<std::string> options;
  for (const CLI::Option* option : asked->get_options()) {
    if (!option->get_positional()) options.push_back(option->get_name());
  }
  for (const std::string& arg : args) {
    const std::string name = arg.substr(0, arg.find('='));
    const bool mistyped =
        name.rfind("--", 0) == 0 && std::find(options.begin(), options.end(), name) == options.end();
    if (mistyped) return unknown_name_message("option", name, options);
  }
  return fmt::format("{}; `{} --help` shows what is possible", error.what(), level);
}

int report(const Streams& streams, const std::string& message, ExitCode code) {
  fmt::print(streams.err, "assay: {}\n", printable(message, 2000));
  return code;
}

/// What could not be written was not done.
int finish(const Streams& streams) {
  streams.out.flush();
  return streams.out ? kOk : report(streams, "cannot write the output", kFailure);
}

}  // namespace

int run(const std::vector<std::string>& args, const Streams& streams) {
  CLI::App app(
      "assay decides what is worth finding out.\n\n"
      "A problem is a family of environments with a prior: which one the agent is in is hidden, and before "
      "it can earn it "
      "may pay to look. assay computes what present knowledge is worth (v^c), what more could add at most "
      "(B), and "
      "what the best behaviour achieves (v*).",
      "assay");
  app.footer(
      "Examples:\n"
      "  assay list families                           what there is to solve\n"
      "  assay exact \"bandit(arms=2,horizon=20)\"       the value of a small bandit, exactly\n"
      "  assay exact t_maze --policy                   what to do in a T-maze, for each belief\n"
      "  assay play t_maze --policy exact --seed 1     watch it being done\n\n"
      "Exit codes: 0 done, 1 failed, 2 asked wrongly.");
  app.require_subcommand(1);
  app.set_version_flag("--version", "assay " ASSAY_VERSION);

  ListOptions list;
  ExactCommand exact;
  PlayCommand play;
  add_list(app, list);
  add_exact(app, exact);
  add_play(app, play);

  try {
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
    if (app.got_subcommand("list")) run_list(list, streams);
    if (app.got_subcommand("exact")) run_exact(exact, streams);
    if (app.got_subcommand("play")) run_play(play, streams);
    return finish(streams);
  } catch (const CLI::Success& help) {
    app.exit(help, streams.out, streams.err);
    return finish(streams);
  } catch (const CLI::ParseError& error) {
    return report(streams, parse_error_message(app, args, error), kUsage);
  } catch (const UsageError& error) {
    return report(streams, error.what(), kUsage);
  } catch (const Error& error) {
    return report(streams, error.what(), kFailure);
  } catch (const std::bad_alloc&) {
    return report(streams, "out of memory; shrink the problem or lower --max-states", kFailure);
  }
}

}  // namespace assay::cli
