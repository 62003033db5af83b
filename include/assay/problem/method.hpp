// A method turns a problem into a policy: by solving, learning, searching, or not at all.
#pragma once

#include <memory>

#include "assay/core/policy.hpp"
#include "assay/core/rng.hpp"
#include "assay/problem/problem.hpp"

namespace assay {

class Method {
 public:
  virtual ~Method() = default;
  /// All randomness comes from `rng`; `threads` = 0 means all cores and must not change the result.
  [[nodiscard]] virtual std::unique_ptr<Policy> solve(const Problem& problem, Rng rng, int threads) const = 0;
};

}  // namespace assay
