// What the exact solver has worked out: the values of the belief states, step by step.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <utility>
#include <vector>

#include "assay/solver/detail/state_table.hpp"
#include "assay/solver/exact_solution.hpp"

namespace assay::detail {

/// The belief states of one step.
struct ExactLayer {
  StateTable table;
  std::pmr::vector<Worth> worths;   // [belief state]; without an end, with the lower bounds of the tail
  std::pmr::vector<double> uppers;  // [belief state], with its upper bounds; empty if there is an end
  double scale = 0;                 // the largest value of all that can follow

  ExactLayer(StateTable states, std::pmr::memory_resource* memory)
      : table(std::move(states)), worths(memory), uppers(memory) {}
};

/// What the solver has worked out. The key of a belief state is that of the belief, then the state unless
/// there is only one.
struct ExactLayers {
  std::unique_ptr<std::pmr::monotonic_buffer_resource> memory;
  std::vector<ExactLayer> layers;  // [step]
  std::uint64_t states = 0;        // belief states in all
};

}  // namespace assay::detail
