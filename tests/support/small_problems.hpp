// The problems that every registered family names as small enough to be enumerated.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "assay/problem/registry.hpp"

namespace assay::test {

/// Calls check(spec, problem) for every small spec of every family.
inline void for_every_small_problem(const std::function<void(const std::string&, const Problem&)>& check) {
  int problems = 0;
  for (const Entry<Problem>& family : families().entries()) {
    EXPECT_FALSE(family.small.empty()) << family.name;
    for (const std::string& spec : family.small) {
      SCOPED_TRACE(spec);
      check(spec, *make_problem(spec));
      ++problems;
    }
  }
  EXPECT_GT(problems, 0);
}

}  // namespace assay::test
