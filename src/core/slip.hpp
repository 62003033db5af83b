// Typing errors in names.
#pragma once

#include <string_view>

namespace assay {

/// Could `given` be a typing error for `name`? The test is stricter than nearest_name: one edit in three
/// characters.
bool is_slip_of(std::string_view given, std::string_view name);

}  // namespace assay
