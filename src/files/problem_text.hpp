// The reverse of reading: a family as the text of a problem file.
#pragma once

#include <string>

#include "assay/families/builders.hpp"

namespace assay {

/// A problem file in table form. When it is read again, the problem has the same states, actions, starts and
/// prior, and the same outcomes with the same probabilities, up to rounding. What is seen is written as a
/// text, and the drawing is left out. Throws UsageError if a name cannot be written: "*" and "arrive", which
/// have a meaning of their own, and names that are not UTF-8.
std::string problem_text(const TableFamily& family, const std::string& title);

}  // namespace assay
