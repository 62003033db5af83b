// The mean of a normal reward under a uniform prior: its posterior is a normal law that is cut off at the
// ends of the prior. This is exact, because the prior is constant between them.
//
// After n draws of deviation t with the mean m, the law before the cut has the mean m and the deviation
// t / sqrt(n).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/core/error.hpp"
#include "assay/core/model.hpp"

namespace assay {

/// A normal law, or for a deviation that is infinite the uniform law, between `low` and `high`.
class TruncatedNormal {
 public:
  TruncatedNormal(double mean, double deviation, double low, double high);

  [[nodiscard]] double mean() const { return mean_; }
  [[nodiscard]] double variance() const { return variance_; }
  /// Minus infinity outside of the ends.
  [[nodiscard]] double log_density(double value) const;
  [[nodiscard]] double sample(Rng& rng) const;

 private:
  double centre_, deviation_, low_, high_;  // of the normal law, and its ends
  double log_mass_;                         // of the part between the ends, of the normal law
  double mean_, variance_;
};

/// A model whose actions pay normal rewards, each with an unknown mean of its own: action a is paid by cell
/// a.
template <class M>
concept NormalArms = requires(const M& f) {
  { f.arms() } -> std::convertible_to<int>;
  { f.low() } -> std::convertible_to<double>;
  { f.high() } -> std::convertible_to<double>;
  { f.noise() } -> std::convertible_to<double>;
};

/// Independent truncated normal laws of the means of all arms.
class TruncatedNormalBelief {
 public:
  template <NormalArms M>
  explicit TruncatedNormalBelief(const M& model)
      : low_(model.low()),
        high_(model.high()),
        noise_(model.noise()),
        words_(2 * static_cast<std::size_t>(model.arms())) {}

  [[nodiscard]] std::size_t cells() const { return words_.size() / 2; }
  [[nodiscard]] std::uint64_t draws(std::size_t arm) const { return words_[2 * arm]; }
  [[nodiscard]] TruncatedNormal law(std::size_t arm) const;

  template <class M>
  std::vector<double> sample(const M& /*model*/, Rng& rng) const {
    return draw(rng);
  }
  template <class M>
  double log_density(const M& /*model*/, const std::vector<double>& e) const {
    double sum = 0;
    for (std::size_t arm = 0; arm < cells(); ++arm) sum += law(arm).log_density(e[arm]);
    return sum;
  }
  template <class M>
  double expected_reward(const M& /*model*/, int /*x*/, int action) const {
    return law(static_cast<std::size_t>(action)).mean();
  }
  template <class M>
  double reward_variance(const M& /*model*/, int /*x*/, int action) const {
    return law(static_cast<std::size_t>(action)).variance();
  }

  /// Throws UsageError for an action, because there are infinitely many outcomes.
  template <class M, class Visit>
  void predict(const M& model, int x, int action, Visit&& visit) const {
    if (action != kArrive) model.throw_infinite(action);
    visit(1.0, Outcome{x, 0, {}});
  }
  template <class M>
  bool learns(const M& /*model*/, int /*x*/, int action) const {
    return action != kArrive;
  }
  template <class M>
  void observe(const M& /*model*/, int x, int action, const Outcome& seen) {
    take_in(x, action, seen);
  }

  /// [2][arms]: the mean, and how many times smaller its variance is than under the prior.
  [[nodiscard]] std::size_t feature_count() const { return 2 * cells(); }
  void features(std::span<double> out) const;

  [[nodiscard]] std::size_t words() const { return words_.size(); }
  void pack(std::span<std::uint64_t> key) const { std::ranges::copy(words_, key.begin()); }
  void unpack(std::span<const std::uint64_t> key) { std::ranges::copy(key, words_.begin()); }

  /// A text like "arm 0: 0.52 +- 0.1 (9 draws)", without arms that were not drawn.
  template <class M>
  std::string text(const M& model) const {
    std::vector<std::string> names;
    for (std::size_t arm = 0; arm < cells(); ++arm) names.push_back(model.action_name(static_cast<int>(arm)));
    return as_text(names);
  }

 private:
  [[nodiscard]] std::vector<double> draw(Rng& rng) const;
  void take_in(int x, int action, const Outcome& seen);
  [[nodiscard]] std::string as_text(std::span<const std::string> names) const;

  double low_, high_, noise_;
  std::vector<std::uint64_t> words_;  // [arm]: the number of draws, then the bits of their sum
};

}  // namespace assay
