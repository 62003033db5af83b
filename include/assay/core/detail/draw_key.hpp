// The name of a set of draws.
#pragma once

#include <cstdint>

#include "assay/core/rng.hpp"

namespace assay {

/// Environments drawn with the same key from two beliefs use common random numbers.
struct DrawKey {
  std::uint64_t seed = 0;
  std::uint64_t episode = 0;
  std::uint64_t step = 0;
  std::uint64_t role = 0;  // sets of draws that must be independent although all else is the same

  [[nodiscard]] Rng rng() const { return Rng(seed, role).split(episode).split(step); }
  bool operator==(const DrawKey&) const = default;
};

}  // namespace assay
