// A policy that acts on an exact solution.
#pragma once

#include <memory>
#include <utility>

#include "assay/core/policy.hpp"
#include "assay/solver/exact_solution.hpp"

namespace assay {

class ExactPolicy final : public Policy {
 public:
  explicit ExactPolicy(std::shared_ptr<const ExactSolution> solution) : solution_(std::move(solution)) {}
  int act(const Situation& situation, Rng& /*rng*/) override { return solution_->best_action(situation); }
  std::unique_ptr<Policy> clone() const override { return std::make_unique<ExactPolicy>(solution_); }

 private:
  std::shared_ptr<const ExactSolution> solution_;
};

}  // namespace assay
