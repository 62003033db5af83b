// Value against simulations per decision: what the experiment is made of, so that tests can make a small one.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay/lab/experiment.hpp"

namespace assay {

/// Which return the field reports for a problem.
enum class PlanningScore { kUndiscounted, kDiscounted };

struct PlanningProblem {
  std::string family;
  int episodes = 0;  // of the test, the same for all methods
  PlanningScore score = PlanningScore::kUndiscounted;
  std::vector<int> bamcp, pcr_search;     // simulations per decision
  std::vector<std::string> learned = {};  // methods to compare with, trained as they are by default
};

std::unique_ptr<Experiment> planning_experiment_on(const std::vector<PlanningProblem>& problems,
                                                   std::string remark = "");

/// Which of `others` to compare with at equal time: the one that takes the least of those that take `seconds`
/// or more, else the one that takes the most. Nothing if there are none; times that nobody knows do not
/// count.
std::optional<std::size_t> equal_time_choice(double seconds, std::span<const std::optional<double>> others);

}  // namespace assay
