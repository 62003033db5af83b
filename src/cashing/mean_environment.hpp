// The mean environment of beliefs over finitely many numbered environments that move alike: rewards are the
// posterior means. A learner asks for it at every step, so that the rewards of all environments are written
// out once, and the moves are not made anew.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "assay/core/belief.hpp"

namespace assay {

/// Copies share what does not change.
class MeanEnvironment {
 public:
  explicit MeanEnvironment(const Belief& prior);

  /// Becomes the mean environment for these weights; the same numbers as those of Belief::mean.
  const Mdp& of(std::span<const double> weights);
  /// Of the mean environment that was asked for last.
  [[nodiscard]] double reward(int state, int action) const {
    return mean_.reward[static_cast<std::size_t>(state) * static_cast<std::size_t>(mean_.actions) +
                        static_cast<std::size_t>(action)];
  }

 private:
  std::size_t environments_;
  std::shared_ptr<const std::vector<double>> rewards_;  // [state][action][environment]
  Mdp mean_;
};

}  // namespace assay
