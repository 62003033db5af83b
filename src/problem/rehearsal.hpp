// Episodes of a policy, and what it does in them.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/core/policy.hpp"
#include "assay/problem/problem.hpp"

namespace assay {

struct Rehearsal {
  std::vector<double> returns;            // [episode], discounted
  std::vector<std::vector<int>> actions;  // [episode]: the first few; -1 once all is over
  std::vector<std::vector<int>> uses;     // [episode][source]
};

struct RehearsalSettings {
  Rng rng{0};  // all luck comes from it; episode i has split i
  int episodes = 0;
  int actions = 5;  // to be noted of each
  int threads = 0;
  Stop stop = {};  // when to do with the episodes that there are
};

/// Depends on `rng`, and on nothing else, apart from how many episodes there was time for.
Rehearsal rehearse(const Problem& problem, const Policy& policy, const std::vector<SourcePlaces>& sources,
                   const RehearsalSettings& settings);

}  // namespace assay
