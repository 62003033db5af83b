// One number for what the library computes: a fixed set of solves and draws, reduced to their bits.
//
// It must be the same for every kernel, thread count and compiler. When a change alters numbers, it alters
// the signature, and a commit says so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/core/kernel.hpp"

namespace assay {

struct SignaturePart {
  std::string name;
  std::uint64_t hash = 0;
};

struct Signature {
  std::vector<SignaturePart> parts;
  std::uint64_t hash = 0;  // of all parts
};

Signature signature(Kernel kernel, int threads);

}  // namespace assay
