// The options of commands that make runs, or look at them.
#include "assay/options.hpp"

namespace assay::cli {
namespace {

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
  add_json(command, lab.json);
}

constexpr const char* kRunsJson =
    "\n\n--json prints one object with folder, page (its file), runs, left_out (methods that could not be "
    "used, and why) and report (as text). A run has family, "
    "method, seed, episodes, test_seed, finished, epochs, mean_undiscounted, standard_error, "
    "mean_discounted, standard_error_discounted and context, as in runs.json; null is what is not known.";

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

}  // namespace

void add_reproduce(CLI::App& app, ReproduceCommand& c) {
  CLI::App* reproduce =
      add_command(app, "reproduce", "Run the paper's experiments and print its table beside ours.",
                  "assay reproduce --quick\n"
                  "  assay reproduce treasure_map --seeds 3 --out results\n"
                  "  assay reproduce planning --out planning\n\n"
                  "Writes report.html, report.txt, runs.csv, epochs.csv, episodes.csv, runs.json, assay.db "
                  "(SQLite) and the trained "
                  "policies to the folder. Killed at any moment, --resume brings it to the same bytes." +
                      std::string(kRunsJson));
  reproduce
      ->add_option(
          "what", c.what,
          "t_maze, treasure_map (with the ablation) or all of these; or planning: value against simulations "
          "per decision of methods that search, which takes hours and is not part of all")
      ->capture_default_str();
  reproduce->add_flag("--quick", c.quick,
                      "a few seconds (planning: a minute): shows that everything works, measures nothing");
  reproduce->add_option("--seeds", c.seeds, "training seeds of each method on the treasure map")
      ->capture_default_str()
      ->check(whole_number(1, 1000));
  add_lab(reproduce, c.lab);
}

void add_compare(CLI::App& app, CompareCommand& c) {
  CLI::App* compare =
      add_command(app, "compare", "Train and test several methods on the same environments.",
                  "assay compare \"treasure_map(size=5)\" --methods \"pcr,td,vi_thompson\" --seeds 10" +
                      std::string(kRunsJson));
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
                              "  assay evaluate runs/policies/*.policy" +
                                  std::string(kRunsJson));
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
  add_seed(evaluate, c.seed, "seed of the test environments");
  add_json(evaluate, c.json);
  add_threads(evaluate, c.threads);
}

void add_export(CLI::App& app, ExportCommand& c) {
  CLI::App* command =
      add_command(app, "export", "Write the runs of a folder as CSV and JSON.",
                  "assay export reproduction --to tables\n\n"
                  "--json prints one object with folder, files, runs and unfinished (how many).");
  command->add_option("folder", c.folder, "a folder of results")->required();
  command->add_option("--to", c.to, "folder to write to; the same if left out");
  add_json(command, c.json);
}

void add_verify(CLI::App& app, VerifyCommand& c) {
  CLI::App* command = add_command(
      app, "verify", "Check that a folder of results is what was written: the database and all checksums.",
      "assay verify reproduction\n\n"
      "Nothing is changed. Exit code 1 if something is damaged. --json prints one object with folder, sound, "
      "runs, unfinished, policy_files, has_checksums and faults (a sentence each).");
  command->add_option("folder", c.folder, "a folder of results")->required();
  command->add_flag("--json", c.json, "print one JSON object");
}

void add_report(CLI::App& app, ReportCommand& c) {
  CLI::App* command = add_command(
      app, "report", "Turn a folder of results into one page: tables, curves and episodes to watch.",
      "assay report reproduction -o report.html\n\n"
      "The page is one file that needs no network: send it to a colleague. It shows the results beside the "
      "paper's, the learning curves, and a player in which one sees what the agent knows and what it takes "
      "that to be worth. Its path is the last line printed.\n\n"
      "--json prints one object with folder, file, runs and finished (how many).");
  command->add_option("folder", c.folder, "a folder of results")->required();
  command->add_option("-o,--output", c.file, "file to write; report.html in the folder if left out");
  add_json(command, c.json);
  add_threads(command, c.threads);
}

void add_figures(CLI::App& app, FiguresCommand& c) {
  CLI::App* command =
      add_command(app, "figures", "Draw a folder of results for print, as SVG and PDF.",
                  "assay figures reproduction --to figures\n"
                  "  assay figures runs\n\n"
                  "Of `assay reproduce` the paper's figures, the ablation and the mazes; of every problem of "
                  "`assay run` and `assay compare` the learning curves beside what each method earned in the "
                  "test (comparison_NAME.svg).\n\n--json prints one object with folder and files.");
  command->add_option("folder", c.folder, "a folder of results")->required();
  command->add_option("--to", c.to, "folder to write to; figures in the folder if left out");
  add_json(command, c.json);
  add_threads(command, c.threads);
}

void add_serve(CLI::App& app, ServeCommand& c) {
  CLI::App* command = add_command(
      app, "serve", "Show the report live in a browser while runs are being made.",
      "assay serve reproduction --port 8080\n\n"
      "Listens on 127.0.0.1 only. Curves grow as epochs finish. Ctrl-C stops it.\n\n"
      "--json prints one line with address and port, then goes on serving; /report.json below the "
      "address is the report as JSON.");
  command->add_option("folder", c.folder, "a folder of results")->required();
  command->add_option("--port", c.port, "port to listen on; 0 for any that is free")
      ->capture_default_str()
      ->check(whole_number(0, 65535));
  add_json(command, c.json);
  add_threads(command, c.threads);
}

void add_signature(CLI::App& app, SignatureCommand& c) {
  CLI::App* command = add_command(
      app, "signature",
      "Reduce what this build computes to two numbers: the same for every kernel, number of threads and "
      "compiler.",
      "ASSAY_KERNEL=scalar assay signature\n\nThe first is of a fixed set of solves and draws. The second is "
      "of "
      "what every method learns and does on small problems.\n\n--json prints signature, kernel, parts (what "
      "the first is made of), method_signature and methods (what the second is made of).");
  command->add_option("--kernel", c.kernel, kKernelHelp)->capture_default_str();
  add_threads(command, c.threads);
  add_json(command, c.json);
}

}  // namespace assay::cli
