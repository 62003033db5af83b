// td, vi_td: the paper's deep baselines. A fully connected network learns the whole value from plain rewards,
// as an addition to the expected reward of a place, or to the value of the plan for the mean environment.
#include "assay/problem/registry.hpp"
#include "methods/planner.hpp"
#include "methods/value_learner.hpp"

namespace assay {
namespace {

struct TdSettings {
  int epochs = 2000;
  int batch = 10;
  double epsilon = 0.1;
  double rate = 0.01;
  GradientKind gradient = GradientKind::kResidual;
};

template <StartValue kStart>
class TdMethod final : public Method {
 public:
  explicit TdMethod(const TdSettings& td) : settings_(paper_settings()) {
    settings_.start = kStart;
    settings_.current = CurrentValue::kMean;
    settings_.samples = 1;  // the mean environment alone
    settings_.bound = false;
    settings_.lambda = CashedForm::kExact;
    settings_.network = NetworkKind::kDense;
    settings_.epochs = td.epochs;
    settings_.batch = td.batch;
    settings_.epsilon = settings_.final_epsilon = td.epsilon;
    settings_.rate = settings_.final_rate = td.rate;
    settings_.gradient = td.gradient;
  }

  std::string objection(const Problem& problem) const override { return places_objection(problem); }
  std::unique_ptr<Learner> learner(const Problem& problem, Rng rng, int threads) const override {
    const auto model = std::make_shared<const ValueModel>(problem, settings_);
    return std::make_unique<ValueLearner>(model, problem, rng, threads);
  }
  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view state,
                                 int /*threads*/) const override {
    return std::make_unique<ValuePolicy>(std::make_shared<const ValueModel>(problem, settings_), state);
  }

 private:
  ValueSettings settings_;
};

Schema<TdSettings> td_schema() {
  return Schema<TdSettings>({
      integer("epochs", &TdSettings::epochs, 1, 100'000'000, "gradient steps"),
      integer("batch", &TdSettings::batch, 1, 100'000, "episodes in an epoch"),
      real("epsilon", &TdSettings::epsilon, 0, 1, "share of random moves in training"),
      real("rate", &TdSettings::rate, 0, 100, "Adam's step size"),
      choice("gradient", &TdSettings::gradient, {"semi", "residual"},
             "of the learned value alone, or of the one that it learns from too"),
  });
}

const RegisterMethod<TdMethod<StartValue::kReward>, TdSettings> kRegistered(
    "td", "belief-augmented TD with a network added to the expected reward: the paper's main baseline",
    td_schema());
const RegisterMethod<TdMethod<StartValue::kCurrent>, TdSettings> kRegisteredWithPlan(
    "vi_td", "belief-augmented TD with a network added to the value of the mean environment's plan",
    td_schema());

}  // namespace
}  // namespace assay
