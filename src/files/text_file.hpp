// A text that a person wrote, read whole.
#pragma once

#include <string>

namespace assay::files {

/// Throws UsageError if there is none, or if it is too large to have been written by hand or by a script.
std::string read_text_file(const std::string& path);

}  // namespace assay::files
