// Experiments out of data files: those of this project, which are embedded in the tool, and anybody's own.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/reader.hpp"
#include "report/report.hpp"

namespace assay::experiments {

/// What `assay reproduce WHAT` makes: "all", the name of an embedded experiment, or a file of one's own,
/// which ends in .toml. Throws UsageError.
std::vector<std::unique_ptr<Experiment>> experiments_named(const std::string& what, const Effort& effort);

/// Of a file's text; `path` as in read_experiment.
std::unique_ptr<Experiment> make_experiment(std::string_view text, const std::string& path,
                                            const Effort& effort);

/// The text of an embedded experiment. Throws UsageError that names the nearest one.
std::string_view embedded_text(const std::string& name);

/// The experiments that the store has runs of, and the figures that embedded files and those in the store
/// plan. Embedded ones are seen from the runs alone; somebody's own are those whose files the store keeps.
KnownExperiments known_experiments(const RunStore& store);

/// Keeps the experiment's file in the store, if it is somebody's own.
void keep_source(const Experiment& experiment, RunStore& store);

}  // namespace assay::experiments
