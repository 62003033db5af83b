// What texts in files are made of.
#pragma once

#include <string_view>

namespace assay::files {

/// Whole characters only: no stray or missing bytes, nothing longer than need be, no surrogates.
bool is_utf8(std::string_view text);

}  // namespace assay::files
