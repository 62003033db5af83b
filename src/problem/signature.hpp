// Two numbers for what the library computes: one for a fixed set of solves and draws, and one for what every
// method learns and does. Both are hashes of the bits of the results.
//
// They must be the same for every kernel, thread count and compiler. A change that alters numbers alters a
// signature, and its commit message says so.
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

/// The signature of the kernels: cross-values, draws and exact values.
Signature signature(Kernel kernel, int threads);

/// The signature of the methods: each registered method in its small forms, on each small problem that it
/// accepts. A part contains what was learned, and the actions and returns of two episodes.
Signature method_signature(int threads);

}  // namespace assay
