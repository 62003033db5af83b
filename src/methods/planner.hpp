// What the methods that plan at every step have in common: they build an environment from the belief, find
// its optimal plan, and take the plan's first action.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "assay/core/policy.hpp"
#include "assay/problem/problem.hpp"
#include "assay/problem/registry.hpp"
#include "assay/solver/detail/mdp.hpp"
#include "solver/stationary.hpp"

namespace assay {

/// The number of steps for which a plan is made.
enum class PlanClock {
  /// For the whole horizon at every step. Where moves are uncertain, or something is collected both on
  /// arriving and by acting, for the steps that remain.
  kStationary,
  kRemaining,   // for the steps that remain
  kAffordable,  // for the steps that remain, or without an end where steps and states are many
};

/// The optimal plan of one environment.
class ClockedPlan {
 public:
  ClockedPlan(const Problem& problem, PlanClock clock, double discount);

  /// Forgets the last environment: the results must not depend on earlier episodes, not even through
  /// rounding.
  void forget() { endless_ = {}; }
  void solve(Mdp environment, const Situation& situation);
  [[nodiscard]] int action(const Situation& situation) const;
  /// The value of an action in the plan, without what arriving at the present state pays.
  [[nodiscard]] double value_after(const Situation& situation, int action) const;

 private:
  [[nodiscard]] std::size_t steps(const Situation& situation) const;

  PlanClock clock_;
  double discount_;
  bool arriving_;       // is something collected on arriving?
  std::size_t whole_;   // steps of a plan for the whole horizon
  bool stays_ = false;  // is the problem endless, so that one plan serves at every step?
  bool ends_ = true;
  Mdp environment_;
  Plan plan_;
  StationaryPlan endless_;  // its values are the start of the next solution
};

/// A value of 0 stands for the problem's own.
inline double discount_or_own(double discount, const Problem& problem) {
  return discount > 0 ? discount : problem.planning_discount();
}

/// The environment that a policy plans for.
class PlannedFor {
 public:
  virtual ~PlannedFor() = default;
  virtual void begin() {}
  /// The environment to plan for in this situation; none to continue with the last plan.
  virtual std::optional<Mdp> environment(const Situation& situation, Rng& rng) = 0;
  /// Is called with the plan's choice.
  virtual void took(const Situation& /*situation*/, int /*action*/) {}
  [[nodiscard]] virtual std::unique_ptr<PlannedFor> clone() const = 0;
};

/// Makes a new plan whenever there is an environment to plan for.
class Planner : public Policy {
 public:
  Planner(std::unique_ptr<PlannedFor> source, const ClockedPlan& plan)
      : source_(std::move(source)), plan_(plan) {}
  Planner(const Planner& other) : source_(other.source_->clone()), plan_(other.plan_) {}

  void begin(const Situation& situation) override;
  int act(const Situation& situation, Rng& rng) override;
  std::unique_ptr<Policy> clone() const override { return std::make_unique<Planner>(*this); }

 protected:
  [[nodiscard]] const ClockedPlan& plan() const { return plan_; }

 private:
  std::unique_ptr<PlannedFor> source_;
  ClockedPlan plan_;
};

/// The environment that the belief expects.
std::unique_ptr<PlannedFor> expected_environment();

/// How an environment is drawn: as a whole in single precision, as learners draw it, or in double precision
/// and each part when it is needed.
enum class DrawForm { kParts, kLanes };
/// An environment that is drawn from the belief every `period` steps; 0 stands for once in an episode.
std::unique_ptr<PlannedFor> drawn_environment(DrawForm form, int period);

/// The parameter `clock` of methods that plan.
template <class Settings>
Parameter<Settings> clock_parameter(PlanClock Settings::*member) {
  return choice("clock", member, {"stationary", "remaining", "affordable"},
                "plan for the whole horizon at every step, for the steps that remain, or for the steps that "
                "remain if that takes little time and otherwise without an end");
}
/// The same parameter for the methods of the paper.
template <class Settings>
Parameter<Settings> paper_clock_parameter(PlanClock Settings::*member) {
  return choice("clock", member, {"stationary", "remaining"},
                "plan for the whole horizon at every step, or for the steps that remain");
}

}  // namespace assay
