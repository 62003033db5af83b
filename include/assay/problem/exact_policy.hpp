// Acting on an exact solution.
#pragma once

#include <memory>
#include <utility>

#include "assay/core/policy.hpp"
#include "assay/problem/problem.hpp"

namespace assay {

class ExactPolicy final : public Policy {
 public:
  explicit ExactPolicy(std::shared_ptr<const ExactResult> result) : result_(std::move(result)) {}
  int act(const World& world, Rng& /*rng*/) override { return result_->best_action(world); }
  std::unique_ptr<Policy> clone() const override { return std::make_unique<ExactPolicy>(result_); }

 private:
  std::shared_ptr<const ExactResult> result_;
};

}  // namespace assay
