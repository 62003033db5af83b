#include "lab/run_sum.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/bytes.hpp"
#include "lab/database.hpp"

namespace assay {
namespace {

/// Each kind of row begins with another number, so that no row can be mistaken for one of another kind.
enum class RowKind : std::uint8_t { kRun, kEpoch, kTested, kEpisode, kPolicy, kRepeat };

/// A number as SQLite returns it: there is one NaN and no negative zero.
double as_stored(double number) {
  return std::isnan(number) ? std::numeric_limits<double>::quiet_NaN() : number + 0.0;
}

std::uint64_t numbers_sum(RowKind kind, int index, double first, double second) {
  ByteWriter row;
  row.u64(static_cast<std::uint64_t>(kind));
  row.u64(static_cast<std::uint64_t>(index));
  row.f64(as_stored(first));
  row.f64(as_stored(second));
  return checksum(row.take());
}

template <class Record, class Sum>
std::uint64_t sum_over(std::span<const Record> records, const Sum& sum) {
  std::uint64_t all = 0;
  for (const Record& record : records) all += sum(record);
  return all;
}

std::uint64_t episode_rows_sum(RowKind kind, std::span<const EpisodeRecord> episodes) {
  return sum_over(episodes, [kind](const EpisodeRecord& e) {
    std::uint64_t sum = numbers_sum(kind, e.episode, e.undiscounted, e.discounted);
    double number = 0;
    for (const double earned : e.repeated) sum += numbers_sum(RowKind::kRepeat, e.episode, number++, earned);
    return sum;
  });
}

/// The rows (number, double, double) of the run that a query finds.
std::uint64_t queried_sum(const Database& database, RowKind kind, std::string_view sql, RunStore::Id id) {
  Statement rows = database.prepare(sql);
  std::uint64_t all = 0;
  for (rows.bind(id); rows.step();) all += numbers_sum(kind, rows.small(0), rows.real(1), rows.real(2));
  return all;
}

std::uint64_t stored_run_row_sum(const Database& database, RunStore::Id id) {
  Statement row = database.prepare(
      "SELECT family, method, seed, episodes, test_seed, version, commit_id, machine, kernel, signature, "
      "finished, epochs, seconds FROM runs WHERE id = ?1");
  if (!row.bind(id).step()) throw UsageError(fmt::format("there is no run {} in {}", id, database.name()));
  std::optional<RunEnd> end;
  if (row.integer(10) == 1) end = {row.small(11), row.real(12)};
  return run_row_sum({row.text(0), row.text(1), row.unsigned64(2), row.small(3), row.unsigned64(4)},
                     {row.text(5), row.text(6), row.text(7), row.text(8), row.text(9)}, end);
}

}  // namespace

std::uint64_t epochs_sum(std::span<const EpochRecord> epochs) {
  return sum_over(epochs, [](const EpochRecord& e) {
    return numbers_sum(RowKind::kEpoch, e.epoch, e.mean_return, e.loss);
  });
}

std::uint64_t tested_sum(std::span<const EpisodeRecord> episodes) {
  return episode_rows_sum(RowKind::kTested, episodes);
}

std::uint64_t episodes_sum(std::span<const EpisodeRecord> episodes) {
  return episode_rows_sum(RowKind::kEpisode, episodes);
}

std::uint64_t policy_sum(std::uint64_t sum) {
  ByteWriter row;
  row.u64(static_cast<std::uint64_t>(RowKind::kPolicy));
  row.u64(sum);
  return checksum(row.take());
}

std::uint64_t run_row_sum(const RunSettings& settings, const RunContext& context,
                          const std::optional<RunEnd>& end) {
  ByteWriter row;
  row.u64(static_cast<std::uint64_t>(RowKind::kRun));
  row.text(settings.family);
  row.text(settings.method);
  row.u64(settings.seed);
  row.u64(static_cast<std::uint64_t>(settings.episodes));
  row.u64(settings.test_seed);
  for (const std::string& text :
       {context.version, context.commit, context.machine, context.kernel, context.signature}) {
    row.text(text);
  }
  row.u64(end ? 1 : 0);
  row.u64(end ? static_cast<std::uint64_t>(end->epochs) : 0);
  row.f64(end ? as_stored(end->seconds) : 0);
  return checksum(row.take());
}

std::uint64_t stored_sum(const Database& database, RunStore::Id id) {
  std::uint64_t sum = stored_run_row_sum(database, id);
  sum += queried_sum(database, RowKind::kEpoch, "SELECT epoch, mean_return, loss FROM epochs WHERE run = ?1",
                     id);
  sum += queried_sum(database, RowKind::kTested,
                     "SELECT episode, undiscounted, discounted FROM tested WHERE run = ?1", id);
  sum += queried_sum(database, RowKind::kEpisode,
                     "SELECT episode, undiscounted, discounted FROM episodes WHERE run = ?1", id);
  sum += queried_sum(database, RowKind::kRepeat,
                     "SELECT episode, repeat, undiscounted FROM repeats WHERE run = ?1", id);
  Statement policy = database.prepare("SELECT checksum FROM policies WHERE run = ?1");
  for (policy.bind(id); policy.step();) sum += policy_sum(policy.unsigned64(0));
  return sum;
}

void fill_run_sums(const Database& database) {
  Statement runs = database.prepare("SELECT id FROM runs");
  std::vector<RunStore::Id> ids;
  while (runs.step()) ids.push_back(runs.integer(0));
  Statement insert = database.prepare("INSERT INTO run_sums VALUES(?1, ?2)");
  for (const RunStore::Id id : ids) insert.bind(id, stored_sum(database, id)).execute();
}

}  // namespace assay
