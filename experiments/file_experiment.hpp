// The common part of all kinds of experiments: runs, each made once, and texts in which values are filled
// in.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/experiment_file.hpp"
#include "lab/experiment.hpp"

namespace assay::experiments {

class FileExperiment : public Experiment {
 public:
  explicit FileExperiment(Common common) : common_(std::move(common)) {}

  std::string name() const final { return common_.name; }
  const std::vector<Run>& runs() const final { return runs_; }
  RunLabel label(std::size_t run) const final { return labels_[run]; }
  std::optional<ExperimentSource> source() const final { return source_; }
  void set_source(ExperimentSource source) { source_ = std::move(source); }

 protected:
  [[nodiscard]] const Common& common() const { return common_; }

  /// A problem; a problem file is looked for beside the experiment's file.
  [[nodiscard]] std::shared_ptr<const Problem> problem_of(const Placed& problem) const;
  /// Adds a run, or finds the one that has the same settings.
  std::size_t add_run(const std::shared_ptr<const Problem>& problem, const Placed& method, std::uint64_t seed,
                      int test_episodes, const RunLabel& label = {});
  /// Adds the runs of a method. A method that learns is trained with all seeds and the training settings;
  /// another method is run once, with the seed 0. `values` are for {name} in the method.
  std::vector<std::size_t> add_runs(const std::shared_ptr<const Problem>& problem, const Placed& method,
                                    const Values& values, const RunLabel& label = {});

  /// The text with the values of the file, the seeds, the test episodes, and `more` filled in.
  [[nodiscard]] std::string text_of(const std::string& text, const Values& more = {}) const;

 private:
  Common common_;
  std::optional<ExperimentSource> source_;
  std::vector<Run> runs_;
  std::vector<RunLabel> labels_;              // [run]
  std::map<RunSettings, std::size_t> index_;  // indices into labels_
};

/// Joins "name(a=1)" and "b=2" to "name(a=1,b=2)".
std::string with_settings(const std::string& spec, const std::string& settings);

/// Why the method cannot be used on the problem; empty if it can.
std::string objection(const Placed& method, const Problem& problem);

/// The test returns that the score refers to.
std::vector<double> scores_of(const RunStore& store, const Run& run, Score score);

std::unique_ptr<FileExperiment> table_experiment(Common common, TableFile file);
std::unique_ptr<FileExperiment> interval_experiment(Common common, IntervalFile file);
std::unique_ptr<FileExperiment> sweep_experiment(Common common, SweepFile file);
std::unique_ptr<FileExperiment> simulation_experiment(Common common, const SimulationFile& file);

}  // namespace assay::experiments
