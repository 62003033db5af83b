// thompson: acts as if an environment drawn from its belief were the true one (Thompson 1933; Strens 2000).
// vi_thompson: the paper's form of it, for certain moves, which draws another environment at every step. It
// is the same method with other settings.
#include "assay/problem/registry.hpp"
#include "methods/planner.hpp"

namespace assay {
namespace {

struct ThompsonSettings {
  // A new environment is drawn at every step. An action is then taken as often as it is believed to be the
  // best one, which is the definition of Thompson sampling, and no assumption is needed about how long plans
  // take.
  int period = 1;
  double discount = 0;
  PlanClock clock = PlanClock::kAffordable;
  DrawForm draws = DrawForm::kParts;
};

class ThompsonMethod final : public Method {
 public:
  explicit ThompsonMethod(const ThompsonSettings& settings) : settings_(settings) {}

  std::vector<Need> needs() const override {
    if (settings_.draws == DrawForm::kParts) return {Need::kStillHidden};
    return {Need::kStillHidden, Need::kKnownMoves, Need::kOneCollection, Need::kCertainMoves,
            Need::kFiniteOrCells};
  }
  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view /*state*/,
                                 const Resources& /*resources*/) const override {
    const double discount = discount_or_own(settings_.discount, problem);
    return std::make_unique<Planner>(drawn_environment(settings_.draws, settings_.period),
                                     ClockedPlan(problem, settings_.clock, discount));
  }

 private:
  ThompsonSettings settings_;
};

const RegisterMethod<ThompsonMethod, ThompsonSettings> kRegistered(
    "thompson", "plans for an environment drawn from its belief, and follows the plan until the next draw",
    Schema<ThompsonSettings>({integer("period", &ThompsonSettings::period, 0, 1'000'000'000,
                                      "steps from one draw to the next; 0: one draw an episode"),
                              real("discount", &ThompsonSettings::discount, 0, 1,
                                   "discount of the plans; 0: that of the problem"),
                              clock_parameter(&ThompsonSettings::clock)}));

const RegisterMethod<ThompsonMethod, ThompsonSettings> kRegisteredViThompson(
    "vi_thompson", "plans for an environment drawn from its belief at every step, by value iteration",
    Schema<ThompsonSettings>({paper_clock_parameter(&ThompsonSettings::clock)},
                             {.clock = PlanClock::kStationary, .draws = DrawForm::kLanes}));

}  // namespace
}  // namespace assay
