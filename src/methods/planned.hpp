// What the methods have in common that plan for one environment at a time, over its states: posterior
// sampling, the expected environment, exploration bonuses. Moves may be by chance, and unknown.
#pragma once

#include <string>
#include <vector>

#include "assay/problem/problem.hpp"
#include "assay/solver/mdp.hpp"
#include "assay/solver/stationary.hpp"

namespace assay {

/// The optimal plan for an environment and the steps that remain. Where steps and states are many, the plan
/// without an end stands for it, which differs near the end only.
class ClockedPlan {
 public:
  explicit ClockedPlan(double discount) : discount_(discount) {}

  void solve(TabularMdp environment, int remaining);
  /// `remaining` is at most what was solved for.
  [[nodiscard]] int action(int state, int remaining) const;

 private:
  double discount_;
  bool clocked_ = false;
  Plan plan_;
  StationaryPlan endless_;  // its values are where the next solution starts
};

/// What 0 stands for is the problem's own.
inline double discount_or_own(double discount, const Problem& problem) {
  return discount > 0 ? discount : problem.planning_discount();
}

/// Why an environment cannot be expected; empty if it can.
std::string expectation_objection(const Problem& problem);

}  // namespace assay
