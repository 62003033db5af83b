#include "assay/solver/knowledge.hpp"

namespace assay {

namespace detail {

void throw_not_finite() {
  throw UsageError(
      "sums over environments need a belief over finitely many of them; draw them instead (estimator linear "
      "or "
      "paired)");
}

void throw_too_many_predictions(std::size_t most) {
  throw LimitError("more than " + std::to_string(most) + " things can happen here: too many to list");
}

void throw_unknown_transitions() {
  throw UsageError(
      "the mean environment needs transitions that are the same in all environments; use the estimator "
      "paired");
}

void throw_other_family() { throw UsageError("this knowledge is about another family than the world's"); }

TabularMdp mixed(const std::vector<Knowledge::Possibility>& all) {
  TabularMdp mean = all.front().environment;
  mean.first_arc = {0};
  mean.arcs.clear();
  std::vector<double> chance(static_cast<std::size_t>(mean.states));
  for (std::size_t row = 0; row < mean.reward.size(); ++row) {
    double reward = 0;
    for (const Knowledge::Possibility& p : all) {
      const TabularMdp& one = p.environment;
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

EnvironmentBatch& reshape(std::optional<EnvironmentBatch>& batch,
                          const std::shared_ptr<const Dynamics>& dynamics, std::size_t count) {
  const bool fits = batch && batch->shared_dynamics() == dynamics && batch->count() == count;
  return fits ? *batch : batch.emplace(dynamics, count);
}

void fill_batches(const std::vector<TabularMdp>& drawn, std::size_t plans, DrawnEnvironments& into) {
  const auto dynamics = std::make_shared<const Dynamics>(common_dynamics(drawn));
  into.plans.emplace(dynamics, plans);
  for (std::size_t i = 0; i < plans; ++i) into.plans->set(i, drawn[i]);
  if (drawn.size() == plans) return;
  into.worlds.emplace(dynamics, drawn.size() - plans);
  for (std::size_t i = plans; i < drawn.size(); ++i) into.worlds->set(i - plans, drawn[i]);
}

DrawKey in_role(const DrawKey& key, std::uint64_t role) {
  DrawKey one = key;
  one.role = 2 * key.role + role;
  return one;
}

}  // namespace detail

}  // namespace assay
