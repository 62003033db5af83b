#include "solver/long_plan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace assay {

LongPlan::LongPlan(Mdp mdp, int horizon)
    : mdp_(std::move(mdp)), block_(std::max(1, static_cast<int>(std::sqrt(horizon)))) {
  const std::vector<double> nothing(static_cast<std::size_t>(mdp_.states), 0.0);
  checkpoint_.push_back({nothing, nothing});
  for (int h = block_; h < horizon; h += block_) {
    Plan plan = optimal_plan(mdp_, block_, checkpoint_.back());
    checkpoint_.push_back({std::move(plan.value.back()), std::move(plan.delay.back())});
  }
}

int LongPlan::best(int state, int remaining) {
  const int block = (remaining - 1) / block_;
  if (block != known_) {
    plan_ = optimal_plan(mdp_, block_, checkpoint_[static_cast<std::size_t>(block)]);
    known_ = block;
  }
  return plan_.action[static_cast<std::size_t>(remaining - block * block_)][static_cast<std::size_t>(state)];
}

}  // namespace assay
