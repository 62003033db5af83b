// What a search among beliefs has found, as a policy that earns at least its lower bound.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "assay/core/policy.hpp"
#include "assay/solver/bound_search.hpp"

namespace assay {

class SearchPolicy final : public Policy {
 public:
  explicit SearchPolicy(std::shared_ptr<BoundSearch> search)
      : shared_(std::make_shared<Shared>(std::move(search))) {}

  int act(const World& world, Rng& /*rng*/) override {
    weights_.resize(world.feature_count());
    world.features(weights_);  // of a finite belief these are the weights
    const std::lock_guard lock(shared_->mutex);
    return shared_->search->action(world.state(), weights_, world.remaining());
  }

  std::unique_ptr<Policy> clone() const override { return std::make_unique<SearchPolicy>(*this); }

 private:
  /// A search notes beliefs that it is asked about, which changes no answer: copies can share it, one at a
  /// time.
  struct Shared {
    explicit Shared(std::shared_ptr<BoundSearch> s) : search(std::move(s)) {}
    std::mutex mutex;
    std::shared_ptr<BoundSearch> search;
  };

  std::shared_ptr<Shared> shared_;
  std::vector<double> weights_;  // [environment]
};

}  // namespace assay
