#include "assay/solver/detail/information.hpp"

#include <cmath>
#include <span>

#include "assay/core/detail/workers.hpp"
#include "assay/core/error.hpp"
#include "assay/solver/detail/mdp.hpp"
#include "solver/stationary.hpp"

namespace assay {
namespace {

double over_starts(const std::vector<Start>& starts, const std::vector<double>& value) {
  double sum = 0;
  for (const Start& start : starts) sum += start.probability * value[static_cast<std::size_t>(start.state)];
  return sum;
}

/// With so many steps to go, or without an end.
PlanWorth worth_of(const Mdp& planned, std::span<const Mdp> worlds, int remaining, const Stop& stop) {
  return remaining == kEndless ? stationary_worth(planned, worlds, stop)
                               : plan_worth(planned, worlds, remaining, stop);
}

InformationValues summed(const Belief& belief, const std::vector<Start>& starts, int remaining,
                         const Sampling& sampling) {
  std::vector<double> weights;
  std::vector<Mdp> mdps;
  for (Belief::Possibility& one : belief.environments()) {
    weights.push_back(one.probability);
    mdps.push_back(std::move(one.environment));
  }
  std::vector<double> currents(mdps.size());
  std::vector<double> fulls(mdps.size());
  Workers(sampling.threads, sampling.stop).for_each(mdps.size(), [&](std::size_t i) {
    const PlanWorth worth = worth_of(mdps[i], mdps, remaining, sampling.stop);
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

/// Pairs (e, e') that are drawn independently. Each pair gives two full-information values and two
/// cross-values.
InformationValues sampled(const Belief& belief, const std::vector<Start>& starts, int remaining,
                          const Sampling& sampling) {
  if (sampling.samples < 2) throw UsageError("a standard error needs at least 2 samples");
  const auto pairs = static_cast<std::size_t>(sampling.samples);
  std::vector<double> current(pairs);
  std::vector<double> full(pairs);
  std::vector<double> bound(pairs);
  const auto draw = [&](std::size_t i) {
    Rng rng = Rng(sampling.seed).split(i);
    const Mdp one = belief.sample_table(rng);
    const Mdp other = belief.sample_table(rng);
    const PlanWorth by_one = worth_of(one, std::span(&other, 1), remaining, sampling.stop);
    const PlanWorth by_other = worth_of(other, std::span(&one, 1), remaining, sampling.stop);
    current[i] = (over_starts(starts, by_other.other[0]) + over_starts(starts, by_one.other[0])) / 2;
    full[i] = (over_starts(starts, by_one.own) + over_starts(starts, by_other.own)) / 2;
    bound[i] = full[i] - current[i];
  };
  const std::size_t drawn = Workers(sampling.threads, sampling.stop).for_as_many(pairs, draw);
  if (drawn < 2) throw Stopped(sampling.stop.reason());
  for (std::vector<double>* values : {&current, &full, &bound}) values->resize(drawn);
  return {detail::mean_of(current), detail::mean_of(full), detail::mean_of(bound)};
}

}  // namespace

namespace detail {
Estimate mean_of(const std::vector<double>& samples) {
  const auto n = static_cast<double>(samples.size());
  double sum = 0;
  for (const double s : samples) sum += s;
  const double mean = sum / n;
  double squares = 0;
  for (const double s : samples) squares += (s - mean) * (s - mean);
  return {mean, std::sqrt(squares / (n - 1) / n)};
}
}  // namespace detail

InformationValues information_values(const Belief& belief, const std::vector<Start>& starts, int remaining,
                                     const Sampling& sampling) {
  if (belief.outline().endless()) remaining = kEndless;
  if (const auto known = belief.closed_form(remaining)) return *known;
  return belief.finite() ? summed(belief, starts, remaining, sampling)
                         : sampled(belief, starts, remaining, sampling);
}

}  // namespace assay
