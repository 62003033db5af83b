// Environments as a structure of arrays, which the kernels read.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "assay/core/detail/lanes.hpp"
#include "assay/solver/detail/dynamics.hpp"

namespace assay {

/// `count` environments with common dynamics. Lanes after the last environment hold arbitrary finite
/// numbers.
class EnvironmentBatch {
 public:
  EnvironmentBatch(std::shared_ptr<const Dynamics> dynamics, std::size_t count);

  [[nodiscard]] const Dynamics& dynamics() const { return *dynamics_; }
  [[nodiscard]] const std::shared_ptr<const Dynamics>& shared_dynamics() const { return dynamics_; }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t tiles() const { return tiles_for(count_); }

  /// [reward][kTile] of one tile.
  [[nodiscard]] std::span<float> reward_tile(std::size_t tile) {
    return std::span(reward_).subspan(tile * reward_stride(), reward_stride());
  }
  [[nodiscard]] std::span<const float> reward_tile(std::size_t tile) const {
    return std::span(reward_).subspan(tile * reward_stride(), reward_stride());
  }
  /// [tile][reward][kTile]
  [[nodiscard]] std::span<float> rewards() { return reward_; }
  /// [arc][kTile] of one tile.
  [[nodiscard]] std::span<float> probability_tile(std::size_t tile) {
    return std::span(probability_).subspan(tile * probability_stride(), probability_stride());
  }
  [[nodiscard]] std::span<const float> probability_tile(std::size_t tile) const {
    return std::span(probability_).subspan(tile * probability_stride(), probability_stride());
  }

  /// Writes one environment into its lane.
  void set(std::size_t environment, const Mdp& mdp);

  /// The largest absolute reward, which bounds how far values can be from their limit.
  [[nodiscard]] float largest_reward() const;

 private:
  [[nodiscard]] std::size_t reward_stride() const { return dynamics_->rewards() * kTile; }
  [[nodiscard]] std::size_t probability_stride() const { return dynamics_->probabilities() * kTile; }

  std::shared_ptr<const Dynamics> dynamics_;
  std::size_t count_;
  Lanes reward_;       // [tile][reward][kTile]
  Lanes probability_;  // [tile][arc][kTile]
};

/// One environment for all lanes, in single precision: the mean environment, or one drawn environment.
struct SharedEnvironment {
  /// Rewards in the order of the dynamics; for moves that are certain.
  explicit SharedEnvironment(std::vector<float> rewards) : reward(std::move(rewards)) {}
  SharedEnvironment(const Dynamics& dynamics, const Mdp& mdp);
  SharedEnvironment(const EnvironmentBatch& batch, std::size_t environment);

  std::vector<float> reward;       // [reward]
  std::vector<float> probability;  // [arc]
};

}  // namespace assay
