// The optimal plan for a long horizon, in little memory.
//
// Values are kept at about sqrt(horizon) checkpoints only; the actions between two checkpoints are computed
// again when they are needed. A caller that asks with fewer and fewer steps to go, as an episode does, has
// everything computed at most twice, and a plan for 20 000 steps takes the memory of 300.
#pragma once

#include <vector>

#include "assay/solver/detail/mdp.hpp"

namespace assay {

class LongPlan {
 public:
  LongPlan(Mdp mdp, int horizon);

  /// The action of the optimal plan that earns early, with 1 to `horizon` steps to go.
  [[nodiscard]] int best(int state, int remaining);
  [[nodiscard]] const Mdp& mdp() const { return mdp_; }

 private:
  Mdp mdp_;
  int block_;                      // steps between checkpoints
  std::vector<After> checkpoint_;  // [i]: values and delays with i * block_ steps to go
  int known_ = -1;                 // the block whose actions are in memory
  Plan plan_;
};

}  // namespace assay
