// pcr_search: at every decision, an anytime search from the present belief. The search uses two bounds on
// the value of a belief: the value of present information only, and the full-information value.
//
// With finitely many environments the bounds are certified (BoundSearch). Otherwise CashedSearch is used: on
// the beliefs themselves where transitions are known, and on expected environments where they are not. With
// `guide=pcr` a network first learns the values of beliefs, as `pcr` does, and the search starts from them.
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

  /// Where environments are neither few nor alike in their transitions, the search needs expected ones.
  std::string refusal(const Problem& problem) const override {
    const Traits& traits = problem.traits();
    if (settings_.guide == SearchGuide::kPcr || traits.finite || traits.known_moves) return "";
    return unmet(Need::kExpectedMoves, traits);
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
    "searches among beliefs at every decision, between their values of present and of full information",
    Schema<PcrSearchSettings>(
        {integer("simulations", &PcrSearchSettings::simulations, 1, 2'000'000'000,
                 "simulations per decision, or environments in which actions are played out; the "
                 "same number gives the same result"),
         integer(
             "ms", &PcrSearchSettings::ms, 0, 3'600'000,
             "if not 0, milliseconds per decision in place of a number; then no run can be repeated exactly"),
         integer("trees", &PcrSearchSettings::trees, 1, 64,
                 "independent trees whose values are averaged; each can have a core of its own"),
         integer("environments", &PcrSearchSettings::environments, 2, 100'000,
                 "environments drawn per decision, for the upper bound; divided among the trees"),
         real("between", &PcrSearchSettings::between, -1, 1,
              "the assumed worth of information as a share of the gap between the bounds; below 0: 0.3 "
              "where moves are known, otherwise 0"),
         real("exploration", &PcrSearchSettings::exploration, 0, 1e6,
              "preference for seldom tried actions, in units of the gap"),
         real("discount", &PcrSearchSettings::discount, 0, 1,
              "discount of the plans; 0: that of the problem"),
         choice("guide", &PcrSearchSettings::guide, {"none", "pcr"},
                "whether the values of beliefs at the edge of the search are learned first, as the method "
                "pcr learns them"),
         choice("playouts", &PcrSearchSettings::playouts, {"unlisted", "never"},
                "where outcomes are too many to list (a map): play every action out in as many environments "
                "as there are simulations, planning anew at every step"),
         integer("guide_epochs", &PcrSearchSettings::epochs, 1, 100'000'000,
                 "gradient steps of the guide's training")}));

}  // namespace
}  // namespace assay
