// What present knowledge is worth, and what more of it could add at most.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/core/error.hpp"
#include "assay/core/workers.hpp"
#include "assay/solver/mdp.hpp"

namespace assay {

/// A number and how sure it is; a standard error of 0 says that the number is exact.
struct Estimate {
  double value = 0;
  double standard_error = 0;
};

/// The names of the paper's quantities at one belief and one distribution over states.
struct InformationValues {
  Estimate current;  // v^c = E v^{e'}(x;e): act for ever on one environment e' drawn from the belief
  Estimate full;     // E v^e(x;e): be told the environment
  Estimate bound;    // B = E v^e - v^c: what more knowledge could add at most
};

/// How to average over environments that are too many to sum over.
struct Sampling {
  std::uint64_t seed = 0;
  int samples = 2000;
  int threads = 0;
};

namespace detail {

double over_starts(const std::vector<Start>& starts, const std::vector<double>& value);

/// Mean and standard error of the mean.
Estimate mean_of(const std::vector<double>& samples);

template <class F, class B>
InformationValues summed(const F& family, const B& belief, const std::vector<Start>& starts, int remaining) {
  std::vector<double> weights;
  std::vector<TabularMdp> mdps;
  belief.for_each_environment(family, [&](double w, const auto& e) {
    weights.push_back(w);
    mdps.push_back(tabulate(family, e));
  });
  double current = 0;
  double full = 0;
  for (std::size_t i = 0; i < mdps.size(); ++i) {
    const Plan plan = optimal_plan(mdps[i], remaining);
    full += weights[i] * over_starts(starts, plan.value.back());
    for (std::size_t j = 0; j < mdps.size(); ++j) {
      current += weights[i] * weights[j] * over_starts(starts, plan_value(mdps[j], plan, remaining).back());
    }
  }
  return {{current, 0}, {full, 0}, {full - current, 0}};
}

/// Pairs (e, e') drawn independently. Each gives two full-information values and two cross-values.
template <class F, class B>
InformationValues sampled(const F& family, const B& belief, const std::vector<Start>& starts, int remaining,
                          const Sampling& sampling) {
  if (sampling.samples < 2) throw UsageError("a standard error needs at least 2 samples");
  const auto pairs = static_cast<std::size_t>(sampling.samples);
  std::vector<double> current(pairs);
  std::vector<double> full(pairs);
  std::vector<double> bound(pairs);
  Workers(sampling.threads).for_each(pairs, [&](std::size_t i) {
    Rng rng = Rng(sampling.seed).split(i);
    const TabularMdp one = tabulate(family, belief.sample(family, rng));
    const TabularMdp other = tabulate(family, belief.sample(family, rng));
    const Plan plan_one = optimal_plan(one, remaining);
    const Plan plan_other = optimal_plan(other, remaining);
    current[i] = (over_starts(starts, plan_value(one, plan_other, remaining).back()) +
                  over_starts(starts, plan_value(other, plan_one, remaining).back())) /
                 2;
    full[i] = (over_starts(starts, plan_one.value.back()) + over_starts(starts, plan_other.value.back())) / 2;
    bound[i] = full[i] - current[i];
  });
  return {mean_of(current), mean_of(full), mean_of(bound)};
}

}  // namespace detail

/// The values with `remaining` steps to go, about to arrive at a state drawn from `starts`. Exact for finite
/// beliefs and for families that know a closed form (`closed_form`), otherwise estimated with standard
/// errors.
template <class F, BeliefOver<F> B>
InformationValues information_values(const F& family, const B& belief, const std::vector<Start>& starts,
                                     int remaining, const Sampling& sampling) {
  if constexpr (requires { family.closed_form(belief, remaining); }) {
    return family.closed_form(belief, remaining);
  } else if constexpr (FiniteBeliefOver<B, F>) {
    return detail::summed(family, belief, starts, remaining);
  } else {
    return detail::sampled(family, belief, starts, remaining, sampling);
  }
}

}  // namespace assay
