// An experiment: a list of runs, and what is concluded from their results.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lab/findings.hpp"
#include "lab/laboratory.hpp"

namespace assay {

/// How learning curves summarise several trainings.
enum class CurveStatistic { kMedian, kMean };  // with the median absolute deviation, or with a 95 % interval

/// How a run is named for people.
struct RunLabel {
  std::string title;  // what the run is shown with; empty if it is not shown separately
  std::string label;  // the method
  CurveStatistic statistic = CurveStatistic::kMean;
};

/// A method that an experiment must leave out.
struct LeftOut {
  std::string spec, why;
};

/// A file from which an experiment was made.
struct ExperimentSource {
  std::string path, text;
};

class Experiment {
 public:
  virtual ~Experiment() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual const std::vector<Run>& runs() const = 0;
  [[nodiscard]] virtual RunLabel label(std::size_t run) const = 0;
  /// The files of a user's own experiment, which are kept with its results so that these can be shown later.
  [[nodiscard]] virtual std::optional<ExperimentSource> source() const { return std::nullopt; }
  /// Called if a run cannot be made. Returns true if the experiment can continue without it.
  virtual bool leave_out(std::size_t /*run*/, const std::string& /*why*/) { return false; }
  [[nodiscard]] virtual std::vector<LeftOut> left_out() const { return {}; }
  /// The findings of a store in which runs may be missing.
  [[nodiscard]] virtual Findings findings(const RunStore& store) const = 0;
  /// The findings in words and tables, for a store in which all runs that are not left out are finished.
  /// Tables wider than `width` are printed in pieces; 0 stands for any width. `times` adds measured times,
  /// which differ from one time to the next: they are for people, not for files that are to be the same.
  [[nodiscard]] virtual std::string report(const RunStore& store, std::size_t width = 0,
                                           bool times = false) const = 0;
};

/// Several methods on one problem, each with several seeds, as in `assay compare`. The first method is
/// compared with each of the others.
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
