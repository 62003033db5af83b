#include "assay/solver/place_plan.hpp"

#include <algorithm>
#include <cmath>

#include "assay/solver/mdp.hpp"

namespace assay {

void PlacePlan::solve(std::span<const double> rewards, int collections) {
  value_.assign(rewards.begin(), rewards.end());
  delay_.assign(rewards.size(), 0.0);
  next_.resize(value_.size());
  next_delay_.resize(value_.size());
  scale_ = 0;
  for (int left = 2;; ++left) {
    for (const double v : value_) scale_ = std::max(scale_, std::abs(v));
    if (left > collections) return;
    for (std::size_t p = 0; p < value_.size(); ++p) {
      const int place = best(places_->next(static_cast<int>(p))).place;
      next_[p] = rewards[p] + discount_ * value(place);
      next_delay_[p] = discount_ * (value(place) + delay_[static_cast<std::size_t>(place)]);
    }
    value_.swap(next_);
    delay_.swap(next_delay_);
  }
}

const Places::Option& PlacePlan::best(int state) const {
  const std::span<const Places::Option> options = places_->options(state);
  return options[detail::first_best_of(
      options.size(), [&](std::size_t i) { return value(options[i].place); },
      [&](std::size_t i) { return delay_[static_cast<std::size_t>(options[i].place)]; }, scale_)];
}

}  // namespace assay
