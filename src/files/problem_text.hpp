// The other way: a family as the text of a problem file.
#pragma once

#include <string>

#include "assay/families/table_family.hpp"

namespace assay {

/// A problem file in table form. Read again, it has the same states, actions, starts and prior, and the same
/// happens with the same probabilities, as far as rounding goes; what is seen is a text, and how to draw it
/// is left out. Throws UsageError if a name cannot be written: "*" and "arrive", which have a meaning of
/// their own, and what is not UTF-8.
std::string problem_text(const TableFamily& family, const std::string& title);

}  // namespace assay
