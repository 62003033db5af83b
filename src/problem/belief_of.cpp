#include "assay/problem/detail/belief_of.hpp"

#include <fmt/format.h>

#include "assay/core/error.hpp"

namespace assay::detail {

void throw_not_finite() {
  throw UsageError(
      "sums over environments need a belief over finitely many of them; draw them instead (estimator linear "
      "or "
      "paired)");
}

void throw_too_many_predictions(std::size_t most) {
  throw LimitError(fmt::format("more than {} things can happen here: too many to list", most));
}

void throw_unknown_transitions() {
  throw UsageError(
      "the mean environment needs transitions that are the same in all environments; use the estimator "
      "paired");
}

void throw_other_model() { throw UsageError("this belief is about another model"); }

void throw_no_such_key(std::size_t given, std::size_t words) {
  throw UsageError(fmt::format("a key of {} words is of no belief here: they have {}", given, words));
}

Mdp mixed(const std::vector<Belief::Possibility>& all) {
  Mdp mean = all.front().environment;
  mean.first_arc = {0};
  mean.arcs.clear();
  std::vector<double> chance(static_cast<std::size_t>(mean.states));
  for (std::size_t row = 0; row < mean.reward.size(); ++row) {
    double reward = 0;
    for (const Belief::Possibility& p : all) {
      const Mdp& one = p.environment;
      reward += p.probability * one.reward[row];
      for (std::size_t i = one.first_arc[row]; i < one.first_arc[row + 1]; ++i) {
        chance[static_cast<std::size_t>(one.arcs[i].next)] += p.probability * one.arcs[i].probability;
      }
    }
    mean.reward[row] = reward;
    for (int x = 0; x < mean.states; ++x) {
      double& p = chance[static_cast<std::size_t>(x)];
      if (p > 0) mean.arcs.push_back({x, p});
      p = 0;
    }
    mean.end_row();
  }
  return mean;
}

}  // namespace assay::detail
