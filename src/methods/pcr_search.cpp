// pcr_search: searches from the present belief, at every decision.
#include <algorithm>

#include "assay/cashing/cashed_search.hpp"
#include "assay/cashing/conjugate_model.hpp"
#include "assay/cashing/plan_model.hpp"
#include "assay/problem/registry.hpp"

namespace assay {
namespace {

struct PcrSearchSettings {
  int simulations = 1000;
  int environments = 256;
  int plans = 16;
  double between = 0.5;
  double exploration = 1;
  int expand = 1;
};

class PcrSearchPolicy final : public Policy {
 public:
  PcrSearchPolicy(const Problem& problem, const PcrSearchSettings& settings)
      : problem_(problem), settings_(settings) {
    const std::unique_ptr<Knowledge> prior = problem.knowledge(default_kernel());
    if (prior->known_transitions()) {
      ConjugateSettings s;
      s.environments = static_cast<std::size_t>(settings.environments);
      s.discount = problem.planning_discount();
      model_ = std::make_unique<ConjugateModel>(*problem.simulator(), *prior, s);
    } else {
      PoolSettings s;
      s.environments = static_cast<std::size_t>(settings.environments);
      s.plans = static_cast<std::size_t>(settings.plans);
      s.discount = problem.planning_discount();
      model_ = std::make_unique<PlanModel>(problem.simulator(), prior->clone(), s, problem.horizon());
    }
    search_ = std::make_unique<CashedSearch>(
        *model_, CashedSearchSettings{.between = settings.between, .exploration = settings.exploration});
  }

  int act(const World& world, Rng& rng) override {
    search_->begin(world, Rng(rng.next64()));
    for (int i = 0; i < settings_.simulations && !search_->certain(); ++i) search_->walk();
    const std::vector<SearchedAction> actions = search_->root_actions();
    return std::ranges::max_element(actions, {}, &SearchedAction::value)->action;
  }
  std::unique_ptr<Policy> clone() const override {
    return std::make_unique<PcrSearchPolicy>(problem_, settings_);
  }

 private:
  const Problem& problem_;
  PcrSearchSettings settings_;
  std::unique_ptr<BeliefModel> model_;
  std::unique_ptr<CashedSearch> search_;
};

class PcrSearchMethod final : public Method {
 public:
  explicit PcrSearchMethod(const PcrSearchSettings& settings) : settings_(settings) {}
  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view /*state*/,
                                 int /*threads*/) const override {
    return std::make_unique<PcrSearchPolicy>(problem, settings_);
  }

 private:
  PcrSearchSettings settings_;
};

const RegisterMethod<PcrSearchMethod, PcrSearchSettings> kRegistered(
    "pcr_search", "searches from the present belief",
    Schema<PcrSearchSettings>(
        {integer("simulations", &PcrSearchSettings::simulations, 1, 2'000'000'000, "per decision"),
         integer("environments", &PcrSearchSettings::environments, 1, 1'000'000, "drawn"),
         integer("plans", &PcrSearchSettings::plans, 1, 10'000, "plans"),
         real("between", &PcrSearchSettings::between, 0, 1, "where the value lies between its bounds"),
         real("exploration", &PcrSearchSettings::exploration, 0, 1e9, "in gaps"),
         integer("expand", &PcrSearchSettings::expand, 1, 1000000, "visits before a node is expanded")}));

}  // namespace
}  // namespace assay
