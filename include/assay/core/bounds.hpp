// A value that is known to lie between two numbers.
#pragma once

#include <algorithm>

namespace assay {

/// A number and its standard error; a standard error of 0 says that the number is exact.
struct Estimate {
  double value = 0;
  double standard_error = 0;
};

struct Interval {
  double low = 0, high = 0;
};

/// At one belief and one distribution over states.
struct InformationValues {
  Estimate current;  // v^c = E v^{e'}(x;e): the plan of one environment e' drawn from the belief, for ever
  Estimate full;     // E v^e(x;e): the environment is known
  Estimate bound;    // B = E v^e - v^c: what more knowledge could add at most
};

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

/// Bounds with the standard error of each; a bound without one is certified.
struct EstimatedBounds {
  Estimate lower, upper;
};

}  // namespace assay
