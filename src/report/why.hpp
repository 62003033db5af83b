// Why an agent does what it does, in a sentence or two.
#pragma once

#include <string>

#include "report/trace.hpp"
#include "solver/places.hpp"

namespace assay {

/// From the step's own numbers: what the policy takes its options to be worth or, if it does not say, what
/// they are worth with what is known. Empty where neither is known. `collections` were still to come when it
/// chose; `drawn` if the numbers rest on draws, other ones than it chose by.
std::string why_text(const Problem& problem, const Places& places, const TraceStep& step, int collections,
                     bool drawn);

}  // namespace assay
