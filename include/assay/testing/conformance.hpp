// Checks that a model and its belief satisfy what the interfaces require. The tests apply them to every
// registered problem; whoever writes a model or a belief can do the same.
#pragma once

#include <string>
#include <vector>

#include "assay/problem/problem.hpp"

namespace assay::testing {

/// Everything that is wrong, in words; empty if nothing is. Outcomes are enumerated along a few random
/// episodes, so that the problem must be small.
std::vector<std::string> complaints(const Problem& problem, Rng rng);

}  // namespace assay::testing
