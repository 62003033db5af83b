// A belief over a family's hidden environment: a value type with Bayes' rule.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>

#include "assay/core/family.hpp"

namespace assay {

/// B(f) is the prior. `predict` enumerates the outcomes that the belief expects, each once, with its
/// probability; `observe` conditions on one of them and throws ImpossibleEvidence if it had probability zero.
/// `words` and `pack` give a fixed-size key: equal keys mean equal beliefs, and `unpack` restores the belief.
/// Optional, for the exact solver's speed: `learns(f, x, a)` is false where no outcome can change the belief,
/// and `pack_after(f, x, a, outcome, key)` packs the belief after an outcome without making it. Optional, for
/// people: `reward_variance(f, x, a)` is that of the environments' expected rewards.
template <class B, class F>
concept BeliefOver = Family<F> && std::copyable<B> && std::constructible_from<B, const F&> &&
    requires(const B& b, B& changing, const F& f, const typename F::Environment& e, Rng& rng, int x, int a,
             const Outcome& outcome, std::span<double> out, std::span<std::uint64_t> key,
             std::span<const std::uint64_t> stored) {
  { b.sample(f, rng) } -> std::convertible_to<typename F::Environment>;
  { b.log_density(f, e) } -> std::convertible_to<double>;
  { b.expected_reward(f, x, a) } -> std::convertible_to<double>;
  b.predict(f, x, a, detail::OutcomeVisitor{});
  changing.observe(f, x, a, outcome);
  { b.feature_count() } -> std::convertible_to<std::size_t>;
  b.features(out);
  { b.words() } -> std::convertible_to<std::size_t>;
  b.pack(key);
  changing.unpack(stored);
  { b.text(f) } -> std::convertible_to<std::string>;
};

/// A belief over finitely many environments: expectations over it are sums, not samples.
/// for_each_environment calls visit(weight, e) for each environment of positive weight.
template <class B, class F>
concept FiniteBeliefOver = BeliefOver<B, F> && requires(const B& b, const F& f) {
  b.for_each_environment(f, [](double, const typename F::Environment&) {});
};

}  // namespace assay
