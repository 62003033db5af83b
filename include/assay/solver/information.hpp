// What present knowledge is worth, and what more of it could add at most.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
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
  Stop stop = {};  // when to give up; throws Stopped
};

namespace detail {

double over_starts(const std::vector<Start>& starts, const std::vector<double>& value);

/// Mean and standard error of the mean.
Estimate mean_of(const std::vector<double>& samples);

template <class F, class B>
InformationValues summed(const F& family, const B& belief, const std::vector<Start>& starts, int remaining,
                         const Sampling& sampling) {
  std::vector<double> weights;
  std::vector<TabularMdp> mdps;
  belief.for_each_environment(family, [&](double w, const auto& e) {
    weights.push_back(w);
    mdps.push_back(tabulate(family, e));
  });
  std::vector<double> currents(mdps.size());
  std::vector<double> fulls(mdps.size());
  Workers(sampling.threads, sampling.stop).for_each(mdps.size(), [&](std::size_t i) {
    const PlanWorth worth = plan_worth(mdps[i], mdps, remaining, sampling.stop);
    fulls[i] = over_starts(starts, worth.own);
    for (std::size_t j = 0; j < mdps.size(); ++j) {
      currents[i] += weights[j] * over_starts(starts, worth.other[j]);
    }
  });
  double current = 0;
  double full = 0;
  for (std::size_t i = 0; i < mdps.size(); ++i) {
    current += weights[i] * currents[i];
    full += weights[i] * fulls[i];
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
  const auto draw = [&](std::size_t i) {
    Rng rng = Rng(sampling.seed).split(i);
    const TabularMdp one = tabulate(family, belief.sample(family, rng));
    const TabularMdp other = tabulate(family, belief.sample(family, rng));
    const PlanWorth by_one = plan_worth(one, std::span(&other, 1), remaining, sampling.stop);
    const PlanWorth by_other = plan_worth(other, std::span(&one, 1), remaining, sampling.stop);
    current[i] = (over_starts(starts, by_other.other[0]) + over_starts(starts, by_one.other[0])) / 2;
    full[i] = (over_starts(starts, by_one.own) + over_starts(starts, by_other.own)) / 2;
    bound[i] = full[i] - current[i];
  };
  const std::size_t drawn = Workers(sampling.threads, sampling.stop).for_as_many(pairs, draw);
  if (drawn < 2) throw Stopped(sampling.stop.reason());
  for (std::vector<double>* values : {&current, &full, &bound}) values->resize(drawn);
  return {mean_of(current), mean_of(full), mean_of(bound)};
}

}  // namespace detail

/// The values with `remaining` steps to go, about to arrive at a state drawn from `starts`. Exact for finite
/// beliefs and for families that know a closed form (`closed_form`), otherwise estimated with standard
/// errors, from as many samples as there are asked for and time is left for.
template <class F, BeliefOver<F> B>
InformationValues information_values(const F& family, const B& belief, const std::vector<Start>& starts,
                                     int remaining, const Sampling& sampling) {
  if constexpr (requires { family.closed_form(belief, remaining); }) {
    return family.closed_form(belief, remaining);
  } else if constexpr (FiniteBeliefOver<B, F>) {
    return detail::summed(family, belief, starts, remaining, sampling);
  } else {
    return detail::sampled(family, belief, starts, remaining, sampling);
  }
}

}  // namespace assay
