// What the commands that make runs have in common: a folder of results, the runs that are made there, and the
// files that are written beside them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "assay/cli.hpp"
#include "assay/options.hpp"
#include "lab/experiment.hpp"

namespace assay::cli {

/// How runs are made, and where.
struct LabSettings {
  std::string out;
  bool resume = false;
  int threads = 0;
  double checkpoint_seconds = 2;
  bool json = false;
};

void add_lab(Options& options, LabSettings& lab);

/// Makes the runs of the experiments in the folder, prints their reports, and writes report.txt, the exports
/// and the trained policies there.
void carry_out(const std::vector<std::unique_ptr<Experiment>>& experiments, const LabSettings& settings,
               const Streams& streams);

/// What `run` and `compare` take: a problem, and how methods are trained and tested on it.
struct ComparisonSettings {
  std::string family;
  int episodes = 2000;
  std::uint64_t seed = 1;
  std::uint64_t test_seed = 1;
  LabSettings lab = {.out = "runs"};
};

void add_comparison(Options& options, ComparisonSettings& c);

/// Trains each method with `seeds` seeds, tests all of them on the same environments and prints the
/// comparison.
void compare_methods(const ComparisonSettings& settings, std::vector<std::string> methods, int seeds,
                     const Streams& streams);

/// The part of the help that says what --json prints.
inline constexpr const char* kRunsJson =
    "\n\n--json prints one object with folder, page (its file), runs, left_out (methods that could not be "
    "used, and why) and report (as text). A run has family, method, seed, episodes, test_seed, finished, "
    "epochs, mean_undiscounted, standard_error, mean_discounted, standard_error_discounted and context, as "
    "in runs.json; null stands for what is not known.";

/// "a,b(x=1,y=2),c" as "a", "b(x=1,y=2)", "c".
std::vector<std::string> split_specs(const std::string& text);

}  // namespace assay::cli
