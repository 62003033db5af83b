// Independent Bernoulli cells with Beta beliefs: the arms of a bandit, the cells of a treasure map.
//
// A model of this kind only states which cells are drawn when (`pulls`) and where an action leads (`next`).
// Outcomes, their probabilities under an environment or under a belief, sampling and Bayes' rule follow from
// that.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/beliefs/detail/beta_environment.hpp"
#include "assay/beliefs/detail/beta_field.hpp"
#include "assay/core/belief.hpp"
#include "assay/core/error.hpp"

namespace assay {

/// Draws of one cell in one step: `looks` draws that are only seen and, if `rewarded`, one draw that is
/// paid. The observation holds the successes among the looks, one number for each pull with looks, in order.
struct Pull {
  int cell = 0;
  int looks = 0;
  bool rewarded = false;
};

/// A model whose environment is a success probability for each cell. At most one pull of a step is rewarded,
/// and no cell occurs twice in a step.
template <class M>
concept BernoulliFamily = requires(const M& f, int x, int a) {
  { f.cells() } -> std::convertible_to<int>;
  { f.prior_a() } -> std::convertible_to<double>;
  { f.prior_b() } -> std::convertible_to<double>;
  { f.pulls(x, a) } -> std::convertible_to<std::span<const Pull>>;
  { f.next(x, a) } -> std::convertible_to<int>;
};

namespace detail {

/// log B(a,b).
double log_beta_function(double a, double b);
/// n over k, exact for the small numbers of looks that occur.
double binomial_coefficient(int n, int k);
/// The probability of k successes in n draws of a cell whose belief is Beta(a,b): the Beta-binomial law.
double beta_binomial(int n, int k, double a, double b);
/// The probability of k successes in n draws of success probability p.
double binomial_probability(int n, int k, double p);
/// A text like "0:2/3 4:0/1" (cell:successes/draws), without cells that were not drawn.
std::string counts_text(std::span<const std::uint64_t> counts);
[[noreturn]] void throw_impossible_pulls(std::span<const Pull> pulls, int next, const Outcome& seen);

/// Visits all results of one pull: visit(probability), with the outcome filled in. `chance(cell, looks,
/// successes, paid)` is the probability of `successes` among the looks after the paid draw gave `paid` (-1:
/// there was none).
template <class Chance, class Visit>
inline void enumerate_pull(const Pull& pull, Outcome& outcome, std::size_t seen, const Chance& chance,
                           const Visit& visit) {
  const int last_paid = pull.rewarded ? 1 : -1;
  for (int paid = pull.rewarded ? 0 : -1; paid <= last_paid; ++paid) {
    if (pull.rewarded) outcome.reward = paid;
    for (int k = 0; k <= pull.looks; ++k) {
      const double p = chance(pull.cell, pull.looks, k, paid);
      if (pull.looks > 0) outcome.observation[seen] = k;
      if (p > 0) visit(p);
    }
  }
}

/// Visits all joint results of independent pulls. Each probability is multiplied by `p`.
template <class Chance, class Visit>
void enumerate_product(std::span<const Pull> pulls, double p, Outcome& outcome, std::size_t seen,
                       const Chance& chance, Visit& visit) {
  if (pulls.empty()) return visit(p, std::as_const(outcome));
  const std::size_t next_seen = seen + (pulls.front().looks > 0 ? 1 : 0);
  enumerate_pull(pulls.front(), outcome, seen, chance, [&](double q) {
    enumerate_product(pulls.subspan(1), p * q, outcome, next_seen, chance, visit);
  });
}

inline std::size_t looked_at(std::span<const Pull> pulls) {
  std::size_t count = 0;
  for (const Pull& pull : pulls) count += pull.looks > 0 ? 1 : 0;
  return count;
}

template <class Chance, class Visit>
void enumerate_pulls(std::span<const Pull> pulls, int next, const Chance& chance, Visit& visit) {
  Outcome outcome{.next = next, .reward = 0, .observation = Observation(looked_at(pulls))};
  // Zero or one cell is by far the most frequent case. Unlike the recursion, it can be inlined.
  if (pulls.empty()) {
    visit(1.0, std::as_const(outcome));
  } else if (pulls.size() == 1) {
    enumerate_pull(pulls.front(), outcome, 0, chance, [&](double p) { visit(p, std::as_const(outcome)); });
  } else {
    enumerate_product(pulls, 1.0, outcome, 0, chance, visit);
  }
}

/// Throws ImpossibleEvidence unless `seen` is a possible result of the pulls and leads to `next`.
inline void check_seen(std::span<const Pull> pulls, int next, const Outcome& seen) {
  std::size_t looks = 0;
  bool paid = false;
  bool possible = seen.next == next;
  for (const Pull& pull : pulls) {
    paid = paid || pull.rewarded;
    if (pull.looks == 0) continue;
    const bool counted = looks < seen.observation.size();
    possible = possible && counted && seen.observation[looks] >= 0 && seen.observation[looks] <= pull.looks;
    ++looks;
  }
  possible = possible && looks == seen.observation.size() && (seen.reward == 0 || (paid && seen.reward == 1));
  if (!possible) throw_impossible_pulls(pulls, next, seen);
}

}  // namespace detail

/// The base class of families of Bernoulli cells: everything that follows from `pulls` and `next`.
template <class Derived>
class BernoulliOutcomes {
 public:
  using Hidden = std::vector<double>;  // [cell], success probability
  /// A model that inherits these members adds its own.
  static constexpr Members kMembers = {Member::kSample,          Member::kArcs,       Member::kExpectedReward,
                                       Member::kExpectedArrival, Member::kLikelihood, Member::kRewardRange};

  template <class Visit>
  void outcomes(int x, int a, const Hidden& e, Visit&& visit) const {
    const auto chance = [&](int cell, int looks, int k, int paid) {
      const double p = e[static_cast<std::size_t>(cell)];
      const double looked = detail::binomial_probability(looks, k, p);
      return paid < 0 ? looked : looked * (paid == 1 ? p : 1 - p);
    };
    detail::enumerate_pulls(self().pulls(x, a), self().next(x, a), chance, visit);
  }

  Outcome sample(int x, int a, const Hidden& e, Rng& rng) const {
    Outcome drawn{.next = self().next(x, a), .reward = 0, .observation = {}};
    for (const Pull& pull : self().pulls(x, a)) {
      const double p = e[static_cast<std::size_t>(pull.cell)];
      if (pull.rewarded) drawn.reward = bernoulli(rng, p) ? 1 : 0;
      if (pull.looks > 0) drawn.observation.push_back(binomial(rng, pull.looks, p));
    }
    return drawn;
  }

  double expected_reward(int x, int a, const Hidden& e) const {
    return paid_probability(x, a, [&](int cell) { return e[static_cast<std::size_t>(cell)]; });
  }

  double expected_arrival(int x, const Hidden& e) const {
    return phase_probability(x, kArrive, [&](int cell) { return e[static_cast<std::size_t>(cell)]; });
  }

  /// The likelihood of what the pulls show, without binomial coefficients.
  double likelihood(int x, int a, const Hidden& e, const Outcome& seen) const {
    double product = 1;
    std::size_t looked = 0;
    for (const Pull& pull : self().pulls(x, a)) {
      const double p = e[static_cast<std::size_t>(pull.cell)];
      if (pull.rewarded) product *= seen.reward > 0 ? p : 1 - p;
      if (pull.looks == 0) continue;
      const int successes = seen.observation[looked++];
      for (int i = 0; i < pull.looks; ++i) product *= i < successes ? p : 1 - p;
    }
    return product;
  }

  template <class Visit>
  void arcs(int x, int a, const Hidden& /*e*/, Visit&& visit) const {
    visit(1.0, self().next(x, a));
  }

  /// What a step pays at most: 1 for each cell that is collected in it.
  Interval reward_range() const {
    double most = 0;
    const auto pays = [](int /*cell*/) { return 1.0; };
    for (int x = 0; x < self().states(); ++x) {
      for (int a = 0; a < self().actions(); ++a) most = std::max(most, paid_probability(x, a, pays));
    }
    return {0, most};
  }

  /// The expected reward of arriving at x and doing a, when cell c pays with probability chance(c).
  template <class Chance>
  double paid_probability(int x, int a, const Chance& chance) const {
    return phase_probability(x, kArrive, chance) + phase_probability(x, a, chance);
  }
  /// The part of it that arriving pays, or the part that the action pays.
  template <class Chance>
  double phase_probability(int x, int phase, const Chance& chance) const {
    for (const Pull& pull : self().pulls(x, phase)) {
      if (pull.rewarded) return chance(pull.cell);  // at most one is rewarded
    }
    return 0;
  }

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }
};

/// Beta(prior_a + successes, prior_b + failures) for every cell, independently.
class BetaBelief {
 public:
  template <BernoulliFamily M>
  explicit BetaBelief(const M& model)
      : prior_a_(model.prior_a()),
        prior_b_(model.prior_b()),
        counts_(static_cast<std::size_t>(model.cells())) {}

  [[nodiscard]] std::size_t cells() const { return counts_.size(); }
  [[nodiscard]] std::uint32_t successes(std::size_t cell) const {
    return static_cast<std::uint32_t>(counts_[cell]);
  }
  [[nodiscard]] std::uint32_t failures(std::size_t cell) const {
    return static_cast<std::uint32_t>(counts_[cell] >> 32U);
  }
  [[nodiscard]] double a(std::size_t cell) const { return prior_a_ + successes(cell); }
  [[nodiscard]] double b(std::size_t cell) const { return prior_b_ + failures(cell); }
  [[nodiscard]] double mean(std::size_t cell) const { return a(cell) / (a(cell) + b(cell)); }
  [[nodiscard]] double variance(std::size_t cell) const {
    return mean(cell) * (1 - mean(cell)) / (a(cell) + b(cell) + 1);
  }

  /// Draws many environments at once, as beta_field.hpp describes.
  [[nodiscard]] std::shared_ptr<const BetaFieldSampler> field_sampler(Kernel kernel) const {
    return std::make_shared<const BetaFieldSampler>(prior_a_, prior_b_, kernel);
  }
  void draw_fields(const BetaFieldSampler& sampler, const DrawKey& key, std::size_t draws,
                   std::span<float> out) const {
    sampler.draw(counts_, key, draws, out);
  }

  template <class M>
  std::vector<double> sample(const M& /*model*/, Rng& rng) const {
    std::vector<double> e(cells());
    for (std::size_t c = 0; c < cells(); ++c) e[c] = beta(rng, a(c), b(c));
    return e;
  }

  /// For search by simulation: a cell is drawn when it is first needed.
  template <class M>
  using LazyEnvironment = BetaEnvironment<M, BetaBelief>;

  template <class M>
  double log_density(const M& /*model*/, const std::vector<double>& e) const {
    double sum = 0;
    for (std::size_t c = 0; c < cells(); ++c) {
      sum += (a(c) - 1) * std::log(e[c]) + (b(c) - 1) * std::log1p(-e[c]) -
             detail::log_beta_function(a(c), b(c));
    }
    return sum;
  }

  template <class M>
  double expected_reward(const M& model, int x, int action) const {
    return model.paid_probability(x, action, [&](int cell) { return mean(static_cast<std::size_t>(cell)); });
  }

  /// The part of it that arriving pays.
  template <class M>
  double expected_arrival(const M& model, int x) const {
    return model.phase_probability(x, kArrive,
                                   [&](int cell) { return mean(static_cast<std::size_t>(cell)); });
  }

  template <class M>
  double reward_variance(const M& model, int x, int action) const {
    std::vector<std::size_t> paid;
    model.paid_probability(x, action, [&](int cell) {
      paid.push_back(static_cast<std::size_t>(cell));
      return 0.0;
    });
    // Different cells are independent. A cell that pays on arrival and by the action counts twice.
    double sum = 0;
    for (const std::size_t c : paid) sum += static_cast<double>(std::ranges::count(paid, c)) * variance(c);
    return sum;
  }

  template <class M, class Visit>
  void predict(const M& model, int x, int action, Visit&& visit) const {
    const std::span<const Pull> pulls = model.pulls(x, action);
    if (pulls.size() == 1 && pulls[0].looks == 0 && pulls[0].rewarded) {
      return predict_paid_draw(static_cast<std::size_t>(pulls[0].cell), model.next(x, action), visit);
    }
    const auto chance = [&](int cell, int looks, int k, int paid) {
      const auto c = static_cast<std::size_t>(cell);
      if (paid < 0) return detail::beta_binomial(looks, k, a(c), b(c));
      const double p = (paid == 1 ? a(c) : b(c)) / (a(c) + b(c));
      // The paid draw is evidence for the looks of the same pull.
      return p * detail::beta_binomial(looks, k, a(c) + paid, b(c) + 1 - paid);
    };
    detail::enumerate_pulls(pulls, model.next(x, action), chance, visit);
  }

  /// Can any outcome change the belief?
  template <class M>
  bool learns(const M& model, int x, int action) const {
    return !model.pulls(x, action).empty();
  }

  template <class M>
  void observe(const M& model, int x, int action, const Outcome& seen) {
    const std::span<const Pull> pulls = model.pulls(x, action);
    detail::check_seen(pulls, model.next(x, action), seen);
    count(pulls, seen, counts_);
  }

  /// The key of the belief after an outcome that `predict` named, which saves the exact solver a copy for
  /// each arc.
  template <class M>
  void pack_after(const M& model, int x, int action, const Outcome& seen,
                  std::span<std::uint64_t> key) const {
    for (std::size_t c = 0; c < counts_.size(); ++c) key[c] = counts_[c];
    count(model.pulls(x, action), seen, key);
  }

  /// [2][cells]: all a, then all b. The network of the paper takes them as two images.
  [[nodiscard]] std::size_t feature_count() const { return 2 * cells(); }
  void features(std::span<double> out) const {
    for (std::size_t c = 0; c < cells(); ++c) {
      out[c] = a(c);
      out[cells() + c] = b(c);
    }
  }

  [[nodiscard]] std::size_t words() const { return counts_.size(); }
  void pack(std::span<std::uint64_t> key) const { std::ranges::copy(counts_, key.begin()); }
  void unpack(std::span<const std::uint64_t> key) { std::ranges::copy(key, counts_.begin()); }

  template <class M>
  std::string text(const M& /*model*/) const {
    return detail::counts_text(counts_);
  }

 private:
  /// A bandit has only this kind of outcome, and this is the exact solver's innermost loop there.
  template <class Visit>
  void predict_paid_draw(std::size_t cell, int next, Visit& visit) const {
    const double total = a(cell) + b(cell);
    Outcome outcome{.next = next, .reward = 0, .observation = {}};
    visit(b(cell) / total, std::as_const(outcome));
    outcome.reward = 1;
    visit(a(cell) / total, std::as_const(outcome));
  }

  static void count(std::span<const Pull> pulls, const Outcome& seen, std::span<std::uint64_t> counts) {
    std::size_t next_look = 0;
    for (const Pull& pull : pulls) {
      const int looked = pull.looks > 0 ? seen.observation[next_look++] : 0;
      const int paid = pull.rewarded && seen.reward > 0 ? 1 : 0;
      const int draws = pull.looks + (pull.rewarded ? 1 : 0);
      const int good = looked + paid;
      const int bad = draws - good;
      counts[static_cast<std::size_t>(pull.cell)] +=
          static_cast<std::uint64_t>(good) | static_cast<std::uint64_t>(bad) << 32U;
    }
  }

  double prior_a_, prior_b_;
  std::vector<std::uint64_t> counts_;  // [cell]: successes, and failures in the upper half; also the key
};

}  // namespace assay
