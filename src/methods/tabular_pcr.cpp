// tabular_pcr: predictive reward cashing with tables, for finitely many environments (the paper's T-maze).
// tabular_td: belief-augmented q-learning with the same table and schedule, its baseline.
#include "assay/problem/registry.hpp"
#include "methods/tabular.hpp"

namespace assay {
namespace {

using T = TabularSettings;

class TabularMethod : public Method {
 public:
  explicit TabularMethod(const TabularSettings& settings) : settings_(settings) {}

  std::vector<Need> needs() const override {
    if (settings_.form != PlaceForm::kState) return {Need::kStillHidden};
    return {Need::kStillHidden, Need::kKnownMoves, Need::kOneCollection, Need::kCertainMoves};
  }
  std::unique_ptr<Learner> learner(const Problem& problem, Rng rng,
                                   const Resources& /*resources*/) const override {
    return std::make_unique<TabularLearner>(std::make_shared<const TabularModel>(problem, settings_), problem,
                                            rng);
  }
  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view state,
                                 const Resources& /*resources*/) const override {
    const auto model = std::make_shared<const TabularModel>(problem, settings_);
    return std::make_unique<TabularPolicy>(model,
                                           std::make_shared<const TabularValues>(model->decode(state)));
  }

 private:
  TabularSettings settings_;
};

class TabularTdMethod final : public TabularMethod {
 public:
  explicit TabularTdMethod(TabularSettings settings) : TabularMethod(without_cross(settings)) {}

 private:
  static TabularSettings without_cross(TabularSettings settings) {
    settings.cross = CrossSource::kNone;
    return settings;
  }
};

std::vector<Parameter<T>> common_parameters() {
  return {
      choice("form", &T::form, {"auto", "state", "action"},
             "what values belong to: the states that one goes to, where moves are known and certain and "
             "arriving "
             "or acting pays (the paper's form), or the actions of states, on any problem; auto is the first "
             "where it can be"),
      choice("clock", &T::clock, {"stationary", "remaining", "auto"},
             "one value for all times, or one for each number of steps that remain; auto is the first where "
             "values belong to states and the second where they belong to actions"),
      integer("epochs", &T::epochs, 1, 100'000'000, "epochs of training"),
      integer("episodes", &T::episodes, 1, 1'000'000, "episodes in an epoch"),
      real("epsilon", &T::epsilon, 0, 1, "share of random moves in training"),
      real("sticky", &T::sticky, 1, 1000, "mean number of times that a random move is repeated"),
      real("rate", &T::rate, 0, 1, "learning rate of the first epoch"),
      real("decay", &T::decay, 0, 1000, "epoch n learns with rate / (1 + decay n)"),
      integer("greedy_episodes", &T::greedy_episodes, 0, 1'000'000,
              "episodes of the greedy policy after each epoch, for the learning curve; shared among the "
              "environments by the prior if there are as many"),
  };
}

Schema<T> with(std::vector<Parameter<T>> parameters) {
  parameters.insert(parameters.begin(),
                    preset("preset", &T::preset, {"best", "paper"}, {T{}, paper_tabular_settings()},
                           "what all other parameters start from: our best, or the paper's description"));
  for (Parameter<T>& common : common_parameters()) parameters.push_back(std::move(common));
  return Schema<T>(std::move(parameters));
}

const RegisterMethod<TabularMethod, T> kRegistered(
    "tabular_pcr", "predictive reward cashing with tables, for finitely many environments",
    with({choice(
              "cross", &T::cross, {"iteration", "known", "horizon", "policy", "counts"},
              "cross-values by value iteration, by TD with the true environment known, by TD with belief "
              "horizon "
              "sampling, by TD along episodes that follow one drawn plan after the other (the paper's rule), "
              "or by "
              "value iteration in environments that were counted from experience; where environments are too "
              "many for tables, by value iteration in drawn environments"),
          choice("world", &T::world, {"horizon", "known"},
                 "for cross=policy and cross=counts: the environment of an episode is drawn from its last "
                 "belief, "
                 "or known"),
          integer("solve_every", &T::solve_every, 1, 1'000'000,
                  "for cross=counts: episodes between two solutions of the counted environments"),
          choice(
              "start", &T::future_start, {"bound", "zero"},
              "what the value of future information starts from: its bound, which no value exceeds, or zero"),
          integer("first_epoch", &T::first_epoch, 0, 100'000'000,
                  "epoch from which on the value of future information is learned")}));

const RegisterMethod<TabularTdMethod, T> kRegisteredTd(
    "tabular_td", "belief-augmented q-learning with tables, for finitely many environments",
    with({choice("start", &T::start, {"zero", "current"},
                 "what the table begins with: zero, or the value of current information")}));

}  // namespace
}  // namespace assay
