// `assay reproduce`, `assay compare`, `assay run`: commands that make runs.
#include "assay/command.hpp"
#include "assay/laboratory.hpp"
#include "experiments/driver.hpp"

namespace assay::cli {
namespace {

struct ReproduceCommand {
  std::string what = "all";
  bool quick = false;
  bool show = false;  // print the file of the experiment instead of running it
  int seeds = 1;
  LabSettings lab = {.out = "reproduction"};
};

struct CompareCommand {
  std::string family;
  std::string methods;
  int seeds = 1;
  int episodes = 2000;
  std::uint64_t seed = 1;
  std::uint64_t test_seed = 1;
  LabSettings lab = {.out = "runs"};
};

/// A comparison of one.
struct SingleCommand : CompareCommand {};

void declare(Options& options, ReproduceCommand& c) {
  options.optional_argument(
      "what", c.what,
      "t_maze, treasure_map (with the ablation) or all of these; or planning: value against simulations per "
      "decision of methods that search, which takes hours and is not part of all; or a file of your own "
      "(.toml)");
  options.flag("--quick", c.quick,
               "a few seconds (planning: a minute): shows that everything works, measures nothing");
  options.flag("--show", c.show, "print the file of the experiment instead of running it");
  options.number(
      "--seeds", c.seeds, 1, 1000,
      "training seeds of each method on the treasure map, or in an experiment of your own: more than "
      "its file says");
  add_lab(options, c.lab);
}

void add_comparison(Options& options, CompareCommand& c) {
  add_problem(options, c.family);
  options.number("--episodes", c.episodes, 2, 100'000'000, "test episodes, the same for all methods");
  options.number("--seed", c.seed, 0, kAnySeed / 2, "seed of the (first) training");
  options.number("--test-seed", c.test_seed, 0, kAnySeed, "seed of the test environments");
  add_lab(options, c.lab);
}

void declare(Options& options, CompareCommand& c) {
  options.required_text("--methods", c.methods,
                        "methods, separated by commas; the first is compared with all others");
  options.number("--seeds", c.seeds, 1, 100'000, "training seeds for each method that learns");
  add_comparison(options, c);
}

void declare(Options& options, SingleCommand& c) {
  options.required_text("--method", c.methods, "a method, as name(key=value,...); see `assay list methods`");
  add_comparison(options, c);
}

constexpr const char* kRunsJson =
    "\n\n--json prints one object with folder, page (its file), runs, left_out (methods that could not be "
    "used, and why) and report (as text). A run has family, method, seed, episodes, test_seed, finished, "
    "epochs, mean_undiscounted, standard_error, mean_discounted, standard_error_discounted and context, as "
    "in runs.json; null is what is not known.";

void run_reproduce(const ReproduceCommand& command, const Streams& streams) {
  if (command.show) {
    fmt::print(streams.out, "{}", experiments::embedded_text(command.what));
    return;
  }
  carry_out(experiments::experiments_named(command.what, {command.quick, command.seeds}), command.lab,
            streams);
}

void compare_methods(const CompareCommand& command, std::vector<std::string> methods,
                     const Streams& streams) {
  Comparison comparison;
  comparison.family = command.family;
  comparison.methods = std::move(methods);
  comparison.seeds = command.seeds;
  comparison.first_seed = command.seed;
  comparison.episodes = command.episodes;
  comparison.test_seed = command.test_seed;
  std::vector<std::unique_ptr<Experiment>> experiments;
  experiments.push_back(comparison_experiment(comparison));
  carry_out(experiments, command.lab, streams);
}

void run_compare(const CompareCommand& command, const Streams& streams) {
  compare_methods(command, split_specs(command.methods), streams);
}

void run_single(const SingleCommand& command, const Streams& streams) {
  compare_methods(command, {command.methods}, streams);
}

const RegisterCommand<ReproduceCommand> kRegistered(
    {.name = "reproduce",
     .group = Group::kRuns,
     .rank = 3,
     .summary = "Run the paper's experiments and print its table beside ours, or an experiment of your own.",
     .help =
         "assay reproduce --quick\n"
         "  assay reproduce treasure_map --seeds 3 --out results\n"
         "  assay reproduce planning --out planning\n"
         "  assay reproduce treasure_map --show > mine.toml    a file to start from\n"
         "  assay reproduce mine.toml --out mine\n\n"
         "Writes report.html, report.txt, runs.csv, epochs.csv, episodes.csv, runs.json, assay.db "
         "(SQLite) and the trained policies to the folder. Killed at any moment, --resume brings it to "
         "the same bytes.\n\n"
         "A file of your own says which methods are run on which problems:\n"
         "  kind = \"table\"\n"
         "  problems = [\"t_maze\", \"mine/tiger.toml\"]\n"
         "  methods = [\"pcr\", \"td(epochs=500)\"]\n"
         "  seeds = 3\n"
         "  test_episodes = 1000\n"
         "The kinds are table (methods by problems, beside the numbers of a paper), intervals (variants of "
         "one method, over training seeds), sweep (methods on several problems, against the exact solution) "
         "and simulations (methods that search: value against simulations per decision). With --quick, "
         "what stands under [quick] replaces the rest. experiments/README.md describes all keys." +
         std::string(kRunsJson)},
    declare, run_reproduce);

const RegisterCommand<CompareCommand> kCompareRegistered(
    {.name = "compare",
     .group = Group::kRuns,
     .rank = 1,
     .summary = "Train and test several methods on the same environments.",
     .help = "assay compare \"treasure_map(size=5)\" --methods \"pcr,td,vi_thompson\" --seeds 10" +
             std::string(kRunsJson)},
    declare, run_compare);

const RegisterCommand<SingleCommand> kRunRegistered(
    {.name = "run",
     .group = Group::kRuns,
     .rank = 0,
     .summary = "Train one method on a problem, test it and keep what it learned.",
     .help = "assay run \"treasure_map(size=5)\" --method pcr --seed 1 --out runs\n"
             "  assay evaluate runs/policies/*.policy" +
             std::string(kRunsJson)},
    declare, run_single);

}  // namespace
}  // namespace assay::cli
