// Simulated episodes of a policy, and what it does in them.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/core/policy.hpp"
#include "assay/problem/problem.hpp"

namespace assay {

struct Rehearsal {
  std::vector<double> returns;            // [episode], discounted
  std::vector<std::vector<int>> actions;  // [episode]: the first few; -1 once the episode is over
  std::vector<std::vector<int>> uses;     // [episode][source]
};

struct RehearsalSettings {
  Rng rng{0};  // the only source of random numbers; episode i has split i
  int episodes = 0;
  int actions = 5;  // the number of actions to record in each episode
  int threads = 0;
  Stop stop = {};  // when to make do with the episodes played so far
};

/// The result depends on `rng` only, except that the time limits the number of episodes.
Rehearsal rehearse(const Problem& problem, const Policy& policy, const std::vector<SourcePlaces>& sources,
                   const RehearsalSettings& settings);

}  // namespace assay
