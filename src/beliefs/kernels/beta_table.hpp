// The functions for Beta draws that one instruction set offers to the sampler.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "assay/core/detail/kernel.hpp"
#include "beliefs/beta_tables.hpp"

namespace assay::beta_kernels {

/// The identity of a field for Philox: 64 bits of key and the upper 64 bits of the counter.
using PhiloxKey = std::array<std::uint32_t, 4>;

/// Some cells of one tile of draws.
struct BetaJob {
  PhiloxKey key{};
  std::uint32_t first_draw = 0;                     // of the tile
  const std::uint32_t* cells = nullptr;             // [count], rising
  const BetaTable::Strip* const* strips = nullptr;  // [count]
  std::size_t count = 0;
  float* out = nullptr;  // [cell][kTile], for all cells of the field
  // Buffers: [count][kTile]
  std::uint32_t* words = nullptr;
  BetaTable::Strip* found = nullptr;
  std::uint32_t* slow = nullptr;  // out: i * kTile + lane of draws that need the slow method
};

struct BetaKernelTable {
  /// Returns the number of entries of `slow` that were written.
  std::size_t (*draw)(const BetaJob&);
};

const BetaKernelTable& table_of(Kernel kernel);

}  // namespace assay::beta_kernels
