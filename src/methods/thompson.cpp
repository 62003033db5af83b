// thompson: acts as if an environment drawn from its belief were true (Thompson 1933; Strens 2000). Unlike
// vi_thompson it plans over states, so that moves may be by chance or unknown.
#include <memory>
#include <utility>

#include "assay/problem/registry.hpp"
#include "assay/solver/simulator.hpp"
#include "methods/planned.hpp"

namespace assay {
namespace {

struct PosteriorSettings {
  // At every step: then an action is done as often as it is believed to be the best one, which is what
  // Thompson sampling is, and nothing has to be known about how long its plans take.
  int period = 1;
  double discount = 0;
};

class PosteriorSampler final : public Policy {
 public:
  PosteriorSampler(std::unique_ptr<Simulator> simulator, int period, double discount)
      : simulator_(std::move(simulator)), period_(period), discount_(discount), plan_(discount) {}

  /// What happens must not depend on earlier episodes, not even through rounding.
  void begin(const World& /*world*/) override {
    plan_ = ClockedPlan(discount_);
    drawn_at_ = kNever;
  }
  int act(const World& world, Rng& rng) override {
    const int step = world.step();
    const bool due = period_ > 0 && step >= drawn_at_ + period_;
    if (drawn_at_ == kNever || due) {
      simulator_->know(world);
      simulator_->draw(rng.split(static_cast<std::uint64_t>(step)));
      plan_.solve(simulator_->environment(), world.remaining());
      drawn_at_ = step;
    }
    return plan_.action(world.state(), world.remaining());
  }
  std::unique_ptr<Policy> clone() const override {
    return std::make_unique<PosteriorSampler>(simulator_->clone(), period_, discount_);
  }

 private:
  std::unique_ptr<Simulator> simulator_;
  int period_;
  double discount_;
  ClockedPlan plan_;
  static constexpr int kNever = -1;
  int drawn_at_ = kNever;  // in this episode
};

class PosteriorSamplingMethod final : public Method {
 public:
  explicit PosteriorSamplingMethod(const PosteriorSettings& settings) : settings_(settings) {}

  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view /*state*/,
                                 const Resources& /*resources*/) const override {
    return std::make_unique<PosteriorSampler>(problem.simulator(), settings_.period,
                                              discount_or_own(settings_.discount, problem));
  }

 private:
  PosteriorSettings settings_;
};

const RegisterMethod<PosteriorSamplingMethod, PosteriorSettings> kRegistered(
    "thompson", "plans for an environment drawn from its belief, and follows the plan until the next draw",
    Schema<PosteriorSettings>({integer("period", &PosteriorSettings::period, 0, 1'000'000'000,
                                       "steps from one draw to the next; 0: one draw an episode"),
                               real("discount", &PosteriorSettings::discount, 0, 1,
                                    "of the plans; 0: the problem's own")}));

}  // namespace
}  // namespace assay
