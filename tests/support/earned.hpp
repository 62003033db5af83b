// What policies earn, against exact values.
//
// Tolerance: means of independent episodes with their own standard errors, z at level 1e-6 / 500
// (support/ks.hpp), 6.1 standard errors. A search with a finite budget is not optimal, so that its mean is
// compared from two sides: not above the exact value, and not further below than what is allowed for the
// search.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "assay/lab/evaluation.hpp"
#include "assay/problem/registry.hpp"
#include "assay/solver/exact_solution.hpp"
#include "support/ks.hpp"

namespace assay::test {

struct Earned {
  double mean = 0, error = 0;
};

inline Earned mean_and_error(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  double square = 0;
  for (const double v : values) sum += v;
  for (const double v : values) square += (v - sum / n) * (v - sum / n);
  return {sum / n, std::sqrt(square / (n - 1) / n)};
}

inline std::vector<double> earned(const Problem& problem, const std::string& method, int episodes) {
  const auto policy = make_method(method)->solve(problem, {.rng = Rng(1), .resources = 1}).policy;
  std::vector<double> all;
  for (const EpisodeReturn& one :
       evaluate(problem, *policy, {.seed = 17, .episodes = episodes, .threads = 2})) {
    all.push_back(one.discounted);
  }
  return all;
}

/// How far `ours` stays behind the exact policy in the same episodes.
inline Earned behind(const Problem& problem, const std::vector<double>& ours) {
  std::vector<double> lost = earned(problem, "exact", static_cast<int>(ours.size()));
  for (std::size_t i = 0; i < lost.size(); ++i) lost[i] -= ours[i];
  return mean_and_error(lost);
}

inline void expect_close_behind(const Problem& problem, const std::string& method, int episodes,
                                double allowed) {
  SCOPED_TRACE(problem.name() + " by " + method);
  const double z = laws::z_threshold();
  const std::vector<double> all = earned(problem, method, episodes);
  const Earned lost = behind(problem, all);
  EXPECT_GE(lost.mean, -z * lost.error - 1e-9) << "better than the best";
  EXPECT_LE(lost.mean, allowed + z * lost.error) << "standard error " << lost.error;
  const Earned ours = mean_and_error(all);
  EXPECT_NEAR(ours.mean, problem.exact({})->value(), allowed + z * ours.error + 1e-9);
}

}  // namespace assay::test
