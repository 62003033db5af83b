// Checks that a model and its belief keep their promises. Every registered problem goes through them in the
// tests; whoever writes a model or a belief can do the same.
#pragma once

#include <string>
#include <vector>

#include "assay/problem/problem.hpp"

namespace assay::testing {

/// Everything that is wrong, in words; empty if all is well. Outcomes are enumerated along a few random
/// episodes, so that it is for small problems.
std::vector<std::string> complaints(const Problem& problem, Rng rng);

}  // namespace assay::testing
