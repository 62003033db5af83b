// The best plan that ignores what will be seen: what one can collect if one stops learning now.
//
// A plan says what to do by step and state. Whoever follows it looks at the clock and at the state, never at
// a reward or an observation, and does not conclude from the states passed which environment it is. For a
// distribution w over environments its value is sum_e w_e v^plan(x; e), and the best plan is the one with the
// largest value. A plan that draws lots is no better than the best that does not: the value is linear in what
// is done at any one step and state.
//
// If all environments move alike, the states passed say nothing, values are linear in the rewards, and the
// best plan is the optimal plan of the mean environment (Belief::mean). If they move differently, the best
// plan is in general the optimal plan of no environment and of no mixture, and finding it is NP-hard
// (Steimle, Kaufman and Denton 2021, who call this a multi-model MDP). Then this class bounds it from both
// sides:
//
//   above  what can be collected if the states passed are remembered, too: dynamic programming over
//          (h, x, b), where b is what the moves alone tell about the environment
//   below  a plan that does what that would do, and the plans of the likeliest environments, each improved
//          one step and state at a time until no single change helps
//
// and a branch and bound over plans, step by step, closes the gap unless that takes more than the limit.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "assay/core/bounds.hpp"
#include "assay/solver/detail/mdp.hpp"
#include "assay/solver/detail/state_table.hpp"
#include "solver/belief_table.hpp"

namespace assay {

struct FixedPlanLimits {
  double work = 5e6;            // additions, for the bounds from above of all questions together
  double improving_work = 1e7;  // additions, for the improvement of plans, all questions together
  double branch_work = 1e6;     // additions, for the branch and bound of one question
  Stop stop = {};               // when to do with the bounds that there are
};

class FixedPlans {
 public:
  /// The states that one may be about to arrive at, each with a weight for every environment.
  using Masses = std::map<int, std::vector<double>>;
  /// What to do, as [steps to go][state]; 0 steps to go is empty.
  using Actions = std::vector<std::vector<int>>;

  struct Found {
    Bounds value;  // of the best plan; the lower bound is the value of `plan`
    Actions plan;
  };

  /// The environments agree in their states, actions, discount and in which actions are allowed.
  FixedPlans(std::vector<Mdp> environments, int steps, FixedPlanLimits limits = {});

  /// One plan for all of the masses, made before one knows which of them it will be.
  [[nodiscard]] Found best(const Masses& from);
  /// What a plan collects.
  [[nodiscard]] double value(const Actions& plan, const Masses& from) const;

 private:
  using Weights = std::vector<double>;  // [environment]
  struct Choice {
    int action;
    double reward;
    double value;  // at most
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
  [[nodiscard]] double told(int h, int x, const Weights& weights) const;
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
  bool searches_ = true;                    // is it small enough to do more than compare plans?
  std::vector<Actions> plans_;              // of the environments
  std::vector<std::vector<Weights>> told_;  // [h][state][environment]; only the last unless it searches
  BeliefTable beliefs_;
  StateTable places_;
  std::vector<double> uppers_;  // by their number in places_
};

}  // namespace assay
