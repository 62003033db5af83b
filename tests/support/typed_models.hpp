// Models that no registry knows, behind the interfaces that everything is written against.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "assay/beliefs/finite.hpp"
#include "assay/core/episode.hpp"
#include "assay/core/rng.hpp"
#include "assay/problem/detail/belief_of.hpp"
#include "assay/solver/detail/exact.hpp"

namespace assay::support {

/// What is believed of a model before anything is seen.
template <class M, class B = FiniteBelief<M>>
BeliefOf<M, B> prior_of(const M& model) {
  return BeliefOf<M, B>(std::make_shared<const M>(model), outline_of(model), default_kernel());
}

/// This belief about the model, without the types.
template <class M, class B>
std::unique_ptr<Belief> erased(const M& model, const B& belief) {
  auto same = std::make_unique<BeliefOf<M, B>>(prior_of<M, B>(model));
  std::vector<std::uint64_t> key(belief.words());
  belief.pack(key);
  same->restore(key);
  return same;
}

/// Solved as a problem is.
template <class M, class B = FiniteBelief<M>>
ExactSolution solved_exactly(const M& model, const ExactOptions& options) {
  return {std::make_unique<const BeliefOf<M, B>>(prior_of<M, B>(model)),
          ExactSolver<M, B>(model, options).solve()};
}

/// An episode that draws what Problem::episode draws.
template <class M, class B = FiniteBelief<M>>
Episode episode_of(const M& model, Rng rng) {
  using Whole = detail::WholeEnvironment<M, B>;
  const auto shared = std::make_shared<const M>(model);
  Rng start_draw = rng.split(detail::kStartStream);
  std::vector<double> chances;
  for (const Start& start : model.starts()) chances.push_back(start.probability);
  const int start = model.starts()[categorical(start_draw, chances)].state;
  Rng environment_draw = rng.split(detail::kEnvironmentStream);
  const B prior(model);
  return {Situation(std::make_unique<BeliefOf<M, B>>(shared, outline_of(model), default_kernel()), start, 0),
          std::make_unique<EnvironmentOf<M, B, Whole>>(shared, prior, prior.sample(model, environment_draw)),
          rng};
}

}  // namespace assay::support
