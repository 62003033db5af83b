// vi_greedy: acts as if the mean of its belief were true. Value iteration at every step, nothing learned.
#include "assay/solver/mdp.hpp"
#include "methods/planner.hpp"

namespace assay {
namespace {

/// Where moves are by chance, or something is collected both on arriving and by actions: plans for states,
/// not for places, which takes longer.
class MeanStatePlanner final : public Policy {
 public:
  explicit MeanStatePlanner(std::shared_ptr<const Knowledge> prior)
      : prior_(std::move(prior)), knowledge_(prior_->clone()) {}

  int act(const World& world, Rng& /*rng*/) override {
    knowledge_->know(world);
    return optimal_plan(knowledge_->mean(), world.remaining(), Ties::kEarliest)
        .action.back()[static_cast<std::size_t>(world.state())];
  }
  std::unique_ptr<Policy> clone() const override { return std::make_unique<MeanStatePlanner>(prior_); }

 private:
  std::shared_ptr<const Knowledge> prior_;
  std::unique_ptr<Knowledge> knowledge_;
};

class GreedyMethod final : public Method {
 public:
  explicit GreedyMethod(const PlannerSettings& settings) : by_place_(settings) {}

  std::string objection(const Problem& problem) const override {
    const std::string why = by_place_.objection(problem);
    return !why.empty() && problem.knowledge(default_kernel())->known_transitions() ? "" : why;
  }

  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view state,
                                 const Resources& resources) const override {
    if (by_place_.objection(problem).empty()) return by_place_.policy(problem, state, resources);
    return std::make_unique<MeanStatePlanner>(problem.knowledge(default_kernel()));
  }

 private:
  PlannerMethod<MeanPlanner> by_place_;
};

const RegisterMethod<GreedyMethod, PlannerSettings> kRegistered(
    "vi_greedy", "plans for the mean of its belief at every step, by value iteration", planner_schema());

}  // namespace
}  // namespace assay
