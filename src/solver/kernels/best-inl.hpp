// The comparison that all sweeps are made of, compiled for each instruction set.
#if defined(ASSAY_BEST_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSAY_BEST_INL
#undef ASSAY_BEST_INL
#else
#define ASSAY_BEST_INL
#endif

#include <hwy/highway.h>

#include "solver/kernels/sweep_table.hpp"

HWY_BEFORE_NAMESPACE();
namespace assay::sweeps::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, kTile>;
using Float = hn::Vec<Floats>;

// Values come in pairs: the value of a plan, and its value in the other environment (`world`). They are
// passed as two vectors and not as a struct, because gcc 12 copies structs of vectors through memory.

/// The better of two plans, the first if they tie. This rule is associative, so that neighbours may share
/// the comparison of a pair. Maximum instructions differ in the sign of zero, but no value is -0, because no
/// reward is.
template <Worlds kWorlds>
HWY_INLINE void take_better(Float first, Float first_world, Float second, Float second_world, Float& plan,
                            Float& world) {
  plan = hn::Max(first, second);
  if constexpr (kWorlds != kNoWorlds) {
    world = hn::IfThenElse(hn::Lt(first, second), second_world, first_world);
  }
}

template <Worlds kWorlds>
HWY_INLINE void load_pair(const float* plans, const float* worlds, std::size_t at, Float& plan,
                          Float& world) {
  const Floats d;
  plan = hn::Load(d, plans + at);
  if constexpr (kWorlds != kNoWorlds) world = hn::Load(d, worlds + at);
}

/// A number of the other environment: of the lane's own, or of the one that all lanes share. `at` counts
/// floats of the lanes.
template <Worlds kWorlds>
HWY_INLINE Float load_world(const float* from, std::size_t at) {
  const Floats d;
  if constexpr (kWorlds == kSharedWorld) {
    return hn::Set(d, from[at / kTile]);
  } else {
    return hn::Load(d, from + at);
  }
}

}  // namespace assay::sweeps::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
