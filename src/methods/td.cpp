// td, vi_td: the paper's deep baselines. A fully connected network learns the whole value from plain
// rewards, as an addition to the expected reward of a place, or to the value of the plan for the mean
// environment.
#include "assay/problem/registry.hpp"
#include "methods/value_learner.hpp"

namespace assay {
namespace {

struct TdSettings {
  int epochs = 2000;
  int batch = 10;
  // These values come from the grid in experiments/learners.md, because the paper prints none.
  double epsilon = 0.2;
  double sticky = 1;
  double rate = 0.03;
  GradientKind gradient = GradientKind::kResidual;
};

template <StartValue kStart>
class TdMethod final : public ValueMethod {
 public:
  explicit TdMethod(const TdSettings& td) : ValueMethod(without_cashing(td)) {}

 private:
  static ValueSettings without_cashing(const TdSettings& td) {
    ValueSettings settings = paper_settings();
    settings.start = kStart;
    settings.current = CurrentValue::kMean;
    settings.samples = 1;  // only the mean environment
    settings.bound = false;
    settings.lambda = CashedForm::kExact;
    settings.network = NetworkKind::kAuto;
    settings.state_network = NetworkKind::kDense;
    settings.clock = ClockUse::kAuto;
    settings.inputs = InputForm::kAuto;
    settings.epochs = td.epochs;
    settings.batch = td.batch;
    settings.epsilon = settings.final_epsilon = td.epsilon;
    settings.sticky = td.sticky;
    settings.rate = settings.final_rate = td.rate;
    settings.gradient = td.gradient;
    return settings;
  }
};

Schema<TdSettings> td_schema() {
  return Schema<TdSettings>({
      integer("epochs", &TdSettings::epochs, 1, 100'000'000, "gradient steps"),
      integer("batch", &TdSettings::batch, 1, 100'000, "episodes in an epoch"),
      real("epsilon", &TdSettings::epsilon, 0, 1, "share of random moves in training"),
      real("sticky", &TdSettings::sticky, 1, 1000, "mean number of times that a random move is repeated"),
      real("rate", &TdSettings::rate, 0, 100, "Adam's step size"),
      choice("gradient", &TdSettings::gradient, {"semi", "residual"},
             "gradient of the learned value alone, or also of the value that it is learned from"),
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
