// What the methods that only plan have in common: an environment is put together at every step, its plan is
// made, and the plan's first move is the agent's.
#pragma once

#include <memory>
#include <vector>

#include "assay/problem/registry.hpp"
#include "assay/solver/place_plan.hpp"

namespace assay {

enum class PlanClock { kStationary, kRemaining };

struct PlannerSettings {
  PlanClock clock = PlanClock::kStationary;
};

inline Schema<PlannerSettings> planner_schema() {
  return Schema<PlannerSettings>({choice("clock", &PlannerSettings::clock, {"stationary", "remaining"},
                                         "plan for the whole horizon at every step, or for what remains")});
}

/// Shared by the copies of a policy.
struct PlannedProblem {
  explicit PlannedProblem(const Problem& problem)
      : prior(problem.knowledge(default_kernel())),
        places(std::make_shared<const Places>(*prior)),
        discount(problem.discount()),
        horizon(problem.horizon()) {}

  std::shared_ptr<const Knowledge> prior;
  std::shared_ptr<const Places> places;
  double discount;
  int horizon;
};

/// Why methods that choose among places cannot be used on a problem.
std::string places_objection(const Problem& problem);

class Planner : public Policy {
 public:
  Planner(std::shared_ptr<const PlannedProblem> problem, PlanClock clock)
      : problem_(std::move(problem)),
        clock_(clock),
        knowledge_(problem_->prior->clone()),
        plan_(problem_->places, problem_->discount),
        rewards_(static_cast<std::size_t>(problem_->places->count())) {}
  Planner(const Planner& other) : Planner(other.problem_, other.clock_) {}

  int act(const World& world, Rng& rng) override;

 protected:
  /// What each place pays in the environment that is planned for.
  virtual void fill_rewards(const World& world, Rng& rng, std::span<double> rewards) = 0;
  [[nodiscard]] const PlannedProblem& problem() const { return *problem_; }
  [[nodiscard]] Knowledge& knowledge() { return *knowledge_; }
  [[nodiscard]] const PlacePlan& plan() const { return plan_; }

 private:
  std::shared_ptr<const PlannedProblem> problem_;
  PlanClock clock_;
  std::unique_ptr<Knowledge> knowledge_;
  PlacePlan plan_;
  std::vector<double> rewards_;  // [place]
};

/// Plans for the mean of what is believed.
class MeanPlanner : public Planner {
 public:
  using Planner::Planner;
  std::unique_ptr<Policy> clone() const override { return std::make_unique<MeanPlanner>(*this); }

 protected:
  void fill_rewards(const World& world, Rng& rng, std::span<double> rewards) override;
};

template <class P>
class PlannerMethod final : public Method {
 public:
  explicit PlannerMethod(const PlannerSettings& settings) : settings_(settings) {}
  std::string objection(const Problem& problem) const override { return places_objection(problem); }
  std::unique_ptr<Policy> policy(const Problem& problem, std::string_view /*state*/,
                                 const Resources& /*resources*/) const override {
    return std::make_unique<P>(std::make_shared<const PlannedProblem>(problem), settings_.clock);
  }

 private:
  PlannerSettings settings_;
};

}  // namespace assay
