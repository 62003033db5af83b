// Experiments from data files: those of this project, which are embedded in the tool, and users' own.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/reader.hpp"
#include "report/report.hpp"

namespace assay::experiments {

/// The experiments of `assay reproduce WHAT`: "all", the name of an embedded experiment, or a user's file,
/// which ends in .toml. Throws UsageError.
std::vector<std::unique_ptr<Experiment>> experiments_named(const std::string& what, const Effort& effort);

/// The experiments of a file with this text; `path` is as in read_experiment.
std::unique_ptr<Experiment> make_experiment(std::string_view text, const std::string& path,
                                            const Effort& effort);

/// The text of an embedded experiment. Throws UsageError that names the nearest one.
std::string_view embedded_text(const std::string& name);

/// The experiments of which the store has runs, and the figures that embedded files and files in the store
/// define. Embedded experiments are recognised by their runs; users' experiments are those whose files the
/// store keeps.
KnownExperiments known_experiments(const RunStore& store);

/// Stores the experiment's file, if it is a user's own.
void keep_source(const Experiment& experiment, RunStore& store);

}  // namespace assay::experiments
