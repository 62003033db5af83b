#include "assay/lab/evaluation.hpp"

#include <algorithm>
#include <ctime>
#include <limits>
#include <memory>
#include <optional>
#include <span>

#include "assay/core/detail/workers.hpp"
#include "lab/statistics.hpp"

namespace assay {
namespace {

/// How many episodes share one copy of the policy. There are few enough that all threads have work until the
/// end, even if there are 16 episodes that take minutes each. The number depends only on the number of
/// episodes, so that threads cannot change a result.
std::size_t test_block_size(int episodes) {
  constexpr int kMostInBlock = 25;
  constexpr int kLeastBlocks = 16;
  return static_cast<std::size_t>(std::clamp(episodes / kLeastBlocks, 1, kMostInBlock));
}

double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Plays the episodes from `first` on that are not known, and writes their returns.
void play_block(const Problem& problem, const Policy& policy, const TestEpisodes& test, int first,
                std::span<EpisodeReturn> returns) {
  std::unique_ptr<Policy> own;
  TestedBlock block;
  const auto report = [&] {
    if (test.watch && !block.returns.empty()) test.watch(block);
    block = {};
  };
  for (std::size_t i = 0; i < returns.size(); ++i) {
    const int episode = first + static_cast<int>(i);
    if (const auto known = test.known.find(episode); known != test.known.end()) {
      returns[i] = known->second;
      report();
      continue;
    }
    if (!own) own = policy.clone();
    if (block.returns.empty()) block.first = episode;
    const double start = thread_cpu_seconds();
    returns[i] = play_episode(problem, *own, test_episode_rng(test.seed, episode), {.stop = test.stop});
    block.seconds += thread_cpu_seconds() - start;
    block.returns.push_back(returns[i]);
  }
  report();
}

}  // namespace

std::vector<EpisodeReturn> evaluate(const Problem& problem, const Policy& policy, const TestEpisodes& test) {
  std::vector<EpisodeReturn> returns(static_cast<std::size_t>(test.episodes));
  const std::size_t size = test_block_size(test.episodes);
  const std::size_t blocks = (returns.size() + size - 1) / size;
  Workers(test.threads, test.stop).for_each(blocks, [&](std::size_t block) {
    const std::size_t first = block * size;
    const std::size_t count = std::min(size, returns.size() - first);
    play_block(problem, policy, test, static_cast<int>(first), std::span(returns).subspan(first, count));
  });
  return returns;
}

Estimate mean_return(const std::vector<EpisodeReturn>& returns) {
  std::vector<double> all;
  for (const EpisodeReturn& one : returns) all.push_back(one.undiscounted);
  const MeanEstimate mean = mean_estimate(all);
  return {mean.mean, mean.standard_error};
}

Visits visits_to(const Problem& problem, const Policy& policy, int state, const TestEpisodes& test) {
  std::vector<std::optional<int>> first(static_cast<std::size_t>(test.episodes));
  const std::size_t size = test_block_size(test.episodes);
  const std::size_t blocks = (first.size() + size - 1) / size;
  Workers(test.threads).for_each(blocks, [&](std::size_t block) {
    const std::unique_ptr<Policy> own = policy.clone();
    for (std::size_t i = block * size; i < std::min(first.size(), (block + 1) * size); ++i) {
      const auto look = [&](const Situation&, const StepRecord& step) {
        if (!first[i] && step.state == state) first[i] = step.step;
      };
      play_episode(problem, *own, test_episode_rng(test.seed, static_cast<int>(i)), {.acted = look});
    }
  });
  Visits seen{.episodes = test.episodes, .visiting = 0, .mean_first_step = 0};
  for (const std::optional<int>& step : first) {
    seen.visiting += step ? 1 : 0;
    seen.mean_first_step += step.value_or(0);
  }
  seen.mean_first_step =
      seen.visiting > 0 ? seen.mean_first_step / seen.visiting : std::numeric_limits<double>::quiet_NaN();
  return seen;
}

}  // namespace assay
