// The truth by brute force, for tests only: recursion over histories, with nothing merged and nothing
// remembered.
//
// It shares no code with the solver or the belief classes. Exponential in the horizon, which is the price of
// being too simple to be wrong in the same way as what it checks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "assay/core/detail/model_check.hpp"
#include "assay/core/model.hpp"

namespace assay::oracle {

inline constexpr double kImpossible = -std::numeric_limits<double>::infinity();

/// Ties as the library promises them: the lowest action number, where rounding does not tell actions apart.
inline int lowest_best(const std::vector<double>& values) {
  const double best = *std::max_element(values.begin(), values.end());
  int a = 0;
  while (values[static_cast<std::size_t>(a)] < best - 1e-10 * std::max(1.0, std::abs(best))) ++a;
  return a;
}

/// Ties among policies: the action that earns earliest, E[sum_t t gamma^t r_t] being smallest; then the
/// lowest.
inline int earliest_best(const std::vector<double>& values, const std::vector<double>& delays) {
  const double best = *std::max_element(values.begin(), values.end());
  int found = -1;
  for (int a = 0; a < static_cast<int>(values.size()); ++a) {
    const auto at = static_cast<std::size_t>(a);
    if (values[at] < best - 1e-10 * std::max(1.0, std::abs(best))) continue;
    if (found < 0 || delays[at] < delays[static_cast<std::size_t>(found)] - 1e-9) found = a;
  }
  return found;
}

/// Bayes-optimal values of a family with environments 0, 1, ...; `Weights` are never normalised: a weight is
/// the joint probability of its environment and of all that was seen, so that Bayes' rule is a product.
template <class F>
class FiniteExpectimax {
  static_assert(detail::kMembersChecked<F>);  // what it says besides its outcomes is asked for, too

 public:
  using Weights = std::vector<double>;

  explicit FiniteExpectimax(const F& family) : f_(family) {}

  /// v* under the prior, over the starts.
  double value() const {
    double sum = 0;
    for (const Start& start : f_.starts())
      sum += start.probability * value(start.state, prior(), f_.horizon());
    return sum;
  }

  /// About to arrive at x.
  double value(int x, const Weights& weights, int remaining) const {
    return arriving(x, weights, remaining) / total(weights);
  }

  /// After the arrival has been seen: one value per action.
  std::vector<double> action_values(int x, const Weights& weights, int remaining) const {
    std::vector<double> values = choosing(x, weights, remaining);
    for (double& v : values) v /= total(weights);
    return values;
  }

  /// And how late each action earns that, if everyone later chooses by earliest_best.
  std::vector<double> action_delays(int x, const Weights& weights, int remaining) const {
    std::vector<double> delays = choosing_delays(x, weights, remaining);
    for (double& d : delays) d /= total(weights);
    return delays;
  }

  Weights prior() const {
    Weights weights = f_.prior();
    const double sum = total(weights);
    for (double& w : weights) w /= sum;
    return weights;
  }

  /// What can be seen at (x, a): the joint weights that go with each distinct outcome.
  struct Branch {
    Outcome outcome;
    Weights joint;
  };
  std::vector<Branch> branches(int x, int a, const Weights& weights) const {
    std::vector<Branch> all;
    for (std::size_t e = 0; e < weights.size(); ++e) {
      f_.outcomes(x, a, static_cast<int>(e), [&](double p, const Outcome& o) {
        if (p * weights[e] <= 0) return;
        std::size_t i = 0;
        while (i < all.size() && !same(all[i].outcome, o)) ++i;
        if (i == all.size()) all.push_back({o, Weights(weights.size())});
        all[i].joint[e] += p * weights[e];
      });
    }
    return all;
  }

 private:
  static double total(const Weights& weights) {
    double sum = 0;
    for (const double w : weights) sum += w;
    return sum;
  }

  static bool same(const Outcome& l, const Outcome& r) {
    return l.next == r.next && l.reward == r.reward && l.observation == r.observation;
  }

  double arriving(int x, const Weights& weights, int remaining) const {
    double sum = 0;
    for (const Branch& seen : branches(x, kArrive, weights)) {
      const std::vector<double> values = choosing(x, seen.joint, remaining);
      sum += seen.outcome.reward * total(seen.joint) + *std::max_element(values.begin(), values.end());
    }
    return sum;
  }

  double arriving_delay(int x, const Weights& weights, int remaining) const {
    double sum = 0;
    for (const Branch& seen : branches(x, kArrive, weights)) {
      const std::vector<double> delays = choosing_delays(x, seen.joint, remaining);
      const int best =
          earliest_best(action_values(x, seen.joint, remaining), action_delays(x, seen.joint, remaining));
      sum += delays[static_cast<std::size_t>(best)];
    }
    return sum;
  }

  std::vector<double> choosing_delays(int x, const Weights& weights, int remaining) const {
    std::vector<double> delays(static_cast<std::size_t>(f_.actions()));
    for (int a = 0; a < f_.actions(); ++a) {
      if (!allowed(f_, x, a) || remaining == 1) continue;
      for (const Branch& seen : branches(x, a, weights)) {
        delays[static_cast<std::size_t>(a)] +=
            f_.discount() * (arriving(seen.outcome.next, seen.joint, remaining - 1) +
                             arriving_delay(seen.outcome.next, seen.joint, remaining - 1));
      }
    }
    return delays;
  }

  std::vector<double> choosing(int x, const Weights& weights, int remaining) const {
    std::vector<double> values;
    for (int a = 0; a < f_.actions(); ++a) {
      values.push_back(allowed(f_, x, a) ? 0 : kImpossible);
      if (!allowed(f_, x, a)) continue;
      for (const Branch& seen : branches(x, a, weights)) {
        const double future = remaining > 1 ? arriving(seen.outcome.next, seen.joint, remaining - 1) : 0;
        values.back() += seen.outcome.reward * total(seen.joint) + f_.discount() * future;
      }
    }
    return values;
  }

  const F& f_;
};

/// Bayes-optimal values of a family of Bernoulli cells. Each draw is taken by itself from Polya's urn:
/// success has probability (a+s)/(a+b+s+f) after s successes and f failures. That the agent sees only sums
/// does not matter: the order of draws carries no information.
template <class F>
class UrnExpectimax {
  static_assert(detail::kMembersChecked<F>);  // what it says besides its outcomes is asked for, too

 public:
  struct Urn {
    double successes, failures;  // the prior's included
  };
  using Urns = std::vector<Urn>;

  explicit UrnExpectimax(const F& family) : f_(family) {}

  double value() const {
    double sum = 0;
    for (const Start& start : f_.starts())
      sum += start.probability * value(start.state, prior(), f_.horizon());
    return sum;
  }

  double value(int x, Urns urns, int remaining) const {
    return drawn(draws(x, kArrive), 0, urns, [&](const Urns& known) {
      const std::vector<double> values = action_values(x, known, remaining);
      return *std::max_element(values.begin(), values.end());
    });
  }

  std::vector<double> action_values(int x, Urns known, int remaining) const {
    std::vector<double> values;
    for (int a = 0; a < f_.actions(); ++a) {
      values.push_back(kImpossible);
      if (!allowed(f_, x, a)) continue;
      values.back() = drawn(draws(x, a), 0, known, [&](const Urns& after) {
        return remaining > 1 ? f_.discount() * value(f_.next(x, a), after, remaining - 1) : 0.0;
      });
    }
    return values;
  }

  Urns prior() const { return Urns(static_cast<std::size_t>(f_.cells()), {f_.prior_a(), f_.prior_b()}); }

 private:
  struct Draw {
    std::size_t cell;
    double pays;
  };

  std::vector<Draw> draws(int x, int a) const {
    std::vector<Draw> all;
    for (const auto& pull : f_.pulls(x, a)) {
      const auto cell = static_cast<std::size_t>(pull.cell);
      for (int look = 0; look < pull.looks; ++look) all.push_back({cell, 0});
      if (pull.rewarded) all.push_back({cell, 1});
    }
    return all;
  }

  /// The urns are changed and put back: a copy at every draw is an allocation, dear under sanitizers.
  template <class Then>
  double drawn(const std::vector<Draw>& todo, std::size_t done, Urns& urns, const Then& then) const {
    if (done == todo.size()) return then(urns);
    const Draw draw = todo[done];
    const Urn before = urns[draw.cell];
    const double p = before.successes / (before.successes + before.failures);
    urns[draw.cell] = {before.successes + 1, before.failures};
    const double success = draw.pays + drawn(todo, done + 1, urns, then);
    urns[draw.cell] = {before.successes, before.failures + 1};
    const double failure = drawn(todo, done + 1, urns, then);
    urns[draw.cell] = before;
    return p * success + (1 - p) * failure;
  }

  const F& f_;
};

/// v^c and E[v^e] of a finite family, state by state and pair by pair.
template <class F>
class FiniteInformation {
  static_assert(detail::kMembersChecked<F>);  // what it says besides its outcomes is asked for, too

 public:
  explicit FiniteInformation(const F& family) : f_(family) {}

  /// v^{plan_of}(x; e): follow in `e` what is best in `plan_of`. With plan_of = e, the full-information
  /// value.
  double cross_value(int plan_of, int e, int x, int remaining) const {
    if (remaining == 0) return 0;
    return action_value(plan_of, e, x, planned(plan_of, x, remaining), remaining);
  }

  double current(const std::vector<Start>& starts, const std::vector<double>& prior, int remaining) const {
    double sum = 0;
    for (std::size_t i = 0; i < prior.size(); ++i) {
      for (std::size_t j = 0; j < prior.size(); ++j)
        sum += prior[i] * prior[j] * over(starts, i, j, remaining);
    }
    return sum;
  }

  double full(const std::vector<Start>& starts, const std::vector<double>& prior, int remaining) const {
    double sum = 0;
    for (std::size_t e = 0; e < prior.size(); ++e) sum += prior[e] * over(starts, e, e, remaining);
    return sum;
  }

 private:
  double over(const std::vector<Start>& starts, std::size_t plan_of, std::size_t e, int remaining) const {
    double sum = 0;
    for (const Start& start : starts) {
      sum += start.probability *
             cross_value(static_cast<int>(plan_of), static_cast<int>(e), start.state, remaining);
    }
    return sum;
  }

  /// Arriving at x and doing `a` in `e`, then following the plan.
  double action_value(int plan_of, int e, int x, int a, int remaining) const {
    double sum = 0;
    f_.outcomes(x, kArrive, e, [&](double p, const Outcome& o) { sum += p * o.reward; });
    f_.outcomes(x, a, e, [&](double p, const Outcome& o) {
      if (p > 0) sum += p * (o.reward + f_.discount() * cross_value(plan_of, e, o.next, remaining - 1));
    });
    return sum;
  }

  int planned(int e, int x, int remaining) const {
    std::vector<double> values;
    for (int a = 0; a < f_.actions(); ++a) {
      values.push_back(allowed(f_, x, a) ? action_value(e, e, x, a, remaining) : kImpossible);
    }
    return lowest_best(values);
  }

  const F& f_;
};

}  // namespace assay::oracle
