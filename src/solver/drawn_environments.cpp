#include "assay/solver/detail/drawn_environments.hpp"

namespace assay::detail {

EnvironmentBatch& reshape(std::optional<EnvironmentBatch>& batch,
                          const std::shared_ptr<const Dynamics>& dynamics, std::size_t count) {
  const bool fits = batch && batch->shared_dynamics() == dynamics && batch->count() == count;
  return fits ? *batch : batch.emplace(dynamics, count);
}

void fill_batches(const std::vector<Mdp>& drawn, std::size_t plans, DrawnEnvironments& into) {
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

}  // namespace assay::detail
