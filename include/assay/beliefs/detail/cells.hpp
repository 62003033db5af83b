// Independent unknown rewards with conjugate beliefs, each with a prior of its own: rewards that are paid
// with an unknown probability (Beta and Bernoulli), and rewards of an unknown mean (normal and normal).
//
// In the families of beta.hpp all cells are alike and nothing else pays. A model of this kind also has known
// moves and known rewards, which may be random.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/beliefs/beta.hpp"
#include "assay/core/belief.hpp"
#include "assay/core/detail/bounds.hpp"
#include "assay/core/error.hpp"

namespace assay {

/// A reward that is unknown to the agent, with its prior.
struct UnknownReward {
  enum class Law { kBernoulli, kNormal };
  std::string name;
  Law law = Law::kBernoulli;
  double amount = 1;               // Bernoulli: the reward of a success
  double a = 1, b = 1;             // Bernoulli: Beta prior of its success probability
  double mean = 0, deviation = 1;  // normal: prior of its mean
  double noise = 1;                // normal: deviation of single rewards around that mean; may be 0

  /// The mean of a draw, in units of what is unknown: a success probability or a mean.
  [[nodiscard]] double unit() const { return law == Law::kBernoulli ? amount : 1; }
};

/// The unknown rewards of a model, shared by all beliefs about them.
struct UnknownRewards {
  explicit UnknownRewards(std::vector<UnknownReward> rewards);

  [[nodiscard]] std::size_t size() const { return all.size(); }
  [[nodiscard]] const UnknownReward& operator[](std::size_t which) const { return all[which]; }
  /// What one of them pays at least and at most. Normal rewards have no such limits. Then these are limits of
  /// what the best and the worst of them pay on average: the largest of n means with deviations up to s is
  /// expected to be at most sqrt(2 log n) s above its own prior mean.
  [[nodiscard]] Interval range(std::size_t which) const;

  std::vector<UnknownReward> all;
  std::vector<std::size_t> sum_word;  // [unknown], if normal: the word of a key that holds its sum
  std::size_t words;                  // of a key
  double normal_scale;                // the size of the normal rewards, for the features
};

/// Which unknown rewards are paid or looked at in a step, and what is paid besides.
template <class M>
concept PullingFamily = requires(const M& f, int x, int a, const Outcome& seen) {
  { f.unknowns() } -> std::convertible_to<std::shared_ptr<const UnknownRewards>>;
  { f.pulls(x, a) } -> std::convertible_to<std::span<const Pull>>;
  /// The known reward of the possibility to which `seen` belongs. Throws ImpossibleEvidence if there is
  /// none.
  { f.known_reward(x, a, seen) } -> std::convertible_to<double>;
};

/// What a belief about unknown rewards needs to know of a step. The outcome is one of the known
/// `possibilities` (each with its probability and outcome), combined with independent pulls. Their looks are
/// observed after what the possibility shows, and the reward of the one rewarded pull is added to the
/// possibility's reward.
template <class M>
concept CellLikeFamily = PullingFamily<M> && requires(const M& f, int x, int a) {
  f.possibilities(x, a);
  /// Throws UsageError if a normal reward is paid.
  f.need_enumerable(x, a);
};

namespace detail {

/// The probability of a paid draw if the success probability or mean is `value`; for a normal reward its
/// density, up to a factor.
double paid_likelihood(const UnknownReward& reward, double value, double paid);

/// The pull that is paid; there is at most one.
inline const Pull* rewarded_pull(std::span<const Pull> pulls) {
  for (const Pull& pull : pulls) {
    if (pull.rewarded) return &pull;
  }
  return nullptr;
}

/// Visits all outcomes of a step with these possibilities and pulls. `chance` is as in enumerate_pull;
/// `amount` is what a success of the rewarded pull pays.
template <class Possibilities, class Chance, class Visit>
void enumerate_step(const Possibilities& possibilities, std::span<const Pull> pulls, double amount,
                    const Chance& chance, Visit& visit) {
  const bool pays = rewarded_pull(pulls) != nullptr;
  for (const auto& known : possibilities) {
    if (pulls.empty()) {
      visit(known.probability, known.outcome);
      continue;
    }
    Outcome outcome = known.outcome;
    const std::size_t shown = outcome.observation.size();
    outcome.observation.resize(shown + looked_at(pulls));
    const auto whole = [&](double p, const Outcome& /*ours*/) {
      const double paid = outcome.reward;  // 0 or 1, if something is paid
      if (pays) outcome.reward = known.outcome.reward + paid * amount;
      visit(p, std::as_const(outcome));
      outcome.reward = paid;
    };
    enumerate_product(pulls, known.probability, outcome, shown, chance, whole);
  }
}

}  // namespace detail

/// Beta(a + successes, b + failures) or a normal law for every unknown reward, independently.
class CellBelief {
 public:
  template <PullingFamily M>
  explicit CellBelief(const M& model) : unknown_(model.unknowns()), words_(unknown_->words) {}

  [[nodiscard]] std::size_t cells() const { return unknown_->size(); }
  /// The Beta law of a Bernoulli reward.
  [[nodiscard]] double a(std::size_t cell) const {
    return (*unknown_)[cell].a + static_cast<std::uint32_t>(words_[cell]);
  }
  [[nodiscard]] double b(std::size_t cell) const {
    return (*unknown_)[cell].b + static_cast<std::uint32_t>(words_[cell] >> 32U);
  }
  /// The mean and the variance of what is unknown: a success probability or a mean.
  [[nodiscard]] double mean(std::size_t cell) const;
  [[nodiscard]] double variance(std::size_t cell) const;

  template <class M>
  std::vector<double> sample(const M& /*model*/, Rng& rng) const {
    return draw(rng);
  }
  template <class M>
  double log_density(const M& /*model*/, const std::vector<double>& e) const {
    return log_density_at(e);
  }

  template <class M>
  double expected_reward(const M& model, int x, int action) const {
    return model.reward_with(x, action, [&](std::size_t cell) { return mean(cell); });
  }

  template <class M>
  double expected_arrival(const M& model, int x) const {
    return model.phase_reward(x, kArrive, [&](std::size_t cell) { return mean(cell); });
  }

  template <class M>
  double reward_variance(const M& model, int x, int action) const {
    const Pull* arriving = detail::rewarded_pull(model.pulls(x, kArrive));
    const Pull* acting = detail::rewarded_pull(model.pulls(x, action));
    // Different rewards are independent. A reward that is paid on arrival and by the action counts twice.
    const double together =
        arriving != nullptr && acting != nullptr && arriving->cell == acting->cell ? 2 : 1;
    return together * (paid_variance(arriving) + paid_variance(acting));
  }

  template <CellLikeFamily M, class Visit>
  void predict(const M& model, int x, int action, Visit&& visit) const {
    model.need_enumerable(x, action);
    const std::span<const Pull> pulls = model.pulls(x, action);
    const auto chance = [&](int cell, int looks, int k, int paid) {
      const auto c = static_cast<std::size_t>(cell);
      if (paid < 0) return detail::beta_binomial(looks, k, a(c), b(c));
      const double p = (paid == 1 ? a(c) : b(c)) / (a(c) + b(c));
      // The paid draw is evidence for the looks of the same pull.
      return p * detail::beta_binomial(looks, k, a(c) + paid, b(c) + 1 - paid);
    };
    detail::enumerate_step(model.possibilities(x, action), pulls, paid_amount(pulls), chance, visit);
  }

  /// Can any outcome change the belief?
  template <class M>
  bool learns(const M& model, int x, int action) const {
    return any_unsettled(model.pulls(x, action));
  }

  template <class M>
  void observe(const M& model, int x, int action, const Outcome& seen) {
    const double known = model.known_reward(x, action, seen);
    take_in(model.pulls(x, action), seen, known, words_);
  }

  /// The key of the belief after an outcome that `predict` named, which saves the exact solver a copy for
  /// each arc.
  template <class M>
  void pack_after(const M& model, int x, int action, const Outcome& seen,
                  std::span<std::uint64_t> key) const {
    pack(key);
    take_in(model.pulls(x, action), seen, model.known_reward(x, action, seen), key);
  }

  /// [2][cells]: for a Bernoulli reward its a and b. For a normal reward its mean, relative to the largest
  /// size of a prior, and by how much it varies less than under the prior.
  [[nodiscard]] std::size_t feature_count() const { return 2 * cells(); }
  void features(std::span<double> out) const;

  [[nodiscard]] std::size_t words() const { return words_.size(); }
  void pack(std::span<std::uint64_t> key) const { std::ranges::copy(words_, key.begin()); }
  void unpack(std::span<const std::uint64_t> key) { std::ranges::copy(key, words_.begin()); }

  /// A text like "gold:2/3, silver 1.52 +- 0.3": successes/draws, or mean and deviation. Rewards that were
  /// not drawn are left out.
  template <class M>
  std::string text(const M& /*model*/) const {
    return as_text();
  }

 private:
  [[nodiscard]] bool is_normal(std::size_t cell) const {
    return (*unknown_)[cell].law == UnknownReward::Law::kNormal;
  }
  /// A reward without noise is known after one draw.
  [[nodiscard]] bool settled(std::size_t cell) const {
    return is_normal(cell) && (*unknown_)[cell].noise == 0 && words_[cell] > 0;
  }
  [[nodiscard]] double deviation(std::size_t cell) const;
  [[nodiscard]] double normal_mean(std::size_t cell) const;
  [[nodiscard]] double paid_amount(std::span<const Pull> pulls) const {
    const Pull* paid = detail::rewarded_pull(pulls);
    return paid == nullptr ? 0 : (*unknown_)[static_cast<std::size_t>(paid->cell)].unit();
  }
  [[nodiscard]] double paid_variance(const Pull* paid) const;
  [[nodiscard]] bool any_unsettled(std::span<const Pull> pulls) const;
  [[nodiscard]] std::vector<double> draw(Rng& rng) const;
  [[nodiscard]] double log_density_at(const std::vector<double>& e) const;
  [[nodiscard]] std::string as_text() const;
  /// Throws ImpossibleEvidence and then leaves the key unchanged.
  void take_in(std::span<const Pull> pulls, const Outcome& seen, double known,
               std::span<std::uint64_t> key) const;
  void check(std::span<const Pull> pulls, const Outcome& seen, double known) const;

  std::shared_ptr<const UnknownRewards> unknown_;
  // [unknown]: the successes, with the failures in the upper half, or the number of draws. Then follows, for
  // each normal reward, the sum of its draws minus the prior's mean.
  std::vector<std::uint64_t> words_;
};

}  // namespace assay
