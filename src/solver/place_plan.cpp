#include "assay/solver/place_plan.hpp"

#include <utility>

namespace assay {

void PlacePlan::solve(std::span<const double> rewards, int collections) {
  value_.assign(rewards.begin(), rewards.end());
  next_.resize(value_.size());
  for (int left = 2; left <= collections; ++left) {
    for (std::size_t p = 0; p < value_.size(); ++p) {
      next_[p] = rewards[p] + discount_ * value(best(places_->next(static_cast<int>(p))).place);
    }
    value_.swap(next_);
  }
}

const Places::Option& PlacePlan::best(int state) const {
  const std::span<const Places::Option> options = places_->options(state);
  const Places::Option* found = &options.front();
  for (const Places::Option& option : options) {
    if (value(option.place) > value(found->place)) found = &option;
  }
  return *found;
}

}  // namespace assay
