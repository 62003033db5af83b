// What the commands that train have in common: a folder of results, runs that are made there, files beside
// it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "assay/cli.hpp"
#include "assay/options.hpp"
#include "lab/experiment.hpp"

namespace assay::cli {

/// Where and how runs are made.
struct LabSettings {
  std::string out;
  bool resume = false;
  int threads = 0;
  double checkpoint_seconds = 2;
  bool json = false;
};

void add_lab(Options& options, LabSettings& lab);

/// Makes the experiments' runs in the folder, prints their reports, and leaves report.txt, the exports and
/// the trained policies there.
void carry_out(const std::vector<std::unique_ptr<Experiment>>& experiments, const LabSettings& settings,
               const Streams& streams);

/// "a,b(x=1,y=2),c" as "a", "b(x=1,y=2)", "c".
std::vector<std::string> split_specs(const std::string& text);

}  // namespace assay::cli
