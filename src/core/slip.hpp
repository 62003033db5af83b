// Slips of the hand in names.
#pragma once

#include <string_view>

namespace assay {

/// Could `given` be `name`, mistyped? Stricter than nearest_name: one edit in three characters.
bool is_slip_of(std::string_view given, std::string_view name);

}  // namespace assay
