// One environment as a table, its optimal plan, and the value of a plan in another environment.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "assay/core/family.hpp"

namespace assay {

class World;

/// The MDP that is left when the environment is known.
struct TabularMdp {
  struct Arc {
    int next;
    double probability;
  };
  int states = 0;
  int actions = 0;
  double discount = 1;
  std::vector<double> reward;            // [state][action]; -infinity where the action is not allowed
  std::vector<std::uint32_t> first_arc;  // [state * actions + 1]
  std::vector<Arc> arcs;
};

/// The hidden environment of a world: for ceilings, out of an agent's reach.
TabularMdp true_environment(World& world);

/// What to do and what it is worth with `h` steps to go, for every h up to the horizon.
struct Plan {
  std::vector<std::vector<int>> action;    // [h][state]; h = 0 is empty
  std::vector<std::vector<double>> value;  // [h][state]; h = 0 is all zero
};

/// The tie rule of every solver here: of the actions that only rounding tells apart from the best, the one
/// with the lowest number. Rounding is 1e-10 of `scale`, the size of what was added up. Cross-values depend
/// on ties, so the rule must not depend on the last bit.
int lowest_best(std::span<const double> action_values, double scale);

/// The largest reward or value that an action's value is made of.
double value_scale(const TabularMdp& mdp, const std::vector<double>& next_value);

/// Backward induction (appendix A of the paper, first and third line).
Plan optimal_plan(const TabularMdp& mdp, int horizon);
/// The same if what comes after the last step is worth `after`, by state.
Plan optimal_plan(const TabularMdp& mdp, int horizon, std::vector<double> after);

/// The value of following `plan` in `mdp` with h = 0 .. `horizon` steps to go, as [h][state]: with the plan
/// of another environment, the cross-value v^{e'}(x;e) (appendix A, second line).
std::vector<std::vector<double>> plan_value(const TabularMdp& mdp, const Plan& plan, int horizon);

/// R(x,a) + gamma E[next_value]: the right-hand side of every equation here.
double action_value(const TabularMdp& mdp, int state, int action, const std::vector<double>& next_value);

namespace detail {
/// reward(x, a) and arcs(x, a, visit(probability, next)) of the actions that the family allows.
template <Family F, class Reward, class Arcs>
TabularMdp tabulate_with(const F& family, const Reward& reward, const Arcs& arcs) {
  TabularMdp mdp{.states = family.states(),
                 .actions = family.actions(),
                 .discount = family.discount(),
                 .reward = {},
                 .first_arc = {0},
                 .arcs = {}};
  for (int x = 0; x < mdp.states; ++x) {
    for (int a = 0; a < mdp.actions; ++a) {
      if (allowed(family, x, a)) {
        mdp.reward.push_back(reward(x, a));
        arcs(x, a, [&](double p, int next) { mdp.arcs.push_back({next, p}); });
      } else {
        mdp.reward.push_back(-std::numeric_limits<double>::infinity());
      }
      mdp.first_arc.push_back(static_cast<std::uint32_t>(mdp.arcs.size()));
    }
  }
  return mdp;
}
}  // namespace detail

template <Family F>
TabularMdp tabulate(const F& family, const typename F::Environment& e) {
  return detail::tabulate_with(
      family, [&](int x, int a) { return expected_reward(family, x, a, e); },
      [&](int x, int a, const auto& visit) { for_each_arc(family, x, a, e, visit); });
}

}  // namespace assay
