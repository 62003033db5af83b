// What an exact solve may take, and how far it has come.
#pragma once

#include <cstdint>
#include <functional>

#include "assay/core/stop.hpp"

namespace assay {

/// How far a solve has come. Going forward, belief states are collected; coming back, they are valued.
struct ExactProgress {
  bool forward = true;
  int step = 0;
  int horizon = 0;
  std::uint64_t states = 0;
};

struct ExactOptions {
  std::uint64_t max_states = 10'000'000;
  int threads = 0;                                       // 0: all cores
  std::function<void(const ExactProgress&)> watch = {};  // called once a step
  Stop stop = {};                                        // asked now and then; a solve that ends early throws
};

}  // namespace assay
