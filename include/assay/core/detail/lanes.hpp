// Many environments at once: lane = environment.
//
// The fast solvers hold one number per environment side by side, in tiles of 16: one cache line of floats,
// and a whole number of vectors on every instruction set. A tile is also the unit of work for a thread.
// Because no sum ever runs across lanes, the width of a vector cannot change a result.
#pragma once

#include <cstddef>
#include <vector>

#include "assay/core/detail/memory.hpp"

namespace assay {

inline constexpr std::size_t kTile = 16;

inline constexpr std::size_t tiles_for(std::size_t environments) {
  return (environments + kTile - 1) / kTile;
}

/// Starts every array on a cache line.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::size_t kLine = 64;

  LineAllocator() = default;
  template <class U>
  LineAllocator(const LineAllocator<U>& /*other*/) {
  }  // NOLINT(google-explicit-constructor): allocators convert

  T* allocate(std::size_t n) { return static_cast<T*>(large_arrays()->allocate(n * sizeof(T), kLine)); }
  void deallocate(T* p, std::size_t n) { large_arrays()->deallocate(p, n * sizeof(T), kLine); }
  bool operator==(const LineAllocator&) const { return true; }
};

using Lanes = std::vector<float, LineAllocator<float>>;

}  // namespace assay
