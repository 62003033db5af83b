#include "assay/solver/detail/field_rewards.hpp"

namespace assay {

void FieldRewards::sum_parts(const Lanes& field, EnvironmentBatch& batch) const {
  for (std::size_t tile = 0; tile < batch.tiles(); ++tile) {
    const float* cells = field.data() + tile * cells_ * kTile;
    const std::span<float> rewards = batch.reward_tile(tile);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      for (std::size_t lane = 0; lane < kTile; ++lane) {
        float sum = 0;
        for (const std::size_t cell : parts_[i]) sum += cells[cell * kTile + lane];
        rewards[i * kTile + lane] = sum;
      }
    }
  }
}

}  // namespace assay
