// Test episodes: every policy meets the same environments with the same random numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "assay/core/policy.hpp"
#include "assay/problem/problem.hpp"

namespace assay {

/// Consecutive test episodes, as one thread has played them.
struct TestedBlock {
  int first = 0;
  std::vector<EpisodeReturn> returns;
  /// Processor time of the thread, which does not depend on the number of threads or on other programs. It
  /// includes the policy and the environment, but not the copying of the policy.
  double seconds = 0;
};

struct TestEpisodes {
  std::uint64_t seed = 0;
  int episodes = 2000;
  int threads = 1;  // 0 for all cores; it never changes the result
  Stop stop = {};   // looked at in every step; throws Stopped
  /// Called with every block, from any thread. An exception that it throws ends the test.
  std::function<void(const TestedBlock&)> watch = {};
  std::map<int, EpisodeReturn> known = {};  // by number: episodes that are not played again
};

/// The random numbers of test episode i: for its environment, its start, its outcomes and the policy.
inline Rng test_episode_rng(std::uint64_t seed, int episode) {
  return Rng(seed).split(static_cast<std::uint64_t>(episode));
}

/// The environment, the start and the outcomes of episode i depend on (seed, i) only, so that the returns of
/// two policies can be compared in pairs.
std::vector<EpisodeReturn> evaluate(const Problem& problem, const Policy& policy, const TestEpisodes& test);

/// The mean of the undiscounted returns and its standard error.
Estimate mean_return(const std::vector<EpisodeReturn>& returns);

struct Visits {
  int episodes = 0;
  int visiting = 0;            // episodes in which the agent chose an action at the state
  double mean_first_step = 0;  // the mean of the first such step; NaN if there is none
};

/// Plays the same episodes again and counts visits to a state.
Visits visits_to(const Problem& problem, const Policy& policy, int state, const TestEpisodes& test);

}  // namespace assay
