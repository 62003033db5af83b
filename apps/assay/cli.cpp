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
#include "assay/draw.hpp"
#include "assay/lab/laboratory.hpp"

namespace assay::cli {
namespace {

constexpr const char* kFamilyHelp =
    "a problem: name(key=value,...), see `assay list families`, or a problem file (.toml)";

constexpr const char* kKernelHelp =
    "instruction set: scalar, ssse3, sse4, avx2, avx512; auto for the best, or what ASSAY_KERNEL says; never "
    "changes the result";

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

void add_threads(CLI::App* command, int& threads) {
  command->add_option("--threads", threads, "threads to use, 0 for all cores; never changes the result")
      ->capture_default_str()
      ->check(whole_number(0, 1024));
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
  add_threads(exact, c.threads);
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
      "belief (which the action was chosen with), belief_after, what the place that it goes to is worth "
      "(current_information v^c, future_information v^f, bound B; null where unknown) and cashed_reward.");
  play->add_option("family", c.family, kFamilyHelp)->required();
  play->add_option("--policy", c.policy,
                   "the method that chooses, or the file of a trained policy; see `assay list methods`")
      ->capture_default_str();
  play->add_option("--seed", c.seed, "seed of the hidden environment, its outcomes and the policy")
      ->capture_default_str()
      ->check(whole_number(0, kAnySeed));
  play->add_flag("--json", c.json, "print one JSON object");
  play->add_option("--speed", c.speed, "steps a second of the animation on a terminal")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 1000.0));
  play->add_flag("--no-animation", c.still, "print every step below the last, as to a file");
  add_threads(play, c.threads);
}

void add_cross(CLI::App& app, CrossCommand& c) {
  CLI::App* cross = add_command(
      app, "cross",
      "Map what knowledge is worth: v^c, E[v^e], the bound B and the expected cashed reward in every state.",
      "assay cross \"treasure_map(size=7)\" --seed 1\n"
      "  assay cross \"treasure_map(size=3)\" --after \"0,arrive,1:4; 0,right,0; 1,arrive,0:0\"\n"
      "  assay cross t_maze --after \"0,arrive,0:1\"\n\n"
      "A history is events state,action,outcome separated by semicolons. The action is a name, a number or "
      "arrive; the outcome is the reward, then what was seen after a colon, then the next state after > "
      "where it "
      "is not certain.\n\n"
      "Estimators: summed (exact, for finite beliefs), linear (exact over the world, drawn over the plan; "
      "needs "
      "known transitions), paired (both drawn), crossed (the paper's: all plans in the same --worlds), mean "
      "(v^m, "
      "the plan of the mean environment), best (the best of the drawn plans). auto takes the first that the "
      "problem allows.\n\n"
      "--json prints one object with family, belief, estimator, samples, seed, remaining (null: without an "
      "end) "
      "and states; each has state, state_name, current_information, full_information, bound, "
      "expected_cashed_reward and standard_errors, 0 where exact and null where unknown.");
  cross->add_option("family", c.family, kFamilyHelp)->required();
  cross->add_option("--after", c.after, "what has happened: state,action,outcome; ...");
  cross->add_option("--estimator", c.estimator, "auto, summed, linear, paired, crossed, mean or best")
      ->capture_default_str();
  cross->add_option("--samples", c.samples, "environments to draw as plans")
      ->capture_default_str()
      ->check(whole_number(2, 10'000'000));
  cross->add_option("--worlds", c.worlds, "environments to value the plans in, for the estimator crossed")
      ->capture_default_str()
      ->check(whole_number(1, 100'000));
  cross
      ->add_option("--remaining", c.remaining,
                   "steps that are left; 0 for what --after leaves of the horizon")
      ->capture_default_str()
      ->check(whole_number(0, 1'000'000));
  cross->add_flag("--endless", c.endless, "without an end (needs a discount below 1)");
  cross
      ->add_option(
          "--outcomes", c.outcomes,
          "outcomes to draw for the expected cashed reward; 0 leaves it out (the default for more than "
          "400 states)")
      ->check(whole_number(0, 1'000'000));
  cross->add_option("--seed", c.seed, "seed of all draws")
      ->capture_default_str()
      ->check(whole_number(0, kAnySeed));
  cross->add_option("--kernel", c.kernel, kKernelHelp)->capture_default_str();
  add_threads(cross, c.threads);
  cross->add_flag("--json", c.json, "print one JSON object");
}

void add_signature(CLI::App& app, SignatureCommand& c) {
  CLI::App* command = add_command(
      app, "signature", "Reduce a fixed set of solves to one number: the same for every kernel and compiler.",
      "ASSAY_KERNEL=scalar assay signature\n\n--json prints signature, kernel and the parts that it is made "
      "of.");
  command->add_option("--kernel", c.kernel, kKernelHelp)->capture_default_str();
  add_threads(command, c.threads);
  command->add_flag("--json", c.json, "print one JSON object");
}

void add_lab(CLI::App* command, LabSettings& lab) {
  command->add_option("--out", lab.out, "folder of the results; finished runs in it are not repeated")
      ->capture_default_str();
  command->add_flag("--resume", lab.resume, "go on with runs that were interrupted");
  command
      ->add_option("--checkpoint-seconds", lab.checkpoint_seconds,
                   "seconds between checkpoints; never changes the result")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1e6));
  add_threads(command, lab.threads);
}

void add_reproduce(CLI::App& app, ReproduceCommand& c) {
  CLI::App* reproduce =
      add_command(app, "reproduce", "Run the paper's experiments and print its table beside ours.",
                  "assay reproduce --quick\n"
                  "  assay reproduce treasure_map --seeds 3 --out results\n\n"
                  "Writes report.html, report.txt, runs.csv, epochs.csv, episodes.csv, runs.json, assay.db "
                  "(SQLite) and the trained "
                  "policies to the folder. Killed at any moment, --resume brings it to the same bytes.");
  reproduce->add_option("what", c.what, "t_maze, treasure_map (with the ablation) or all")
      ->capture_default_str();
  reproduce->add_flag("--quick", c.quick, "a few seconds: shows that everything works, measures nothing");
  reproduce->add_option("--seeds", c.seeds, "training seeds of each method on the treasure map")
      ->capture_default_str()
      ->check(whole_number(1, 1000));
  add_lab(reproduce, c.lab);
}

void add_comparison(CLI::App* command, CompareCommand& c) {
  command->add_option("family", c.family, kFamilyHelp)->required();
  command->add_option("--episodes", c.episodes, "test episodes, the same for all methods")
      ->capture_default_str()
      ->check(whole_number(2, 100'000'000));
  command->add_option("--seed", c.seed, "seed of the (first) training")
      ->capture_default_str()
      ->check(whole_number(0, kAnySeed / 2));
  command->add_option("--test-seed", c.test_seed, "seed of the test environments")
      ->capture_default_str()
      ->check(whole_number(0, kAnySeed));
  add_lab(command, c.lab);
}

void add_compare(CLI::App& app, CompareCommand& c) {
  CLI::App* compare =
      add_command(app, "compare", "Train and test several methods on the same environments.",
                  "assay compare \"treasure_map(size=5)\" --methods \"pcr,td,vi_thompson\" --seeds 10");
  compare
      ->add_option("--methods", c.methods,
                   "methods, separated by commas; the first is compared with all others")
      ->required();
  compare->add_option("--seeds", c.seeds, "training seeds for each method that learns")
      ->capture_default_str()
      ->check(whole_number(1, 100'000));
  add_comparison(compare, c);
}

void add_run(CLI::App& app, CompareCommand& c) {
  CLI::App* run = add_command(app, "run", "Train one method on a problem, test it and keep what it learned.",
                              "assay run \"treasure_map(size=5)\" --method pcr --seed 1 --out runs\n"
                              "  assay evaluate runs/policies/*.policy");
  run->add_option("--method", c.methods, "a method, as name(key=value,...); see `assay list methods`")
      ->required();
  add_comparison(run, c);
}

void add_evaluate(CLI::App& app, EvaluateCommand& c) {
  CLI::App* evaluate = add_command(
      app, "evaluate", "Test a saved policy on fresh environments.",
      "assay evaluate runs/policies/pcr-treasure_map-seed1-0123abcd.policy --episodes 5000\n\n"
      "--json prints one object with family, method, seed, episodes, return, standard_error, interval, "
      "discounted_return and discounted_standard_error.");
  evaluate->add_option("policy", c.policy, "a policy file, as run, compare and reproduce leave them")
      ->required();
  evaluate->add_option("--family", c.family, "the problem, if you want to be sure what it is");
  evaluate->add_option("--episodes", c.episodes, "test episodes")
      ->capture_default_str()
      ->check(whole_number(2, 100'000'000));
  evaluate->add_option("--seed", c.seed, "seed of the test environments")
      ->capture_default_str()
      ->check(whole_number(0, kAnySeed));
  evaluate->add_flag("--json", c.json, "print one JSON object");
  add_threads(evaluate, c.threads);
}

void add_export(CLI::App& app, ExportCommand& c) {
  CLI::App* command = add_command(app, "export", "Write the runs of a folder as CSV and JSON.",
                                  "assay export reproduction --to tables");
  command->add_option("folder", c.folder, "a folder of results")->required();
  command->add_option("--to", c.to, "folder to write to; the same if left out");
}

void add_check(CLI::App& app, CheckCommand& c) {
  CLI::App* command = add_command(
      app, "check", "Read a problem file and say what is wrong with it, or hardly meant.",
      "assay check examples/problems/t_maze.toml\n\n"
      "Errors name the line and the column and what would be right. Warnings: states that cannot be reached, "
      "environments that nothing can tell apart.");
  command->add_option("file", c.file, "a problem file (TOML)")->required();
}

void add_report(CLI::App& app, ReportCommand& c) {
  CLI::App* command = add_command(
      app, "report", "Turn a folder of results into one page: tables, curves and episodes to watch.",
      "assay report reproduction -o report.html\n\n"
      "The page is one file that needs no network: send it to a colleague. It shows the results beside the "
      "paper's, the learning curves, and a player in which one sees what the agent knows and what it takes "
      "that to be worth. Its path is the last line printed.");
  command->add_option("folder", c.folder, "a folder of results")->required();
  command->add_option("-o,--output", c.file, "file to write; report.html in the folder if left out");
  add_threads(command, c.threads);
}

void add_figures(CLI::App& app, FiguresCommand& c) {
  CLI::App* command =
      add_command(app, "figures", "Draw the paper's figures from a folder of results, as SVG and PDF.",
                  "assay figures reproduction --to figures");
  command->add_option("folder", c.folder, "a folder of results")->required();
  command->add_option("--to", c.to, "folder to write to; figures in the folder if left out");
  add_threads(command, c.threads);
}

void add_serve(CLI::App& app, ServeCommand& c) {
  CLI::App* command =
      add_command(app, "serve", "Show the report live in a browser while runs are being made.",
                  "assay serve reproduction --port 8080\n\n"
                  "Listens on 127.0.0.1 only. Curves grow as epochs finish. Ctrl-C stops it.");
  command->add_option("folder", c.folder, "a folder of results")->required();
  command->add_option("--port", c.port, "port to listen on; 0 for any that is free")
      ->capture_default_str()
      ->check(whole_number(0, 65535));
  add_threads(command, c.threads);
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

/// What to type to go on.
std::string resume_command(const std::vector<std::string>& args) {
  std::string command = "assay";
  for (const std::string& arg : args) command += " " + quoted(arg);
  return std::ranges::find(args, "--resume") == args.end() ? command + " --resume" : command;
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
      "  assay play t_maze --policy exact --seed 1     watch it being done\n"
      "  assay cross \"treasure_map(size=7)\"            where is finding out worth the most?\n"
      "  assay reproduce --quick                       the paper's experiments, in a few seconds\n"
      "  assay compare t_maze --methods \"pcr,vi_greedy\"   methods side by side\n"
      "  assay report reproduction                     the results as a page to look at\n\n"
      "Exit codes: 0 done, 1 failed, 2 asked wrongly.");
  app.require_subcommand(1);
  app.set_version_flag("--version", "assay " ASSAY_VERSION);

  ListOptions list;
  ExactCommand exact;
  PlayCommand play;
  CrossCommand cross;
  SignatureCommand signature;
  ReproduceCommand reproduce;
  CompareCommand compare;
  CompareCommand single;
  EvaluateCommand evaluate;
  ExportCommand exported;
  CheckCommand check;
  ReportCommand page;
  FiguresCommand figures;
  ServeCommand serve;
  add_list(app, list);
  add_exact(app, exact);
  add_cross(app, cross);
  add_play(app, play);
  add_run(app, single);
  add_compare(app, compare);
  add_evaluate(app, evaluate);
  add_reproduce(app, reproduce);
  add_check(app, check);
  add_report(app, page);
  add_figures(app, figures);
  add_serve(app, serve);
  add_export(app, exported);
  add_signature(app, signature);

  try {
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
    if (app.got_subcommand("list")) run_list(list, streams);
    if (app.got_subcommand("exact")) run_exact(exact, streams);
    if (app.got_subcommand("cross")) run_cross(cross, streams);
    if (app.got_subcommand("play")) run_play(play, streams);
    if (app.got_subcommand("run")) run_single(single, streams);
    if (app.got_subcommand("compare")) run_compare(compare, streams);
    if (app.got_subcommand("evaluate")) run_evaluate(evaluate, streams);
    if (app.got_subcommand("reproduce")) run_reproduce(reproduce, streams);
    if (app.got_subcommand("check")) run_check(check, streams);
    if (app.got_subcommand("report")) run_report(page, streams);
    if (app.got_subcommand("figures")) run_figures(figures, streams);
    if (app.got_subcommand("serve")) run_serve(serve, streams);
    if (app.got_subcommand("export")) run_export(exported, streams);
    if (app.got_subcommand("signature")) run_signature(signature, streams);
    return finish(streams);
  } catch (const CLI::Success& help) {
    app.exit(help, streams.out, streams.err);
    return finish(streams);
  } catch (const CLI::ParseError& error) {
    return report(streams, parse_error_message(app, args, error), kUsage);
  } catch (const Interrupted&) {
    return report(streams, "stopped, and everything that was done is kept; to go on: " + resume_command(args),
                  kInterrupted);
  } catch (const UsageError& error) {
    return report(streams, error.what(), kUsage);
  } catch (const Error& error) {
    return report(streams, error.what(), kFailure);
  } catch (const std::bad_alloc&) {
    return report(streams, "out of memory; shrink the problem or lower --max-states", kFailure);
  }
}

}  // namespace assay::cli
