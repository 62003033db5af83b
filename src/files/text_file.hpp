// Reads a whole text file.
#pragma once

#include <string>

namespace assay::files {

/// Throws UsageError if there is no such file, or if it is too large to be a problem.
std::string read_text_file(const std::string& path);

}  // namespace assay::files
