// Which runs of a store are shown together, and under which names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lab/experiment.hpp"

namespace assay {

/// The trainings of one method on one problem.
struct ShownMethod {
  std::string label, method;
  CurveStatistic statistic = CurveStatistic::kMean;
  std::vector<RunStore::Id> runs;
};

/// The runs on one problem with the same test.
struct ShownProblem {
  std::string title, family;
  int episodes = 0;
  std::uint64_t test_seed = 0;
  bool known = false;  // to an experiment, which has tables of its own
  std::vector<ShownMethod> methods;
};

/// All runs that an experiment shows separately, then those that belong to no experiment.
std::vector<ShownProblem> shown_problems(const RunStore& store,
                                         const std::vector<std::unique_ptr<Experiment>>& experiments);

/// A name without the settings that equal the defaults, such as "pcr(epochs=30)". A name that this version
/// does not know stays as it is.
std::string short_method_name(const std::string& canonical);
std::string short_family_name(const std::string& canonical);

}  // namespace assay
