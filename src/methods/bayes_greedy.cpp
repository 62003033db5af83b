// bayes_greedy: plans at every step for the environment whose rewards and transition probabilities are the
// belief's expectations. It never explores on purpose.
// vi_greedy: the paper's form of it, for known moves. It is the same method with another clock.
#include "assay/problem/registry.hpp"
#include "methods/planner.hpp"

namespace assay {
namespace {

struct GreedySettings {
  double discount = 0;
  PlanClock clock = PlanClock::kAffordable;
  bool known_moves_only = false;
};

class GreedyMethod final : public Method {
 public:
  explicit GreedyMethod(const GreedySettings& settings) : settings_(settings) {}

  std::vector<Need> needs() const override {
    return {Need::kStillHidden, settings_.known_moves_only ? Need::kKnownMoves : Need::kExpectedMoves};
  }
  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view /*state*/,
                                 const Resources& /*resources*/) const override {
    const double discount = discount_or_own(settings_.discount, problem);
    return std::make_unique<Planner>(expected_environment(), ClockedPlan(problem, settings_.clock, discount));
  }

 private:
  GreedySettings settings_;
};

const RegisterMethod<GreedyMethod, GreedySettings> kRegistered(
    "bayes_greedy", "plans at every step for the environment that its belief expects",
    Schema<GreedySettings>({real("discount", &GreedySettings::discount, 0, 1,
                                 "discount of the plans; 0: that of the problem"),
                            clock_parameter(&GreedySettings::clock)}));

const RegisterMethod<GreedyMethod, GreedySettings> kRegisteredViGreedy(
    "vi_greedy", "plans for the mean environment at every step, by value iteration",
    Schema<GreedySettings>({paper_clock_parameter(&GreedySettings::clock)},
                           {.clock = PlanClock::kStationary, .known_moves_only = true}));

}  // namespace
}  // namespace assay
