#include "methods/planner.hpp"

namespace assay {

std::string places_objection(const Problem& problem) {
  try {
    const std::unique_ptr<Knowledge> prior = problem.knowledge(default_kernel());
    const Places places(*prior);
    return prior->weights().empty() && prior->feature_cells() == 0
               ? "the belief is neither over finitely many environments nor over cells"
               : "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

int Planner::act(const World& world, Rng& rng) {
  const Places& places = *problem_->places;
  const int left = places.collections_left(world.remaining());
  if (left == 0) return places.options(world.state()).front().action;
  knowledge_->know(world);
  fill_rewards(world, rng, rewards_);
  plan_.solve(rewards_, clock_ == PlanClock::kRemaining ? left : problem_->horizon);
  return plan_.best(world.state()).action;
}

void MeanPlanner::fill_rewards(const World& /*world*/, Rng& /*rng*/, std::span<double> rewards) {
  for (std::size_t p = 0; p < rewards.size(); ++p) {
    rewards[p] = problem().places->expected_reward(knowledge(), static_cast<int>(p));
  }
}

}  // namespace assay
