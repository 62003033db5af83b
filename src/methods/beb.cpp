// beb: the Bayesian exploration bonus of Kolter and Ng (2009). It plans at every step for the environment
// that its belief expects, where an action that was done n times in its state pays beta / (1 + n) more.
//
// In their paper n also counts the weight of the prior. Beliefs in general have no such number, so that n
// counts only the visits of the episode here. Where an action teaches nothing, the bonus fades in the same
// way.
#include "assay/problem/registry.hpp"
#include "methods/planner.hpp"

namespace assay {
namespace {

struct BonusSettings {
  double beta = 1;
  double discount = 0;
};

class BonusEnvironment final : public PlannedFor {
 public:
  explicit BonusEnvironment(double beta) : beta_(beta) {}

  void begin() override { done_.clear(); }
  std::optional<Mdp> environment(const Situation& situation, Rng& /*rng*/) override {
    Mdp environment = situation.belief().expected();
    done_.resize(environment.reward.size());
    for (std::size_t pair = 0; pair < done_.size(); ++pair) {
      environment.reward[pair] += beta_ / (1 + done_[pair]);
    }
    return environment;
  }
  void took(const Situation& situation, int action) override {
    done_[static_cast<std::size_t>(situation.state()) * static_cast<std::size_t>(situation.actions()) +
          static_cast<std::size_t>(action)] += 1;
  }
  std::unique_ptr<PlannedFor> clone() const override { return std::make_unique<BonusEnvironment>(beta_); }

 private:
  double beta_;
  std::vector<double> done_;  // [state][action], how often
};

class BonusMethod final : public Method {
 public:
  explicit BonusMethod(const BonusSettings& settings) : settings_(settings) {}

  std::vector<Need> needs() const override { return {Need::kStillHidden, Need::kExpectedMoves}; }
  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view /*state*/,
                                 const Resources& /*resources*/) const override {
    const double discount = discount_or_own(settings_.discount, problem);
    return std::make_unique<Planner>(std::make_unique<BonusEnvironment>(settings_.beta),
                                     ClockedPlan(problem, PlanClock::kAffordable, discount));
  }

 private:
  BonusSettings settings_;
};

const RegisterMethod<BonusMethod, BonusSettings> kRegistered(
    "beb",
    "plans for the environment that its belief expects, with a bonus for actions that were seldom done",
    Schema<BonusSettings>(
        {real("beta", &BonusSettings::beta, 0, 1e6, "bonus of an action that was never done"),
         real("discount", &BonusSettings::discount, 0, 1, "discount of the plans; 0: that of the problem")}));

}  // namespace
}  // namespace assay
