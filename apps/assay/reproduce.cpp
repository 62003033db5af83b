// `assay reproduce`, `assay compare`, `assay run`, `assay export`.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "assay/json_text.hpp"
#include "assay/lab/run_export.hpp"
#include "assay/laboratory.hpp"

namespace assay::cli {

void run_reproduce(const ReproduceCommand& command, const Streams& streams) {
  const Effort effort{command.quick, command.seeds};
  std::vector<std::unique_ptr<Experiment>> experiments;
  if (command.what == "t_maze" || command.what == "all") experiments.push_back(t_maze_experiment(effort));
  if (command.what == "treasure_map" || command.what == "all") {
    experiments.push_back(treasure_map_experiment(effort));
    experiments.push_back(ablation_experiment(effort));
  }
  // Not in `all`: it takes hours.
  if (command.what == "planning") experiments.push_back(planning_experiment(effort));
  if (experiments.empty()) {
    throw UsageError(
        unknown_name_message("experiment", command.what, {"all", "t_maze", "treasure_map", "planning"}) +
        " ('all' is without planning, which takes hours)");
  }
  carry_out(experiments, command.lab, streams);
}

namespace {

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

}  // namespace

void run_compare(const CompareCommand& command, const Streams& streams) {
  compare_methods(command, split_specs(command.methods), streams);
}

void run_single(const CompareCommand& command, const Streams& streams) {
  compare_methods(command, {command.methods}, streams);
}

void run_export(const ExportCommand& command, const Streams& streams) {
  const RunStore store(command.folder, RunStore::Mode::kReadOnly);
  const std::string to = command.to.empty() ? command.folder : command.to;
  export_runs(store, to);
  if (command.json) {
    return print_json(streams, {{"folder", to},
                                {"files", {"runs.csv", "epochs.csv", "episodes.csv", "runs.json"}},
                                {"runs", store.runs().size()},
                                {"unfinished", store.unfinished()}});
  }
  fmt::print(streams.out, "{}: runs.csv, epochs.csv, episodes.csv, runs.json ({} runs, {} unfinished)\n", to,
             store.runs().size(), store.unfinished());
}

}  // namespace assay::cli
