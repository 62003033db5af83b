#include "cashing/mean_environment.hpp"

#include <cmath>

namespace assay {

MeanEnvironment::MeanEnvironment(const Belief& prior)
    : environments_(prior.weights().size()), mean_(prior.mean()) {
  std::vector<double> rewards(mean_.reward.size() * environments_);
  for (std::size_t e = 0; e < environments_; ++e) {
    const Mdp one = prior.environment(e);
    for (std::size_t pair = 0; pair < one.reward.size(); ++pair) {
      rewards[pair * environments_ + e] = one.reward[pair];
    }
  }
  rewards_ = std::make_shared<const std::vector<double>>(std::move(rewards));
}

const Mdp& MeanEnvironment::of(std::span<const double> weights) {
  for (std::size_t pair = 0; pair < mean_.reward.size(); ++pair) {
    if (!std::isfinite(mean_.reward[pair])) continue;  // not allowed
    const double* rewards = rewards_->data() + pair * environments_;
    double sum = 0;
    for (std::size_t e = 0; e < environments_; ++e) {
      if (weights[e] > 0) sum += weights[e] * rewards[e];
    }
    mean_.reward[pair] = sum;
  }
  return mean_;
}

}  // namespace assay
