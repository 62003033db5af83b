#include "assay/saved_policy.hpp"

#include "core/bytes.hpp"
#include "problem/problem_identity.hpp"

namespace assay::cli {

std::unique_ptr<Problem> problem_of(const PolicyFile& file, const std::string& where) {
  if (!is_problem_file(file.family)) return make_problem(file.family);
  try {
    return make_problem(file.family);
  } catch (const UsageError& error) {
    throw UsageError(where + " was trained on " + file.family + ", which cannot be read: " + error.what() +
                     "; name a file with the same contents with --family FILE, wherever it is now");
  }
}

std::unique_ptr<Policy> saved_policy(const PolicyFile& file, const std::string& where, const Problem& problem,
                                     int threads) {
  if (!same_problem(file.family, problem.name())) {
    throw UsageError(where + " was trained on " + file.family + ", not on " + problem.name());
  }
  try {
    return make_method(file.method)->policy(problem, file.state, threads);
  } catch (const CorruptError& error) {
    throw UsageError(where + ": " + error.what());
  }
}

}  // namespace assay::cli
