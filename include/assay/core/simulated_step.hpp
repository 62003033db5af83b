// One step of an imagined episode, as planners that search by simulation see it.
#pragma once

#include <bit>
#include <cstdint>

#include "assay/core/family.hpp"

namespace assay {

struct SimulatedStep {
  int next = 0;
  double reward = 0;   // of the action
  double arrival = 0;  // of the arrival at `next`: a part of the next step, discounted like it
  /// What was learned, as a number: 0 if nothing could be. What is believed after several steps is what was
  /// believed at the root and the sum of their evidence, in whatever order they were: environments do not
  /// change, so likelihoods multiply.
  std::uint64_t evidence = 0;
};

namespace detail {

/// A bijection that spreads every bit over all (the finaliser of SplitMix64).
inline std::uint64_t spread(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

/// 0.0 and -0.0 are the same reward.
inline std::uint64_t reward_bits(double reward) {
  return std::bit_cast<std::uint64_t>(reward == 0 ? 0.0 : reward);
}

inline std::uint64_t evidence_of(int state, int action, const Outcome& seen) {
  const auto bits = [](int value) { return static_cast<std::uint64_t>(static_cast<std::uint32_t>(value)); };
  std::uint64_t hash = spread(bits(state) << 32U | bits(action));
  hash = spread(hash + bits(seen.next));
  hash = spread(hash + reward_bits(seen.reward));
  for (const int shown : seen.observation) hash = spread(hash + bits(shown));
  return hash | 1U;  // never nothing
}

}  // namespace detail
}  // namespace assay
