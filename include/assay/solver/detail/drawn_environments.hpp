// Environments drawn from a belief, in lanes.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "assay/core/detail/draw_key.hpp"
#include "assay/solver/detail/environment_batch.hpp"

namespace assay {

/// They have common dynamics. An object that is kept between calls saves their allocation.
struct DrawnEnvironments {
  std::optional<EnvironmentBatch> plans;
  std::optional<EnvironmentBatch> worlds;
};

namespace detail {
/// Fills both batches from environments that were drawn one by one, the plans first.
void fill_batches(const std::vector<Mdp>& drawn, std::size_t plans, DrawnEnvironments& into);
/// Makes the batch anew unless it already has this shape.
EnvironmentBatch& reshape(std::optional<EnvironmentBatch>& batch,
                          const std::shared_ptr<const Dynamics>& dynamics, std::size_t count);
/// The key for one of several uses of the same key.
DrawKey in_role(const DrawKey& key, std::uint64_t role);
}  // namespace detail

}  // namespace assay
