// How many digits of a value are certain, and when two bounds agree in all that are shown.
#pragma once

#include "assay/core/bounds.hpp"
#include "solver/bound_search.hpp"

namespace assay {

/// Decimals of a number of this size that double precision leaves certain after long sums: ten digits in all,
/// and at most `most` decimals.
int certain_decimals(double scale, int most);

/// Are they the same number once they are written with this many decimals?
bool agree(const Bounds& bounds, int decimals);

/// Runs the search until its bounds agree in this many decimals and are within the tolerance of the limits,
/// or another limit is reached.
SearchEnd search_decimals(BoundSearch& search, int decimals, SearchLimits limits);

}  // namespace assay
