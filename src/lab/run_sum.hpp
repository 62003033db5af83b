// Checksums of runs, which show whether stored data are still those that were stored.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "lab/run_store.hpp"

namespace assay {

class Database;

/// A run's checksum is the sum, modulo 2^64, of the checksums of its rows: its row in `runs`, its epochs,
/// the episodes on which it was tested so far and those of the finished test, with their repeated episodes,
/// and the checksum of its policy. It therefore grows with the run, in any order. The times of the test are
/// not included.
std::uint64_t epochs_sum(std::span<const EpochRecord> epochs);
std::uint64_t tested_sum(std::span<const EpisodeRecord> episodes);
std::uint64_t episodes_sum(std::span<const EpisodeRecord> episodes);
std::uint64_t policy_sum(std::uint64_t checksum);

/// The parts of a run's row that are known only when the run is finished.
struct RunEnd {
  int epochs = 0;
  double seconds = 0;
};
std::uint64_t run_row_sum(const RunSettings& settings, const RunContext& context,
                          const std::optional<RunEnd>& end);

/// The checksum of what the database holds of the run. Throws UsageError if there is no such run.
std::uint64_t stored_sum(const Database& database, RunStore::Id id);

/// Computes the checksum of every run of a database.
void fill_run_sums(const Database& database);

}  // namespace assay
