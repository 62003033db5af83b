// beb: the Bayesian exploration bonus of Kolter and Ng (2009). Plans at every step for the environment that
// its belief expects, where an action pays beta / (1 + n) more that was done n times at its state.
//
// In the paper n also counts what the prior is worth; beliefs in general do not say, so that here it counts
// the episode's own visits. Where an action teaches nothing the bonus fades like everywhere else.
#include <memory>
#include <utility>
#include <vector>

#include "assay/problem/registry.hpp"
#include "methods/planned.hpp"

namespace assay {
namespace {

struct BonusSettings {
  double beta = 1;
  double discount = 0;
};

class BonusPlanner final : public Policy {
 public:
  BonusPlanner(std::unique_ptr<Knowledge> knowledge, double beta, double discount)
      : knowledge_(std::move(knowledge)), beta_(beta), discount_(discount), plan_(discount) {}

  void begin(const World& world) override {
    done_.assign(static_cast<std::size_t>(world.states()) * static_cast<std::size_t>(world.actions()), 0.0);
    plan_ = ClockedPlan(discount_);
  }
  int act(const World& world, Rng& /*rng*/) override {
    knowledge_->know(world);
    if (done_.empty()) begin(world);
    TabularMdp environment = knowledge_->expected();
    for (std::size_t pair = 0; pair < done_.size(); ++pair) {
      environment.reward[pair] += beta_ / (1 + done_[pair]);
    }
    plan_.solve(std::move(environment), world.remaining());
    const int action = plan_.action(world.state(), world.remaining());
    done_[static_cast<std::size_t>(world.state()) * static_cast<std::size_t>(world.actions()) +
          static_cast<std::size_t>(action)] += 1;
    return action;
  }
  std::unique_ptr<Policy> clone() const override {
    return std::make_unique<BonusPlanner>(knowledge_->clone(), beta_, discount_);
  }

 private:
  std::unique_ptr<Knowledge> knowledge_;
  double beta_, discount_;
  ClockedPlan plan_;
  std::vector<double> done_;  // [state][action], times
};

class BonusMethod final : public Method {
 public:
  explicit BonusMethod(const BonusSettings& settings) : settings_(settings) {}

  std::string objection(const Problem& problem) const override { return expectation_objection(problem); }
  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view /*state*/,
                                 const Resources& /*resources*/) const override {
    return std::make_unique<BonusPlanner>(problem.knowledge(default_kernel()), settings_.beta,
                                          discount_or_own(settings_.discount, problem));
  }

 private:
  BonusSettings settings_;
};

const RegisterMethod<BonusMethod, BonusSettings> kRegistered(
    "beb", "plans for the environment that its belief expects, with a bonus for what was seldom done",
    Schema<BonusSettings>(
        {real("beta", &BonusSettings::beta, 0, 1e6, "what an action pays more that was never done"),
         real("discount", &BonusSettings::discount, 0, 1, "of the plans; 0: the problem's own")}));

}  // namespace
}  // namespace assay
