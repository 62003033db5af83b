#include "assay/solver/knowledge.hpp"

#include <algorithm>

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

bool same_transitions(const TabularMdp& one, const TabularMdp& other) {
  const auto same_arc = [](const TabularMdp::Arc& l, const TabularMdp::Arc& r) {
    return l.next == r.next && l.probability == r.probability;
  };
  return one.first_arc == other.first_arc && std::ranges::equal(one.arcs, other.arcs, same_arc);
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

void FieldRewards::sum_parts(const Lanes& field, EnvironmentBatch& batch) const {
  for (std::size_t tile = 0; tile < batch.tiles(); ++tile) {
    const float* cells = field.data() + tile * cells_ * kTile;
    const std::span<float> rewards = batch.reward_tile(tile);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      for (std::size_t lane = 0; lane < kTile; ++lane) {
        float sum = 0;
        for (const std::size_t cell : parts_[i]) sum += cells[cell * kTile + lane];
        rewards[i * kTile + lane] = sum;
      }
    }
  }
}

}  // namespace assay
