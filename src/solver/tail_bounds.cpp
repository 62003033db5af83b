#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/solver/detail/exact_options.hpp"
#include "assay/solver/detail/mdp.hpp"
#include "solver/stationary.hpp"

namespace assay {
namespace {

constexpr std::size_t kMostTailPlans = 64;

/// Values without an end, in every state and environment.
struct EndlessValues {
  std::size_t environments = 0;
  std::vector<double> known;               // [state][environment]
  std::vector<std::vector<double>> plans;  // of each plan, [state][environment]

  explicit EndlessValues(const Belief& prior) : environments(prior.weights().size()) {
    std::vector<Mdp> worlds;
    for (std::size_t e = 0; e < environments; ++e) worlds.push_back(prior.environment(e));
    const std::size_t states = static_cast<std::size_t>(prior.states());
    known.resize(states * environments);
    std::size_t planned = 0;
    const auto put = [&](const Mdp& mdp) {
      const PlanWorth worth = stationary_worth(mdp, worlds);
      std::vector<double>& values = plans.emplace_back(states * environments);
      for (std::size_t x = 0; x < states; ++x) {
        for (std::size_t e = 0; e < environments; ++e) values[x * environments + e] = worth.other[e][x];
      }
    };
    for (std::size_t e = 0; e < environments; ++e) {
      const PlanWorth worth = stationary_worth(worlds[e], {});
      for (std::size_t x = 0; x < states; ++x) known[x * environments + e] = worth.own[x];
      if (planned++ < kMostTailPlans) put(worlds[e]);
    }
    if (prior.expects_transitions()) put(prior.expected());
  }

  [[nodiscard]] Bounds at(int state, std::span<const double> weights) const {
    const auto mean = [&](const std::vector<double>& values) {
      double sum = 0;
      for (std::size_t e = 0; e < environments; ++e)
        sum += weights[e] * values[static_cast<std::size_t>(state) * environments + e];
      return sum;
    };
    const double upper = mean(known);
    double lower = -std::numeric_limits<double>::infinity();
    for (const std::vector<double>& plan : plans) lower = std::max(lower, mean(plan));
    return {std::min(lower, upper), upper};  // they cross by rounding at most
  }
};

}  // namespace

TailBounds tail_bounds(const Belief& prior) {
  if (!prior.weights().empty()) {
    return [values = std::make_shared<const EndlessValues>(prior)](
               int state, std::span<const double> weights) { return values->at(state, weights); };
  }
  const Interval any = prior.outline().cut->endless;
  return [any](int /*state*/, std::span<const double> /*weights*/) { return Bounds{any.low, any.high}; };
}

}  // namespace assay
