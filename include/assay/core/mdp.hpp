// A known environment as tables: the MDP of a known hidden part.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "assay/core/model.hpp"

namespace assay {

struct Mdp {
  struct Arc {
    int next;
    double probability;
  };
  int states = 0;
  int actions = 0;
  double discount = 1;
  std::vector<double> reward;            // [state][action]; -infinity where the action is not allowed
  std::vector<std::uint32_t> first_arc;  // [state * actions + 1]
  std::vector<Arc> arcs;                 // of each state and action: each successor once, by number

  /// Ends the row of the state and action whose arcs were added last: several arcs to one successor become
  /// one.
  void end_row();
};

/// Do both environments move alike, up to rounding? What outcomes show besides the next state does not
/// matter.
bool same_transitions(const Mdp& one, const Mdp& other);

namespace detail {
/// reward(x, a) and arcs(x, a, visit(probability, next)) of the actions that the model allows.
template <Model M, class Reward, class Arcs>
Mdp tabulate_with(const M& model, const Reward& reward, const Arcs& arcs) {
  Mdp mdp{.states = model.states(),
          .actions = model.actions(),
          .discount = model.discount(),
          .reward = {},
          .first_arc = {0},
          .arcs = {}};
  for (int x = 0; x < mdp.states; ++x) {
    for (int a = 0; a < mdp.actions; ++a) {
      if (allowed(model, x, a)) {
        mdp.reward.push_back(reward(x, a));
        arcs(x, a, [&](double p, int next) { mdp.arcs.push_back({next, p}); });
      } else {
        mdp.reward.push_back(-std::numeric_limits<double>::infinity());
      }
      mdp.end_row();
    }
  }
  return mdp;
}
}  // namespace detail

template <Model M>
Mdp tabulate(const M& model, const typename M::Hidden& e) {
  return detail::tabulate_with(
      model, [&](int x, int a) { return expected_reward(model, x, a, e); },
      [&](int x, int a, const auto& visit) { for_each_arc(model, x, a, e, visit); });
}

}  // namespace assay
