#include "lab/run_export.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "lab/atomic_file.hpp"
#include "lab/run_store.hpp"

namespace assay {
namespace {

using nlohmann::ordered_json;

/// RFC 4180: a text is quoted if a comma, a quote or the end of a line would be misread; quotes are doubled.
std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted += '"';
}

/// NaN is written where there are too few data.
struct ReturnSummary {
  double mean = NAN, standard_error = NAN;
  double mean_discounted = NAN, standard_error_discounted = NAN;
};

/// Computed from the deviations and not from the squares, because returns can be large and nearly equal.
double standard_error_of(const std::vector<EpisodeRecord>& episodes, double EpisodeRecord::*which,
                         double mean) {
  const auto n = static_cast<double>(episodes.size());
  double squares = 0;
  for (const EpisodeRecord& e : episodes) squares += (e.*which - mean) * (e.*which - mean);
  return episodes.size() > 1 ? std::sqrt(squares / (n - 1) / n) : NAN;
}

ReturnSummary summary_of(const std::vector<EpisodeRecord>& episodes) {
  ReturnSummary summary;
  const auto n = static_cast<double>(episodes.size());
  if (episodes.empty()) return summary;
  double sum = 0;
  double sum_discounted = 0;
  for (const EpisodeRecord& e : episodes) {
    sum += e.undiscounted;
    sum_discounted += e.discounted;
  }
  summary.mean = sum / n;
  summary.mean_discounted = sum_discounted / n;
  summary.standard_error = standard_error_of(episodes, &EpisodeRecord::undiscounted, summary.mean);
  summary.standard_error_discounted =
      standard_error_of(episodes, &EpisodeRecord::discounted, summary.mean_discounted);
  return summary;
}

std::string csv_number_or_empty(double number) { return std::isnan(number) ? "" : fmt::format("{}", number); }

/// JSON has no infinities either.
ordered_json json_number(double number) {
  return std::isfinite(number) ? ordered_json(number) : ordered_json();
}

ordered_json run_as_json(const RunSettings& run, const RunContext& context, bool finished, std::size_t epochs,
                         const ReturnSummary& returns) {
  return {{"family", run.family},
          {"method", run.method},
          {"seed", run.seed},
          {"episodes", run.episodes},
          {"test_seed", run.test_seed},
          {"finished", finished},
          {"epochs", epochs},
          {"mean_undiscounted", json_number(returns.mean)},
          {"standard_error", json_number(returns.standard_error)},
          {"mean_discounted", json_number(returns.mean_discounted)},
          {"standard_error_discounted", json_number(returns.standard_error_discounted)},
          {"context",
           {{"version", context.version},
            {"commit", context.commit},
            {"machine", context.machine},
            {"kernel", context.kernel},
            {"signature", context.signature}}}};
}

/// The files are written while the runs are read one at a time, because all episodes together may not fit
/// into the memory.
class RunFiles {
 public:
  explicit RunFiles(const std::filesystem::path& folder)
      : runs_(folder / "runs.csv"),
        epochs_(folder / "epochs.csv"),
        episodes_(folder / "episodes.csv"),
        json_(folder / "runs.json") {
    constexpr std::string_view kKeys = "family,method,seed,episodes,test_seed";
    runs_.append(fmt::format(
        "{},finished,epochs,mean_undiscounted,standard_error,mean_discounted,standard_error_discounted\n",
        kKeys));
    epochs_.append(fmt::format("{},epoch,mean_return,loss\n", kKeys));
    episodes_.append(fmt::format("{},episode,undiscounted,discounted,repeated\n", kKeys));
  }

  void add(const RunStore& store, RunStore::Id id) {
    const RunSettings run = store.settings(id);
    const std::string key = fmt::format("{},{},{},{},{}", csv_field(run.family), csv_field(run.method),
                                        run.seed, run.episodes, run.test_seed);
    const std::vector<EpochRecord> epochs = store.epochs(id);
    for (const EpochRecord& e : epochs) {
      epochs_.append(fmt::format("{},{},{},{}\n", key, e.epoch, csv_number_or_empty(e.mean_return),
                                 csv_number_or_empty(e.loss)));
    }
    const std::vector<EpisodeRecord> episodes = store.episodes(id);
    for (const EpisodeRecord& e : episodes) {
      episodes_.append(fmt::format("{},{},{},{},{}\n", key, e.episode, csv_number_or_empty(e.undiscounted),
                                   csv_number_or_empty(e.discounted), fmt::join(e.repeated, " ")));
    }
    const bool finished = store.finished(id);
    const ReturnSummary returns = summary_of(episodes);
    runs_.append(fmt::format("{},{:d},{},{},{},{},{}\n", key, finished, epochs.size(),
                             csv_number_or_empty(returns.mean), csv_number_or_empty(returns.standard_error),
                             csv_number_or_empty(returns.mean_discounted),
                             csv_number_or_empty(returns.standard_error_discounted)));
    array_.push_back(run_as_json(run, store.context(id), finished, epochs.size(), returns));
  }

  void commit() {
    // Texts that are not UTF-8 must not prevent the rest from being written.
    json_.append(ordered_json{{"runs", array_}}.dump(2, ' ', false, ordered_json::error_handler_t::replace) +
                 "\n");
    for (AtomicFile* file : {&runs_, &epochs_, &episodes_, &json_}) file->commit();
  }

 private:
  AtomicFile runs_, epochs_, episodes_, json_;
  ordered_json array_ = ordered_json::array();
};

}  // namespace

void export_runs(const RunStore& store, const std::filesystem::path& folder) {
  create_folder(folder);
  RunFiles files(folder);
  store.in_one_view([&] {
    std::vector<std::pair<RunSettings, RunStore::Id>> sorted;
    for (const RunStore::Id id : store.runs()) sorted.emplace_back(store.settings(id), id);
    std::ranges::sort(sorted);
    for (const auto& [settings, id] : sorted) files.add(store, id);
  });
  files.commit();
}

}  // namespace assay
