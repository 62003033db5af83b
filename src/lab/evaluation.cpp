#include "assay/lab/evaluation.hpp"

#include <algorithm>

#include "assay/core/workers.hpp"

namespace assay {

std::vector<EpisodeReturn> evaluate(const Problem& problem, const Policy& policy, const TestEpisodes& test) {
  // A block of episodes shares one world and one copy of the policy. Blocks are small, so that all threads
  // have something to do until the end.
  constexpr int kBlock = 25;
  std::vector<EpisodeReturn> returns(static_cast<std::size_t>(test.episodes));
  const int blocks = (test.episodes + kBlock - 1) / kBlock;
  Workers(test.threads).for_each(static_cast<std::size_t>(blocks), [&](std::size_t block) {
    const std::unique_ptr<World> world = problem.world();
    const std::unique_ptr<Policy> own = policy.clone();
    const std::size_t first = block * kBlock;
    const std::size_t end = std::min(returns.size(), first + kBlock);
    for (std::size_t i = first; i < end; ++i) {
      returns[i] = run_episode(*world, *own, test_episode_rng(test.seed, static_cast<int>(i)));
    }
    if (test.watch) test.watch(static_cast<int>(end - first));
  });
  return returns;
}

}  // namespace assay
