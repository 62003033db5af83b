// An explanation as a sentence or two.
#pragma once

#include <string>

#include "assay/advice/explanation.hpp"

namespace assay::advice {

std::string words(const Problem& problem, const Explanation& explanation);

/// "left from right", "a or b from c"; at most a few names.
std::string apart_text(const ActionWorth& worth);

}  // namespace assay::advice
