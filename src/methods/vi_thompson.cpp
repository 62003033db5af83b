// vi_thompson: acts as if an environment drawn from its belief were true; draws another at every step.
#include "assay/core/samplers.hpp"
#include "methods/planner.hpp"

namespace assay {
namespace {

class ThompsonPlanner final : public Planner {
 public:
  using Planner::Planner;
  std::unique_ptr<Policy> clone() const override { return std::make_unique<ThompsonPlanner>(*this); }

 protected:
  void fill_rewards(const World& /*world*/, Rng& rng, std::span<double> rewards) override {
    const Places& places = *problem().places;
    if (const std::span<const double> weights = knowledge().weights(); !weights.empty()) {
      const TabularMdp drawn = problem().prior->environment(categorical(rng, weights));
      for (std::size_t p = 0; p < rewards.size(); ++p) {
        const Places::Choice& c = places.choice(static_cast<int>(p));
        const int pair = c.state * drawn.actions + c.action;
        rewards[p] = drawn.reward[static_cast<std::size_t>(pair)];
      }
      return;
    }
    knowledge().draw({rng.next64(), 0, 0, 0}, 1, 0, drawn_);
    const std::span<const float> lane = std::as_const(*drawn_.plans).reward_tile(0);
    for (std::size_t p = 0; p < rewards.size(); ++p) rewards[p] = static_cast<double>(lane[p * kTile]);
  }

 private:
  DrawnEnvironments drawn_;
};

const RegisterMethod<PlannerMethod<ThompsonPlanner>, PlannerSettings> kRegistered(
    "vi_thompson", "plans for an environment drawn from its belief at every step, by value iteration",
    planner_schema());

}  // namespace
}  // namespace assay
