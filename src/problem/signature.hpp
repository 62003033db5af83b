// Two numbers for what the library computes: one for a fixed set of solves and draws, one for what every
// method learns and does, reduced to their bits.
//
// They must be the same for every kernel, thread count and compiler. When a change alters numbers, it alters
// a signature, and a commit says so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/core/detail/kernel.hpp"

namespace assay {

struct SignaturePart {
  std::string name;
  std::uint64_t hash = 0;
};

struct Signature {
  std::vector<SignaturePart> parts;
  std::uint64_t hash = 0;  // of all parts
};

/// Of the kernels: cross-values, draws and exact values.
Signature signature(Kernel kernel, int threads);

/// Of the methods: each registered one in its small forms, on each small problem that it accepts. A part has
/// what was learned, and the actions and returns of two episodes.
Signature method_signature(int threads);

}  // namespace assay
