// The runs of a store as files for other programs. docs/run-store.md describes their columns.
#pragma once

#include <filesystem>

namespace assay {

class RunStore;

/// Writes runs.csv, epochs.csv, episodes.csv and runs.json, each in the place of what was there. Their bytes
/// depend on the runs alone, not on the order, the time or, but for runs.json, the place in which they were
/// made.
void export_runs(const RunStore& store, const std::filesystem::path& folder);

}  // namespace assay
