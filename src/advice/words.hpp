// An explanation as one or two sentences.
#pragma once

#include <string>

#include "assay/advice/explanation.hpp"

namespace assay::advice {

std::string words(const Problem& problem, const Explanation& explanation);

/// The groups of environments in words, such as "left from right" or "a or b from c", with at most a few
/// names.
std::string apart_text(const ActionWorth& worth);

}  // namespace assay::advice
