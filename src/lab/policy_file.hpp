// A learned policy in a file of its own. docs/policy-format.md describes the bytes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "assay/lab/detail/policy_file.hpp"

namespace assay {

std::string encode(const PolicyFile& policy);

/// `where` names the bytes in errors. Throws UsageError if they are not a whole, undamaged policy of a
/// version that is known here.
PolicyFile decode_policy(std::string_view bytes, const std::string& where);

/// Throws UsageError if the file is there already: a policy may have taken hours.
void save_policy(const std::filesystem::path& file, const PolicyFile& policy);

PolicyFile load_policy(const std::filesystem::path& file);

}  // namespace assay
