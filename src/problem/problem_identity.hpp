// When two problems are the same one.
#pragma once

#include <string>
#include <string_view>

namespace assay {

/// Is the problem read from a file?
bool is_problem_file(std::string_view name);

/// The identity, from the canonical name: for a file its contents, "#CHECKSUM", in whatever folder it lies;
/// otherwise the name itself.
std::string problem_identity(std::string_view name);

inline bool same_problem(std::string_view one, std::string_view other) {
  return problem_identity(one) == problem_identity(other);
}

}  // namespace assay
