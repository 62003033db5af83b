// The sweeps of one instruction set, as plain functions on one tile of 16 environments.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "assay/core/detail/kernel.hpp"
#include "assay/core/detail/lanes.hpp"
#include "assay/solver/detail/dynamics.hpp"

namespace assay::sweeps {

/// Whether cross-values are computed, and where: nowhere, in each lane's own other environment (`world`), or
/// in one environment that all lanes share.
enum Worlds { kNoWorlds, kOwnWorlds, kSharedWorld };

struct SweepJob {
  const Dynamics* dynamics = nullptr;
  const float* plan_reward = nullptr;        // [reward][kTile]
  const float* plan_probability = nullptr;   // [arc][kTile]
  const float* world_reward = nullptr;       // [reward][kTile], or [reward] if shared
  const float* world_probability = nullptr;  // [arc][kTile], or [arc] if shared
  float* plan_value = nullptr;               // [state][kTile], in and out
  float* world_value = nullptr;              // [state][kTile], in and out
  float* scratch = nullptr;                  // scratch_size() floats
  float discount = 1;
  int sweeps = 0;
  Worlds worlds = kNoWorlds;
  bool frozen = false;  // do not change the plan's values; iterate only the cross-values
};

struct SweepTable {
  void (*sweep)(const SweepJob&);
  /// v = max over the 3x3 neighbourhood, with u beside it: from "about to collect" to "about to move".
  void (*spread)(const SweepJob&);
};

/// The kernels of one instruction set. It must be available.
const SweepTable& table_of(Kernel kernel);

/// How many sweeps go over a king grid together: as many as a core's own cache holds the rows of, if it does
/// not hold the whole grid. Each sweep uses two rows of four arrays (values and rewards), and one kept row
/// of two arrays.
inline int sweeps_together(const Dynamics& grid) {
  constexpr std::size_t kOwnCache = 256 * 1024;
  const std::size_t row = static_cast<std::size_t>(grid.columns) * kTile * sizeof(float);
  if (4 * row * static_cast<std::size_t>(grid.rows) <= kOwnCache) return 1;
  return static_cast<int>(std::clamp(kOwnCache / row / 10, std::size_t{2}, std::size_t{8}));
}

/// Floats that a tile's sweeps need beside the values.
inline std::size_t scratch_size(const Dynamics& dynamics) {
  if (dynamics.form != Dynamics::Form::kKingGrid)
    return 2 * static_cast<std::size_t>(dynamics.states) * kTile;
  const auto columns = static_cast<std::size_t>(dynamics.columns);
  return static_cast<std::size_t>(sweeps_together(dynamics)) * 2 * columns * kTile;
}

}  // namespace assay::sweeps
