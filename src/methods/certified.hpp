// The two ways to certified bounds: all reachable beliefs, or a search among those that matter.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "assay/problem/method.hpp"
#include "solver/bound_search.hpp"

namespace assay {

/// Dynamic programming over at most `most` belief states, until `stop`. `name` is the name of the method.
/// Throws LimitError, or UsageError where outcomes cannot be listed.
Solved solve_exactly(const Problem& problem, const std::string& name, std::uint64_t most,
                     const SolveRequest& request, const Stop& stop);

/// A search that is continued until its bounds agree in every digit that is shown.
class CertifyingSearch {
 public:
  /// Makes the tables, which may take a part of the time. Throws Stopped.
  CertifyingSearch(std::shared_ptr<const FiniteModel> model, const SolveRequest& request);
  /// True when the bounds agree; false at the limit of beliefs, or when the work must stop.
  bool run(std::uint64_t most_beliefs);
  /// What was found so far, with the policy that earns at least the lower bound.
  [[nodiscard]] Solved found() const;

 private:
  const SolveRequest& request_;
  std::shared_ptr<BoundSearch> search_;
  int decimals_;
  StopReason stopped_ = StopReason::kNone;
};

}  // namespace assay
