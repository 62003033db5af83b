// A value that lies between two numbers.
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

/// The three information values of one belief, averaged over a distribution of states.
struct InformationValues {
  Estimate current;  // v^c = E v^{e'}(x;e): follows the plan of one drawn environment e'
  Estimate full;     // E v^e(x;e): the environment is known
  Estimate bound;    // B = E v^e - v^c: what more knowledge could add at most
};

/// lower <= upper. Two sums of bounds that are added in the same order keep this relation, because rounding
/// is monotone. Two bounds of one value that were found in different ways need `both`.
struct Bounds {
  double lower = 0, upper = 0;
};

/// Combines two certified bounds of the same value. If they cross, which only rounding can cause, both
/// become the larger lower bound.
inline Bounds both(const Bounds& one, const Bounds& other) {
  const double lower = std::max(one.lower, other.lower);
  return {lower, std::max(lower, std::min(one.upper, other.upper))};
}

/// Bounds with the standard error of each; a bound without one is certified.
struct EstimatedBounds {
  Estimate lower, upper;
};

}  // namespace assay
