// Reads experiment files. Every error names file, line and column, and the nearest name that would be right.
#pragma once

#include <string>
#include <string_view>

#include "experiments/experiment_file.hpp"

namespace assay::experiments {

/// How much of an experiment is requested.
struct Effort {
  bool quick = false;  // what the file says under [quick]: coarser, to see that everything works
  int seeds = 1;       // more trainings than the file says, unless it fixes their number
};

/// Throws UsageError. `where` is the file's name in errors; problem files are looked for relative to it.
ExperimentFile read_experiment(std::string_view text, const std::string& where, const Effort& effort);

/// The text with a value for every {name} in it. Throws UsageError if a name has no value.
std::string filled(std::string_view text, const Values& values);

}  // namespace assay::experiments
