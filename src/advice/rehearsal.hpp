// Episodes of a policy, and what it does in them.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/core/policy.hpp"
#include "assay/problem/problem.hpp"

namespace assay::advice {

struct Rehearsal {
  std::vector<double> returns;            // [episode], discounted
  std::vector<std::vector<int>> actions;  // [episode]: the first few; -1 once all is over
  std::vector<std::vector<int>> uses;     // [episode][source]
};

struct RehearsalSettings {
  std::uint64_t seed = 0;
  int episodes = 0;
  int actions = 5;  // to be noted of each
  int threads = 0;
  Stop stop = {};  // when to do with the episodes that there are
};

/// Depends on the seed, and on nothing else.
Rehearsal rehearse(const Problem& problem, const Policy& policy, const std::vector<SourcePlaces>& sources,
                   const RehearsalSettings& settings);

}  // namespace assay::advice
