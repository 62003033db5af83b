// `assay reproduce`: the paper's experiments, or an experiment of the user's own.
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

void declare(Options& options, ReproduceCommand& c) {
  options.optional_argument(
      "what", c.what,
      "t_maze, treasure_map (with the ablation) or all of these; or planning: value against simulations per "
      "decision of methods that search, which takes hours and is not part of all; or a file of your own "
      "(.toml)");
  options.flag(
      "--quick", c.quick,
      "a run of a few seconds (planning: a minute) that shows that everything works and measures nothing");
  options.flag("--show", c.show, "print the file of the experiment instead of running it");
  options.number(
      "--seeds", c.seeds, 1, 1000,
      "training seeds of each method on the treasure map, or in an experiment of your own: more than "
      "its file says");
  add_lab(options, c.lab);
}

void run_reproduce(const ReproduceCommand& command, const Streams& streams) {
  if (command.show) {
    fmt::print(streams.out, "{}", experiments::embedded_text(command.what));
    return;
  }
  carry_out(experiments::experiments_named(command.what, {command.quick, command.seeds}), command.lab,
            streams);
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
         "(SQLite) and the trained policies to the folder. If it is killed at any "
         "moment, --resume continues and gives the same bytes.\n\n"
         "A file of your own says which methods are run on which problems:\n"
         "  kind = \"table\"\n"
         "  problems = [\"t_maze\", \"mine/tiger.toml\"]\n"
         "  methods = [\"pcr\", \"td(epochs=500)\"]\n"
         "  seeds = 3\n"
         "  test_episodes = 1000\n"
         "The kinds are table (methods by problems, beside the numbers of a paper), intervals (variants of "
         "one method, over training seeds), sweep (methods on several problems, against the exact solution) "
         "and simulations (methods that search: value against simulations per decision). With --quick, "
         "the keys under [quick] replace the others. experiments/README.md describes all keys." +
         std::string(kRunsJson)},
    declare, run_reproduce);

}  // namespace
}  // namespace assay::cli
