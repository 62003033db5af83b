// Exports the runs of a store to files for other programs. docs/run-store.md describes their columns.
#pragma once

#include <filesystem>

namespace assay {

class RunStore;

/// Writes runs.csv, epochs.csv, episodes.csv and runs.json and replaces existing ones. Their bytes depend on
/// the runs alone, not on their order, the time or (except for runs.json) the machine that made them.
void export_runs(const RunStore& store, const std::filesystem::path& folder);

}  // namespace assay
