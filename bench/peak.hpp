// The least time that the arithmetic of a king-grid sweep could take on this machine.
#pragma once

namespace assay::bench {

/// Nanoseconds per (cell, environment, sweep) of the sweep's own operations on registers alone: three
/// comparisons, maxima and selections, two multiplications and two additions. Without loads, stores and loops
/// nothing can be faster.
double sweep_peak_ns();

}  // namespace assay::bench
