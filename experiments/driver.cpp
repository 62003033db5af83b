#include "experiments/driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "assay/core/detail/spec.hpp"
#include "assay/core/error.hpp"
#include "experiments/embedded.hpp"
#include "experiments/file_experiment.hpp"
#include "experiments/reader_parts.hpp"
#include "files/text_file.hpp"

namespace assay::experiments {
namespace {

constexpr std::string_view kIndex = "index";
constexpr std::string_view kKept = "experiment ";  // the beginning of the names of files that a store keeps

/// The contents of index.toml.
struct Index {
  std::map<std::string, std::vector<std::string>> sets;
  std::vector<std::string> page;
};

std::string_view text_of(std::string_view name) {
  const auto found = std::ranges::find(embedded_files(), name, &EmbeddedFile::name);
  if (found == embedded_files().end()) throw UsageError(fmt::format("there is no experiment {}", name));
  return found->text;
}

std::string embedded_path(std::string_view name) { return fmt::format("experiments/{}.toml", name); }

Index read_index() {
  Index index;
  const std::string path = embedded_path(kIndex);
  const toml::table table = files::parse_toml(text_of(kIndex), path);
  TableReader reader(table, path, "the index");
  inner_table(reader, "sets", [&](TableReader& sets) {
    for (const auto& [name, names] : sets.table())
      index.sets[std::string(name.str())] = sets.texts(name.str());
  });
  inner_table(reader, "page", [&](TableReader& page) { index.page = page.texts("order"); });
  reader.finish();
  return index;
}

/// The note " ('all' is without x, y)", if the set "all" lacks experiments.
std::string without_note(const Index& index) {
  const auto all = index.sets.find("all");
  std::string without;
  for (const std::string& name : index.page) {
    if (all == index.sets.end() || std::ranges::find(all->second, name) != all->second.end()) continue;
    without += (without.empty() ? "" : ", ") + name;
  }
  return without.empty() ? "" : fmt::format(" ('all' is without {})", without);
}

std::unique_ptr<FileExperiment> of_any_kind(ExperimentFile file) {
  Common& common = file.common;
  if (auto* table = std::get_if<TableFile>(&file.kind))
    return table_experiment(std::move(common), std::move(*table));
  if (auto* intervals = std::get_if<IntervalFile>(&file.kind))
    return interval_experiment(std::move(common), std::move(*intervals));
  if (auto* sweep = std::get_if<SweepFile>(&file.kind))
    return sweep_experiment(std::move(common), std::move(*sweep));
  return simulation_experiment(std::move(common), std::get<SimulationFile>(file.kind));
}

std::unique_ptr<FileExperiment> experiment_of(ExperimentFile file) {
  const std::string path = file.common.path;
  std::unique_ptr<FileExperiment> experiment = of_any_kind(std::move(file));
  if (experiment->runs().empty())
    throw UsageError(path + ": there is nothing to run; it names no method that can be used on its problems");
  return experiment;
}

/// The experiment with its file, which is stored under its absolute path.
std::unique_ptr<Experiment> own_experiment(const std::string& path, const Effort& effort) {
  const std::string text = files::read_text_file(path);
  ExperimentFile file = read_experiment(text, path, effort);
  // A mistake in the variant that is not requested is reported at once, too.
  if (file.has_quick) (void)read_experiment(text, path, {!effort.quick, effort.seeds});
  std::unique_ptr<FileExperiment> experiment = experiment_of(std::move(file));
  experiment->set_source({std::filesystem::absolute(path).lexically_normal().string(), text});
  return experiment;
}

/// The last training seed in the store among the runs of the experiment.
int last_seed(const RunStore& store, const std::vector<RunStore::Id>& ids, const Experiment& experiment) {
  std::set<std::pair<std::string, std::string>> names;
  for (const Run& run : experiment.runs()) names.insert({run.problem->name(), run.method->name()});
  const std::uint64_t test_seed = experiment.runs().front().test_seed;
  std::uint64_t last = 1;
  for (const RunStore::Id id : ids) {
    const RunSettings s = store.settings(id);
    if (s.test_seed == test_seed && names.contains({s.family, s.method})) last = std::max(last, s.seed);
  }
  return static_cast<int>(std::min<std::uint64_t>(last, 1000));
}

/// Finds the experiments whose runs a store has.
class Finder {
 public:
  explicit Finder(const RunStore& store) : store_(store), ids_(store.runs()) {}

  /// The full and the quick experiment of the file, each if the store has runs of it that belong to no
  /// other.
  void find(std::string_view text, const std::string& path) {
    ExperimentFile file = read_experiment(text, path, {});
    for (FigurePlan& plan : file.figures) {
      const auto same = std::ranges::find(known_.figures, plan.name, &FigurePlan::name);
      if (same == known_.figures.end()) known_.figures.push_back(std::move(plan));
    }
    for (const bool quick : {false, true}) {
      if (ids_.empty() || (quick && !file.has_quick)) continue;
      const std::unique_ptr<Experiment> one = make_experiment(text, path, {quick, 1});
      const auto stored = [&](const Run& run) {
        return !claimed_.contains(run.settings()) && store_.find(run.settings()).has_value();
      };
      if (std::ranges::none_of(one->runs(), stored)) continue;
      known_.experiments.push_back(make_experiment(text, path, {quick, last_seed(store_, ids_, *one)}));
    }
  }

  /// Runs that belong to a found experiment are no sign of another experiment that has some of the same
  /// runs.
  void claim() {
    for (const std::unique_ptr<Experiment>& one : known_.experiments) {
      for (const Run& run : one->runs()) claimed_.insert(run.settings());
    }
  }

  KnownExperiments take() { return std::move(known_); }

 private:
  const RunStore& store_;
  std::vector<RunStore::Id> ids_;
  std::set<RunSettings> claimed_;
  KnownExperiments known_;
};

}  // namespace

std::unique_ptr<Experiment> make_experiment(std::string_view text, const std::string& path,
                                            const Effort& effort) {
  return experiment_of(read_experiment(text, path, effort));
}

std::string_view embedded_text(const std::string& name) {
  std::vector<std::string> known = read_index().page;
  if (std::ranges::find(known, name) == known.end())
    throw UsageError(unknown_name_message("experiment", name, known));
  return text_of(name);
}

std::vector<std::unique_ptr<Experiment>> experiments_named(const std::string& what, const Effort& effort) {
  std::vector<std::unique_ptr<Experiment>> all;
  if (what.ends_with(".toml")) {
    all.push_back(own_experiment(what, effort));
    return all;
  }
  const Index index = read_index();
  std::set<std::string> known(index.page.begin(), index.page.end());
  for (const auto& [name, names] : index.sets) known.insert(name);
  if (!known.contains(what)) {
    throw UsageError(fmt::format("{}{}; an experiment of your own is a file whose name ends in .toml",
                                 unknown_name_message("experiment", what, {known.begin(), known.end()}),
                                 without_note(index)));
  }
  const auto set = index.sets.find(what);
  for (const std::string& name : set == index.sets.end() ? std::vector{what} : set->second)
    all.push_back(make_experiment(text_of(name), embedded_path(name), effort));
  return all;
}

KnownExperiments known_experiments(const RunStore& store) {
  Finder finder(store);
  for (const std::string& name : store.artifacts()) {
    if (!name.starts_with(kKept)) continue;
    try {
      finder.find(store.artifact(name).value_or(""), name.substr(kKept.size()));
    } catch (const Error&) {
      // The file is of another version, or its problems are gone: its runs are shown as comparisons.
    }
  }
  finder.claim();
  for (const std::string& name : read_index().page) finder.find(text_of(name), embedded_path(name));
  return finder.take();
}

void keep_source(const Experiment& experiment, RunStore& store) {
  if (const std::optional<ExperimentSource> source = experiment.source())
    store.put_artifact(std::string(kKept) + source->path, source->text);
}

}  // namespace assay::experiments
