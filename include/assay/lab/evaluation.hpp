// Test episodes: the same environments, and the same luck in them, for every policy.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "assay/core/policy.hpp"
#include "assay/problem/problem.hpp"

namespace assay {

struct TestEpisodes {
  std::uint64_t seed = 0;
  int episodes = 2000;
  int threads = 1;                      // 0 for all cores; never changes the result
  std::function<void(int)> watch = {};  // told how many more are done, from any thread
};

/// All luck of test episode i: its environment, its start, its outcomes, and the policy's own draws.
inline Rng test_episode_rng(std::uint64_t seed, int episode) {
  return Rng(seed).split(static_cast<std::uint64_t>(episode));
}

/// Episode i has an environment, a start and outcomes that depend on (seed, i) only, so that the returns of
/// two policies can be compared in pairs.
std::vector<EpisodeReturn> evaluate(const Problem& problem, const Policy& policy, const TestEpisodes& test);

}  // namespace assay
