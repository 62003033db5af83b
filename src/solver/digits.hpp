// How many digits of a value are certain, and when two bounds agree in all digits that are shown.
#pragma once

#include "assay/core/detail/bounds.hpp"
#include "solver/bound_search.hpp"

namespace assay {

/// How many decimals of a number of this size are certain in double precision after long sums: ten digits in
/// all, and at most `most` decimals.
int certain_decimals(double scale, int most);

/// Are the two numbers equal when they are written with this many decimals?
bool agree(const Bounds& bounds, int decimals);

/// Runs the search until its bounds agree in this many decimals and are within the tolerance of the limits,
/// or until another limit is reached.
SearchEnd search_decimals(BoundSearch& search, int decimals, SearchLimits limits);

}  // namespace assay
