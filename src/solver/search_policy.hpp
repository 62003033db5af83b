// The result of a search among beliefs, as a policy that earns at least the search's lower bound.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "assay/core/policy.hpp"
#include "solver/bound_search.hpp"

namespace assay {

class SearchPolicy final : public Policy {
 public:
  explicit SearchPolicy(std::shared_ptr<BoundSearch> search)
      : shared_(std::make_shared<Shared>(std::move(search))) {}

  int act(const Situation& situation, Rng& /*rng*/) override {
    const std::lock_guard lock(shared_->mutex);
    return shared_->search->action(situation.state(), situation.belief().weights(), situation.remaining());
  }

  std::unique_ptr<Policy> clone() const override { return std::make_unique<SearchPolicy>(*this); }

 private:
  /// A search adds beliefs that it is asked about, which changes no answer. Copies can therefore share it,
  /// one at a time.
  struct Shared {
    explicit Shared(std::shared_ptr<BoundSearch> s) : search(std::move(s)) {}
    std::mutex mutex;
    std::shared_ptr<BoundSearch> search;
  };

  std::shared_ptr<Shared> shared_;
};

}  // namespace assay
