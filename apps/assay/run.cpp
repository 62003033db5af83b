// `assay run`: one method on one problem.
#include "assay/command.hpp"
#include "assay/laboratory.hpp"

namespace assay::cli {
namespace {

struct RunCommand : ComparisonSettings {
  std::string method;
};

void declare(Options& options, RunCommand& c) {
  options.required_text("--method", c.method, "a method, as name(key=value,...); see `assay list methods`");
  add_comparison(options, c);
}

/// A run is a comparison of one method, trained with one seed.
void run_one(const RunCommand& command, const Streams& streams) {
  compare_methods(command, {command.method}, 1, streams);
}

const RegisterCommand<RunCommand> kRegistered(
    {.name = "run",
     .group = Group::kRuns,
     .rank = 0,
     .summary = "Train one method on a problem, test it and keep what it learned.",
     .help = "assay run \"treasure_map(size=5)\" --method pcr --seed 1 --out runs\n"
             "  assay evaluate runs/policies/*.policy" +
             std::string(kRunsJson)},
    declare, run_one);

}  // namespace
}  // namespace assay::cli
