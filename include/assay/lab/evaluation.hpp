// Test episodes: the same environments, and the same luck in them, for every policy.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "assay/core/policy.hpp"
#include "assay/problem/problem.hpp"

namespace assay {

/// Some test episodes that follow each other, as one thread has played them.
struct TestedBlock {
  int first = 0;
  std::vector<EpisodeReturn> returns;
  /// Processor time of the thread: what the policy and the world took, however many threads there are and
  /// whatever else the machine does. Making the copy of the policy is not in it.
  double seconds = 0;
};

struct TestEpisodes {
  std::uint64_t seed = 0;
  int episodes = 2000;
  int threads = 1;  // 0 for all cores; never changes the result
  Stop stop = {};   // asked at every step; throws Stopped
  /// Told of every block, from any thread. What it throws ends the test.
  std::function<void(const TestedBlock&)> watch = {};
  std::map<int, EpisodeReturn> known = {};  // by episode: those that were played before, and are not again
};

/// All luck of test episode i: its environment, its start, its outcomes, and the policy's own draws.
inline Rng test_episode_rng(std::uint64_t seed, int episode) {
  return Rng(seed).split(static_cast<std::uint64_t>(episode));
}

/// Episode i has an environment, a start and outcomes that depend on (seed, i) only, so that the returns of
/// two policies can be compared in pairs.
std::vector<EpisodeReturn> evaluate(const Problem& problem, const Policy& policy, const TestEpisodes& test);

/// The mean of the undiscounted returns, with its standard error.
Estimate mean_return(const std::vector<EpisodeReturn>& returns);

struct Visits {
  int episodes = 0;
  int visiting = 0;            // those in which the agent was at the state when it had to choose
  double mean_first_step = 0;  // of these; NaN if there are none
};

/// Plays the same episodes again, and counts.
Visits visits_to(const Problem& problem, const Policy& policy, int state, const TestEpisodes& test);

}  // namespace assay
