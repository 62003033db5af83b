#include "assay/core/rng.hpp"

#include <Random123/philox.h>

namespace assay {
namespace {

// Draws and splits use different counters of the same key, so that no draw can equal the key of a split.
constexpr std::uint64_t kDraws = 0;
constexpr std::uint64_t kSplits = 1;

}  // namespace

Rng::Rng(std::uint64_t seed, std::uint64_t run) : key_{seed, run} {}

Rng::Block Rng::philox(Key key, std::uint64_t counter, std::uint64_t domain) {
  const r123::Philox4x64::ctr_type in = {{counter, domain, 0, 0}};
  const r123::Philox4x64::key_type k = {{key.low, key.high}};
  const auto out = r123::Philox4x64{}(in, k);
  return {out[0], out[1], out[2], out[3]};
}

Rng Rng::split(std::uint64_t tag) const {
  const Block derived = philox(key_, tag, kSplits);
  return Rng(Key{derived[0], derived[1]});
}

void Rng::refill() {
  block_ = philox(key_, blocks_drawn_++, kDraws);
  next_ = 0;
}

}  // namespace assay
