#include "problem/rehearsal.hpp"

#include <algorithm>
#include <map>

#include "assay/core/detail/kernel.hpp"
#include "assay/core/detail/workers.hpp"
#include "assay/solver/detail/mdp.hpp"

namespace assay {
namespace {

/// Is this a state in which nothing is paid or seen any more and which no action leaves?
std::vector<bool> dead_ends(const Problem& problem) {
  std::vector<bool> dead(static_cast<std::size_t>(problem.states()), true);
  const std::unique_ptr<Belief> prior = problem.prior();
  const auto look = [&](const Mdp& mdp) {
    for (int x = 0; x < mdp.states; ++x) {
      const auto first = static_cast<std::size_t>(x) * static_cast<std::size_t>(mdp.actions);
      for (std::uint32_t i = mdp.first_arc[first];
           i < mdp.first_arc[first + static_cast<std::size_t>(mdp.actions)]; ++i) {
        if (mdp.arcs[i].next != x && mdp.arcs[i].probability > 0) dead[static_cast<std::size_t>(x)] = false;
      }
    }
  };
  if (prior->known_transitions()) {
    look(prior->mean());
  } else {
    for (std::size_t e = 0; e < prior->weights().size(); ++e) look(prior->environment(e));
  }
  for (int x = 0; x < problem.states(); ++x) {
    for (int a = kArrive; a < problem.actions(); ++a) {
      const bool possible = a == kArrive || prior->allowed(x, a);
      if (dead[static_cast<std::size_t>(x)] && possible && prior->collects(x, a))
        dead[static_cast<std::size_t>(x)] = false;
    }
  }
  return dead;
}

}  // namespace

Rehearsal rehearse(const Problem& problem, const Policy& policy, const std::vector<SourcePlaces>& sources,
                   const RehearsalSettings& settings) {
  const auto episodes = static_cast<std::size_t>(settings.episodes);
  Rehearsal all{std::vector<double>(episodes), std::vector<std::vector<int>>(episodes),
                std::vector<std::vector<int>>(episodes, std::vector<int>(sources.size()))};
  std::map<std::pair<int, int>, std::vector<std::size_t>> source_at;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    for (const std::pair<int, int>& place : sources[s].where) source_at[place].push_back(s);
  }
  const std::vector<bool> over = dead_ends(problem);
  constexpr std::size_t kChunk = 10;  // episodes that one copy of the policy plays
  Workers workers(settings.threads, settings.stop);
  const std::size_t chunks = workers.for_as_many((episodes + kChunk - 1) / kChunk, [&](std::size_t chunk) {
    const std::unique_ptr<Policy> own = policy.clone();
    for (std::size_t i = chunk * kChunk; i < std::min(episodes, (chunk + 1) * kChunk); ++i) {
      const auto use = [&](int state, int action) {
        const auto found = source_at.find({state, action});
        if (found == source_at.end()) return;
        for (const std::size_t s : found->second) ++all.uses[i][s];
      };
      const auto acted = [&](const Situation& /*now*/, const StepRecord& step) {
        if (step.step < settings.actions) {
          all.actions[i].push_back(over[static_cast<std::size_t>(step.state)] ? -1 : step.action);
        }
        use(step.state, kArrive);
        use(step.state, step.action);
      };
      all.returns[i] =
          play_episode(problem, *own, settings.rng.split(i), {.acted = acted, .stop = settings.stop})
              .discounted;
    }
  });
  const std::size_t played = std::min(episodes, chunks * kChunk);
  all.returns.resize(played);
  all.actions.resize(played);
  all.uses.resize(played);
  return all;
}

}  // namespace assay
