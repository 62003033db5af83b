// An experiment: a list of runs, and what their results say.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/findings.hpp"
#include "lab/laboratory.hpp"

namespace assay {

/// What learning curves show of several trainings.
enum class CurveStatistic { kMedian, kMean };  // with the median absolute deviation, or with a 95 % interval

/// How a run is shown to people.
struct RunLabel {
  std::string title;  // of what it is shown with; empty if it is not shown on its own
  std::string label;  // the method
  CurveStatistic statistic = CurveStatistic::kMean;
};

/// A method that an experiment has to do without.
struct LeftOut {
  std::string spec, why;
};

/// A file that an experiment is made of.
struct ExperimentSource {
  std::string path, text;
};

class Experiment {
 public:
  virtual ~Experiment() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual const std::vector<Run>& runs() const = 0;
  [[nodiscard]] virtual RunLabel label(std::size_t run) const = 0;
  /// Of an experiment of somebody's own: kept with its results, so that they are shown as it says.
  [[nodiscard]] virtual std::optional<ExperimentSource> source() const { return std::nullopt; }
  /// Its run cannot be made. True if the experiment says something without it.
  virtual bool leave_out(std::size_t /*run*/, const std::string& /*why*/) { return false; }
  [[nodiscard]] virtual std::vector<LeftOut> left_out() const { return {}; }
  /// Of a store that may not have all runs yet.
  [[nodiscard]] virtual Findings findings(const RunStore& store) const = 0;
  /// Findings in words and tables, for a store in which all runs are finished that are not left out. Tables
  /// wider than `width` are printed in pieces; 0 for any width. `times` adds what the store knows of times,
  /// which is never the same twice: for people, not for files that are to be.
  [[nodiscard]] virtual std::string report(const RunStore& store, std::size_t width = 0,
                                           bool times = false) const = 0;
};

/// Several methods on one problem, each with several seeds: `assay compare`. The first method is compared
/// with each of the others.
struct Comparison {
  std::string family;
  std::vector<std::string> methods;
  int seeds = 1;
  std::uint64_t first_seed = 1;
  int episodes = 2000;
  std::uint64_t test_seed = 1;
};
std::unique_ptr<Experiment> comparison_experiment(const Comparison& comparison);

}  // namespace assay
