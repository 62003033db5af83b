// What an exact solve may take, and how far it has come.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "assay/core/detail/bounds.hpp"
#include "assay/core/detail/stop.hpp"

namespace assay {

/// How far a solve has come. Going forward, belief states are collected; coming back, they are valued.
struct ExactProgress {
  bool forward = true;
  int step = 0;
  int horizon = 0;
  std::uint64_t states = 0;
};

class Belief;

/// Bounds of what follows the cut of an endless problem, for an agent that is about to arrive at a state and
/// believes the weights of environments; no weights where environments are not numbered.
using TailBounds = std::function<Bounds(int state, std::span<const double> weights)>;

/// For numbered environments these are the values without an end of the best of a few fixed plans, and of
/// full information. Otherwise they follow from what a step pays at least and at most.
TailBounds tail_bounds(const Belief& prior);

struct ExactOptions {
  std::uint64_t max_states = 10'000'000;
  int threads = 0;                                       // 0: all cores
  std::function<void(const ExactProgress&)> watch = {};  // called once a step
  Stop stop = {};                                        // asked now and then; a solve that ends early throws
};

}  // namespace assay
