// What makes two problems the same one.
#pragma once

#include <string>
#include <string_view>

namespace assay {

/// Is it read from a file?
bool is_problem_file(std::string_view name);

/// From the canonical name: of a file its contents, "#CHECKSUM", wherever it lies; else the name itself.
std::string problem_identity(std::string_view name);

inline bool same_problem(std::string_view one, std::string_view other) {
  return problem_identity(one) == problem_identity(other);
}

}  // namespace assay
