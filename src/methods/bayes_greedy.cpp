// bayes_greedy: acts as if every reward and every transition probability were as its belief expects it, and
// plans anew at every step. Never explores on purpose.
#include <memory>
#include <utility>

#include "assay/problem/registry.hpp"
#include "methods/planned.hpp"

namespace assay {
namespace {

struct ExpectedPlanSettings {
  double discount = 0;
};

class ExpectedPlanner final : public Policy {
 public:
  ExpectedPlanner(std::unique_ptr<Knowledge> knowledge, double discount)
      : knowledge_(std::move(knowledge)), discount_(discount), plan_(discount) {}

  /// What happens must not depend on earlier episodes, not even through rounding.
  void begin(const World& /*world*/) override { plan_ = ClockedPlan(discount_); }
  int act(const World& world, Rng& /*rng*/) override {
    knowledge_->know(world);
    plan_.solve(knowledge_->expected(), world.remaining());
    return plan_.action(world.state(), world.remaining());
  }
  std::unique_ptr<Policy> clone() const override {
    return std::make_unique<ExpectedPlanner>(knowledge_->clone(), discount_);
  }

 private:
  std::unique_ptr<Knowledge> knowledge_;
  double discount_;
  ClockedPlan plan_;
};

class ExpectedPlanMethod final : public Method {
 public:
  explicit ExpectedPlanMethod(const ExpectedPlanSettings& settings) : settings_(settings) {}

  std::string objection(const Problem& problem) const override { return expectation_objection(problem); }
  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view /*state*/,
                                 const Resources& /*resources*/) const override {
    return std::make_unique<ExpectedPlanner>(problem.knowledge(default_kernel()),
                                             discount_or_own(settings_.discount, problem));
  }

 private:
  ExpectedPlanSettings settings_;
};

const RegisterMethod<ExpectedPlanMethod, ExpectedPlanSettings> kRegistered(
    "bayes_greedy", "plans at every step for the environment that its belief expects",
    Schema<ExpectedPlanSettings>({real("discount", &ExpectedPlanSettings::discount, 0, 1,
                                       "of the plans; 0: the problem's own")}));

}  // namespace
}  // namespace assay
