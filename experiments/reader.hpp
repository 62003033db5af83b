// Reads experiment files. Every error names file, line and column, and the nearest name that would have been
// right.
#pragma once

#include <string>
#include <string_view>

#include "experiments/experiment_file.hpp"

namespace assay::experiments {

/// How much of an experiment is asked for.
struct Effort {
  bool quick = false;  // what the file says under [quick]: coarser, to see that everything works
  int seeds = 1;       // more trainings than the file says, unless it says that the number is fixed
};

/// Throws UsageError. `where` is the file's name in errors, and what names of problem files are relative to.
ExperimentFile read_experiment(std::string_view text, const std::string& where, const Effort& effort);

/// The text with what every {name} in it stands for. Throws UsageError about one that stands for nothing.
std::string filled(std::string_view text, const Values& values);

}  // namespace assay::experiments
