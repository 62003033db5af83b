// Policies from files, for the commands that use them.
#pragma once

#include <memory>
#include <string>

#include "assay/problem/registry.hpp"
#include "lab/policy_file.hpp"

namespace assay::cli {

/// The problem on which the policy was trained. If that was a file that has moved or changed since, throws
/// UsageError that says what to do.
std::unique_ptr<Problem> problem_of(const PolicyFile& file, const std::string& where);

/// Throws UsageError if the policy was trained for another problem, or is not one that its method saves.
std::unique_ptr<Policy> saved_policy(const PolicyFile& file, const std::string& where, const Problem& problem,
                                     int threads);

}  // namespace assay::cli
