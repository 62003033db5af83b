#include "assay/saved_policy.hpp"

#include "assay/core/bytes.hpp"

namespace assay::cli {

std::unique_ptr<Policy> saved_policy(const PolicyFile& file, const std::string& where, const Problem& problem,
                                     int threads) {
  if (file.family != problem.name()) {
    throw UsageError(where + " was trained on " + file.family + ", not on " + problem.name());
  }
  try {
    return make_method(file.method)->policy(problem, file.state, threads);
  } catch (const CorruptError& error) {
    throw UsageError(where + ": " + error.what());
  }
}

}  // namespace assay::cli
