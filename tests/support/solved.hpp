// Values of problems that are given by name.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "assay/problem/method.hpp"
#include "assay/problem/problem.hpp"
#include "assay/problem/registry.hpp"
#include "assay/solver/exact_solution.hpp"

namespace assay::test {

/// The Bayes-optimal value.
inline double optimum(const std::string& spec) { return make_problem(spec)->exact({})->value(); }

/// The same problem without a source of information.
inline double optimum_without(const std::string& spec, const std::string& source) {
  for (const Silenced& silenced : make_problem(spec)->sources()) {
    if (silenced.source == source) return silenced.problem->exact({})->value();
  }
  ADD_FAILURE() << spec << " has no source " << source;
  return 0;
}

}  // namespace assay::test
