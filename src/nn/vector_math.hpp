// The two loops over arrays that all networks are made of. They add in a fixed order, so that every
// instruction set gives the same bits.
#pragma once

#include <array>
#include <cstddef>

namespace assay::detail {

/// to[i] += factor * row[i]
inline void add_scaled(float* to, const float* row, float factor, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] += factor * row[i];
}

/// The sum is split into 16 strands: their order is fixed, and vectors of up to that size compute the same
/// bits.
inline float dot(const float* one, const float* other, std::size_t count) {
  constexpr std::size_t kStrands = 16;
  std::array<float, kStrands> sums{};
  std::size_t i = 0;
  for (; i + kStrands <= count; i += kStrands) {
    for (std::size_t s = 0; s < kStrands; ++s) sums[s] += one[i + s] * other[i + s];
  }
  for (std::size_t s = 0; i + s < count; ++s) sums[s] += one[i + s] * other[i + s];
  float sum = 0;
  for (const float s : sums) sum += s;
  return sum;
}

}  // namespace assay::detail
