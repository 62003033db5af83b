// Checksums of runs: what is stored of a run is what was stored.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "lab/run_store.hpp"

namespace assay {

class Database;

/// A run's checksum is the sum, modulo 2^64, of those of its rows: of its row in `runs`, of its epochs, of
/// the episodes that it was tested on so far and of those of the finished test, with their repeated episodes,
/// and of the checksum of its policy. So it grows with the run, in whatever order that happens. Its times of
/// testing are not in it.
std::uint64_t epochs_sum(std::span<const EpochRecord> epochs);
std::uint64_t tested_sum(std::span<const EpisodeRecord> episodes);
std::uint64_t episodes_sum(std::span<const EpisodeRecord> episodes);
std::uint64_t policy_sum(std::uint64_t checksum);

/// What of a run's row is known only once it is finished.
struct RunEnd {
  int epochs = 0;
  double seconds = 0;
};
std::uint64_t run_row_sum(const RunSettings& settings, const RunContext& context,
                          const std::optional<RunEnd>& end);

/// Of what the database holds of the run. Throws UsageError if there is no such run.
std::uint64_t stored_sum(const Database& database, RunStore::Id id);

/// Gives every run of a database its checksum.
void fill_run_sums(const Database& database);

}  // namespace assay
