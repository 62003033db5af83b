// pcr_search: at every decision, an anytime search from the present belief, between two bounds on the value
// of a belief: with present information only, and with full information.
//
// Finitely many environments: certified bounds (BoundSearch). Otherwise CashedSearch, on the beliefs
// themselves where transitions are known, and on expected environments where they are not. With `guide=pcr` a
// network learns the values of beliefs first, as `pcr` does, and the search starts from them.
#include "methods/pcr_search.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "assay/problem/registry.hpp"
#include "cashing/conjugate_model.hpp"
#include "methods/value_learner.hpp"

namespace assay {
namespace {

class PcrSearchMethod final : public Method {
 public:
  explicit PcrSearchMethod(const PcrSearchSettings& settings) : settings_(settings) {}

  std::vector<Need> needs() const override {
    return settings_.guide == SearchGuide::kPcr ? guided().needs() : std::vector{Need::kStillHidden};
  }

  double cost(const Problem& problem) const override {
    if (settings_.ms > 0) return settings_.ms / 1000.0;
    return std::max(Method::cost(problem), kSecondsPerSimulation * settings_.simulations);
  }

  std::unique_ptr<Learner> learner(const Problem& problem, Rng rng,
                                   const Resources& resources) const override {
    return settings_.guide == SearchGuide::kPcr ? guided().learner(problem, rng, resources) : nullptr;
  }

  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view state,
                                 const Resources& resources) const override {
    const bool guide = settings_.guide == SearchGuide::kPcr;
    if (!guide && problem.traits().finite) {
      return certified_search_policy(problem.finite_model(), settings_);
    }
    auto searched = std::make_shared<SearchedProblem>();
    searched->prior = problem.prior();
    searched->known_moves = problem.traits().known_moves;
    searched->horizon = problem.horizon();
    searched->discount = settings_.discount > 0 ? settings_.discount : problem.planning_discount();
    if (guide) searched->learned = learned_value(problem, guide_settings(), state);
    searched->plays_out = settings_.playouts == SearchPlayouts::kUnlisted && searched->known_moves &&
                          !problem.traits().listable;
    return cashed_search_policy(std::move(searched), settings_, resources);
  }

 private:
  [[nodiscard]] ValueSettings guide_settings() const {
    ValueSettings settings;
    settings.epochs = settings_.epochs;
    return settings;
  }
  [[nodiscard]] ValueMethod guided() const { return ValueMethod(guide_settings()); }

  PcrSearchSettings settings_;
};

const RegisterMethod<PcrSearchMethod, PcrSearchSettings> kRegistered(
    "pcr_search",
    "searches among beliefs at every decision, between their values with present and with full information",
    Schema<PcrSearchSettings>(
        {integer("simulations", &PcrSearchSettings::simulations, 1, 2'000'000'000,
                 "simulations at a decision, or environments that actions are played out in; the "
                 "same number gives the same result"),
         integer("ms", &PcrSearchSettings::ms, 0, 3'600'000,
                 "milliseconds for a decision, in place of a number; not reproducible. 0: by number"),
         integer("trees", &PcrSearchSettings::trees, 1, 64,
                 "independent trees whose values are averaged; each can have a core of its own"),
         integer("environments", &PcrSearchSettings::environments, 2, 100'000,
                 "drawn at a decision, for the upper bound; shared out among the trees"),
         real("between", &PcrSearchSettings::between, -1, 1,
              "the share of the gap between the bounds that finding out is taken to be worth; below 0: 0.3 "
              "where moves are known, else none"),
         real("exploration", &PcrSearchSettings::exploration, 0, 1e6,
              "how much seldom tried actions are favoured, in gaps"),
         real("discount", &PcrSearchSettings::discount, 0, 1, "to plan with; 0: the problem's own"),
         choice("guide", &PcrSearchSettings::guide, {"none", "pcr"},
                "learn first, as the method pcr does, what beliefs are worth that were not looked into"),
         choice(
             "playouts", &PcrSearchSettings::playouts, {"unlisted", "never"},
             "where what can be seen has too many ways to turn out to be listed (a map): play every action "
             "out in as many environments as there are simulations, planning anew at every step"),
         integer("guide_epochs", &PcrSearchSettings::epochs, 1, 100'000'000,
                 "gradient steps of the guide's training")}));

}  // namespace
}  // namespace assay
