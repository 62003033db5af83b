// The problems that every registered family names as small enough to be enumerated.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "assay/core/error.hpp"
#include "assay/problem/registry.hpp"

namespace assay::test {

/// Has the family problems that can be enumerated? Rewards of a continuum cannot: such a family names no
/// small problems, and has tests of its own.
inline bool can_be_enumerated(const Entry<Problem>& family) {
  const auto problem = make_problem(family.name);
  const auto prior = problem->prior();
  for (int x = 0; x < problem->states(); ++x) {
    for (int a = 0; a < problem->actions(); ++a) {
      if (!prior->allowed(x, a)) continue;
      try {
        (void)prior->predict(x, a, 1);
      } catch (const LimitError&) {
        continue;  // too many are not infinitely many
      } catch (const UsageError&) {
        return false;
      }
    }
  }
  return true;
}

/// Calls check(spec, problem) for every small spec of every family.
inline void for_every_small_problem(const std::function<void(const std::string&, const Problem&)>& check) {
  int problems = 0;
  for (const Entry<Problem>& family : families().entries()) {
    for (const std::string& spec : family.small) {
      SCOPED_TRACE(spec);
      check(spec, *make_problem(spec));
      ++problems;
    }
  }
  EXPECT_GT(problems, 0);
}

}  // namespace assay::test
