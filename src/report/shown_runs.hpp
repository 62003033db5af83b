// Which runs of a store are shown together, and under which names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lab/experiment.hpp"

namespace assay {

/// Trainings of one method on one problem.
struct ShownMethod {
  std::string label, method;
  CurveStatistic statistic = CurveStatistic::kMean;
  std::vector<RunStore::Id> runs;
};

/// What was run on one problem with the same test.
struct ShownProblem {
  std::string title, family;
  int episodes = 0;
  std::uint64_t test_seed = 0;
  bool known = false;  // to an experiment, which has tables of its own
  std::vector<ShownMethod> methods;
};

/// All runs that an experiment shows on their own, then those that belong to none.
std::vector<ShownProblem> shown_problems(const RunStore& store,
                                         const std::vector<std::unique_ptr<Experiment>>& experiments);

/// "pcr(epochs=30)": without the settings that are the default ones anyway. Names that this version does not
/// know stay as they are.
std::string short_method_name(const std::string& canonical);
std::string short_family_name(const std::string& canonical);

}  // namespace assay
