#include "assay/problem/method.hpp"

#include "assay/core/error.hpp"

namespace assay {

std::unique_ptr<Policy> Method::solve(const Problem& problem, Rng rng, const Resources& resources) const {
  const std::string why = objection(problem);
  if (!why.empty()) throw UsageError(name_ + " cannot be used on " + problem.name() + ": " + why);
  std::string state;
  if (const std::unique_ptr<Learner> learning = learner(problem, rng, resources)) {
    while (learning->done() < learning->epochs()) learning->advance();
    state = learning->policy_state();
  }
  return policy(problem, state, resources);
}

}  // namespace assay
