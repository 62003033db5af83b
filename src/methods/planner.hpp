// What the methods that plan at every step have in common: an environment is put together from the belief,
// its optimal plan is made, and the plan's first action is the agent's.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "assay/core/parameters.hpp"
#include "assay/core/policy.hpp"
#include "assay/problem/problem.hpp"
#include "assay/solver/detail/mdp.hpp"
#include "solver/stationary.hpp"

namespace assay {

/// For how many steps a plan is made.
enum class PlanClock {
  kStationary,  // for the whole horizon at every step; where moves are by chance, or something is collected
                // both on arriving and by acting, for the steps that remain
  kRemaining,   // for the steps that remain
  kAffordable,  // for the steps that remain, or without an end where steps and states are many
};

/// The optimal plan of one environment.
class ClockedPlan {
 public:
  ClockedPlan(const Problem& problem, PlanClock clock, double discount);

  /// Forgets the last environment: what happens must not depend on earlier episodes, not even through
  /// rounding.
  void forget() { endless_ = {}; }
  void solve(Mdp environment, const Situation& situation);
  [[nodiscard]] int action(const Situation& situation) const;
  /// What an action is worth to the plan, without what arriving at the present state pays.
  [[nodiscard]] double value_after(const Situation& situation, int action) const;

 private:
  [[nodiscard]] std::size_t steps(const Situation& situation) const;

  PlanClock clock_;
  double discount_;
  bool arriving_;      // something is collected on arriving
  std::size_t whole_;  // steps of a plan for the whole horizon
  bool ends_ = true;
  Mdp environment_;
  Plan plan_;
  StationaryPlan endless_;  // its values are where the next solution starts
};

/// What 0 stands for is the problem's own.
inline double discount_or_own(double discount, const Problem& problem) {
  return discount > 0 ? discount : problem.planning_discount();
}

/// What a policy plans for.
class PlannedFor {
 public:
  virtual ~PlannedFor() = default;
  virtual void begin() {}
  /// The environment to plan for in this situation; nothing to follow the last plan further.
  virtual std::optional<Mdp> environment(const Situation& situation, Rng& rng) = 0;
  /// Is told what the plan does.
  virtual void took(const Situation& /*situation*/, int /*action*/) {}
  [[nodiscard]] virtual std::unique_ptr<PlannedFor> clone() const = 0;
};

/// Plans anew whenever there is an environment to plan for.
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

/// How an environment is drawn: all at once in single precision, as learners draw it, or each part in double
/// precision when it is needed.
enum class DrawForm { kParts, kLanes };
/// One that is drawn from the belief, every `period` steps; 0 for once in an episode.
std::unique_ptr<PlannedFor> drawn_environment(DrawForm form, int period);

/// The parameter `clock` of methods that plan.
template <class Settings>
Parameter<Settings> clock_parameter(PlanClock Settings::*member) {
  return choice("clock", member, {"stationary", "remaining", "affordable"},
                "plan for the whole horizon at every step, for the steps that remain, or for the steps that "
                "remain as long as that takes little time and without an end otherwise");
}
/// And of the paper's.
template <class Settings>
Parameter<Settings> paper_clock_parameter(PlanClock Settings::*member) {
  return choice("clock", member, {"stationary", "remaining"},
                "plan for the whole horizon at every step, or for what remains");
}

}  // namespace assay
