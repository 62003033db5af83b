// Weights as fixed-point logarithms. Bayes' rule then adds integers, which is exact in every order: the same
// evidence is the same belief, whatever came first, and solvers meet it once. A unit is 2^-46 (1.4e-14 of a
// weight per observation); impossible environments stay impossible, and improbable ones never underflow to
// impossible.
#pragma once

#include <cstdint>
#include <limits>

namespace assay::detail {

using LogWeight = std::int64_t;
inline constexpr LogWeight kImpossible = std::numeric_limits<LogWeight>::min();
inline constexpr double kLogUnit = 0x1p-46;

/// Throws ImpossibleEvidence for what is no probability.
LogWeight log_weight(double probability);
LogWeight add_log_weights(LogWeight a, LogWeight b);
/// The weight that a logarithm stands for.
double weight_of(LogWeight log);

}  // namespace assay::detail
