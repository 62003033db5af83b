// The reason for an agent's action, in one or two sentences.
#pragma once

#include <string>

#include "cashing/places.hpp"
#include "report/trace.hpp"

namespace assay {

/// Computed from the numbers of the step: the policy's estimates for its options or, if it has none, their
/// values with present knowledge. Empty if neither is known. `collections` is the number of collections that
/// were left at the choice; `drawn` says that the numbers rest on draws, other than those of the choice.
std::string why_text(const Problem& problem, const Places& places, const TraceStep& step, int collections,
                     bool drawn);

}  // namespace assay
