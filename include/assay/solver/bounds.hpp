// A value that is known to lie between two numbers.
#pragma once

#include <algorithm>

namespace assay {

/// lower <= upper. Sums of bounds that are added up in the same order keep to that, since rounding is
/// monotone; bounds of one value that were found in two ways need `both`.
struct Bounds {
  double lower = 0, upper = 0;
};

/// What two certified bounds of the same value say together. Where they cross, which only rounding can make
/// them do, they meet at the larger lower bound.
inline Bounds both(const Bounds& one, const Bounds& other) {
  const double lower = std::max(one.lower, other.lower);
  return {lower, std::max(lower, std::min(one.upper, other.upper))};
}

}  // namespace assay
