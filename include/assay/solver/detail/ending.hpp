// How long plans are: a number of steps, or endless.
#pragma once

#include <variant>

namespace assay {

/// This many steps are left.
struct StepsLeft {
  int steps = 1;
};
/// There is no end: iterate until no value can change by more than the tolerance.
struct Endless {
  double tolerance = 1e-4;
};
using Ending = std::variant<StepsLeft, Endless>;

}  // namespace assay
