// The best plan that ignores what will be seen: what can be collected if nothing more is learned.
//
// A plan states an action for every step and state. Whoever follows it looks at the clock and at the state,
// but never at a reward or an observation, and does not infer the environment from the states passed. For a
// distribution w over environments the value of a plan is sum_e w_e v^plan(x; e), and the best plan is the
// one with the largest value. A plan that chooses at random is no better than the best plan that does not,
// because the value is linear in the probabilities of the actions at any one step and state.
//
// If all environments move alike, the states passed carry no information, values are linear in the rewards,
// and the best plan is the optimal plan of the mean environment (Belief::mean). If they move differently,
// the best plan need not be the optimal plan of any environment or of any mixture, and finding it is NP-hard
// (Steimle, Kaufman and Denton 2021, who call this a multi-model MDP). Then this class bounds its value from
// both sides:
//
//   above  what can be collected by an agent that remembers the states passed: dynamic programming over
//          (h, x, b), where b is what the moves alone reveal of the environment
//   below  the plan that takes the actions of that agent, and the plans of the likeliest environments, each
//          improved at one step and state at a time until no single change raises its value
//
// A branch and bound over plans, step by step, closes the gap unless that takes more work than the limit.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "assay/core/detail/bounds.hpp"
#include "assay/solver/detail/mdp.hpp"
#include "assay/solver/detail/state_table.hpp"
#include "solver/belief_table.hpp"

namespace assay {

struct FixedPlanLimits {
  double work = 5e6;            // additions, for all upper bounds together
  double improving_work = 1e7;  // additions, for all improvements of plans together
  double branch_work = 1e6;     // additions, for the branch and bound of one question
  Stop stop = {};               // when to return the bounds found so far
};

class FixedPlans {
 public:
  /// The states at which one may be about to arrive, each with a weight for every environment.
  using Masses = std::map<int, std::vector<double>>;
  /// A plan: the action at [steps to go][state]; with 0 steps to go it is empty.
  using Actions = std::vector<std::vector<int>>;

  struct Found {
    Bounds value;  // of the value of the best plan; `plan` has the lower bound as its value
    Actions plan;
  };

  /// The environments must agree in their states, actions and discount, and in which actions are allowed.
  FixedPlans(std::vector<Mdp> environments, int steps, FixedPlanLimits limits = {});

  /// The best single plan for all of these states and weights, made before it is known which of them
  /// applies.
  [[nodiscard]] Found best(const Masses& from);
  /// The value of a plan.
  [[nodiscard]] double value(const Actions& plan, const Masses& from) const;

 private:
  using Weights = std::vector<double>;  // [environment]
  struct Choice {
    int action;
    double reward;
    double value;  // an upper bound
    Masses next;
  };
  struct Branching;
  struct Layer;

  [[nodiscard]] std::size_t row(int x, int a) const {
    return static_cast<std::size_t>(x) * static_cast<std::size_t>(environments_[0].actions) +
           static_cast<std::size_t>(a);
  }
  [[nodiscard]] bool allowed(int x, int a) const;
  [[nodiscard]] double reward(int x, int a, const Weights& weights) const;
  void move(int x, int a, const Weights& weights, Masses& into) const;
  [[nodiscard]] double full_information(int h, int x, const Weights& weights) const;
  [[nodiscard]] double upper(int h, int x, const Weights& weights);
  [[nodiscard]] double upper(int h, const Masses& masses);
  [[nodiscard]] std::vector<Choice> choices(int h, int x, const Weights& weights);
  [[nodiscard]] Weights look(int x, int a, const Weights& weights, const std::vector<Weights>& after) const;
  [[nodiscard]] Actions by_upper(const Masses& from);
  void improve(Actions& plan, const Masses& from);
  void branch(int h, const Masses& masses, double collected, double weight, Branching& state);
  void decide(Layer& layer, double most, Branching& state);
  bool spend(double& left, double work);

  std::vector<Mdp> environments_;
  int steps_;
  FixedPlanLimits limits_;
  double scale_ = 0;
  bool searches_ = true;        // is the problem small enough for more than comparing plans?
  std::vector<Actions> plans_;  // the optimal plans of the environments
  std::vector<std::vector<Weights>>
      known_values_;  // [h][state][environment]; only the last unless it searches
  BeliefTable beliefs_;
  StateTable places_;
  std::vector<double> uppers_;  // by the number of the place in places_
};

}  // namespace assay
