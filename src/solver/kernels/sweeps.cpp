// Every kernel once per instruction set: Highway's foreach_target compiles this file repeatedly.
#include "solver/kernels/sweep_table.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "solver/kernels/sweeps.cpp"
#include <hwy/foreach_target.h>
// This include must come after foreach_target.
#include <hwy/highway.h>

#include "core/targets.hpp"
#include "solver/kernels/choices-inl.hpp"
#include "solver/kernels/king_grid-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace assay::sweeps::HWY_NAMESPACE {

template <Worlds kWorlds>
HWY_INLINE void sweep_with(const SweepJob& job) {
  if (job.dynamics->form == Dynamics::Form::kKingGrid) {
    sweep_king_grid<kWorlds>(job);
  } else {
    sweep_choices<kWorlds>(job);
  }
}

void sweep(const SweepJob& job) {
  switch (job.worlds) {
    case kNoWorlds:
      return sweep_with<kNoWorlds>(job);
    case kOwnWorlds:
      return sweep_with<kOwnWorlds>(job);
    case kSharedWorld:
      return sweep_with<kSharedWorld>(job);
  }
}

SweepTable table() { return {.sweep = sweep, .spread = spread}; }

}  // namespace assay::sweeps::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include <array>

namespace assay::sweeps {

const SweepTable& table_of(Kernel kernel) {
  static const std::array<SweepTable, kKernels> tables = {ASSAY_TABLES(table)};
  return tables[available_index(kernel)];
}

}  // namespace assay::sweeps

#endif
