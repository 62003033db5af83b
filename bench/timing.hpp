// Timing for benchmarks: the best of several runs. Disturbances only ever add time, so the smallest is the
// truest.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>

namespace assay::bench {

/// Seconds of the fastest of `runs` calls.
template <class Work>
double best_seconds(int runs, Work&& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < runs; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    best = std::min(best, taken.count());
  }
  return best;
}

}  // namespace assay::bench
