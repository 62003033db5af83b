// `assay compare`: several methods on the same environments.
#include "assay/command.hpp"
#include "assay/laboratory.hpp"

namespace assay::cli {
namespace {

struct CompareCommand : ComparisonSettings {
  std::string methods;
  int seeds = 1;
};

void declare(Options& options, CompareCommand& c) {
  options.required_text("--methods", c.methods,
                        "methods, separated by commas; the first is compared with all others");
  options.number("--seeds", c.seeds, 1, 100'000, "training seeds for each method that learns");
  add_comparison(options, c);
}

void run_compare(const CompareCommand& command, const Streams& streams) {
  compare_methods(command, split_specs(command.methods), command.seeds, streams);
}

const RegisterCommand<CompareCommand> kRegistered(
    {.name = "compare",
     .group = Group::kRuns,
     .rank = 1,
     .summary = "Train and test several methods on the same environments.",
     .help = "assay compare \"treasure_map(size=5)\" --methods \"pcr,td,vi_thompson\" --seeds 10" +
             std::string(kRunsJson)},
    declare, run_compare);

}  // namespace
}  // namespace assay::cli
