// Exact Bayesian inference over finitely many environments.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/core/detail/log_weight.hpp"
#include "assay/core/error.hpp"

namespace assay {

namespace detail {

/// Shifts the logarithms so that the largest is zero, and fills in the normalised weights. Throws
/// ImpossibleEvidence if no environment is possible.
void normalise(std::span<LogWeight> logs, std::span<double> weights);

/// A text like "left 0.85, right 0.15", without environments of zero weight.
std::string weights_text(std::span<const double> weights, std::span<const std::string> names);

}  // namespace detail

/// A model whose environments are the integers 0 .. prior().size()-1, with those prior weights.
template <class M>
concept FiniteFamily = Model<M> && std::same_as<typename M::Hidden, int> && requires(const M& f) {
  { f.prior() } -> std::convertible_to<std::vector<double>>;
};

template <class M>
class FiniteBelief {
 public:
  explicit FiniteBelief(const M& model) : weights_(model.prior()) {
    for (const double w : weights_) logs_.push_back(detail::log_weight(w));
    detail::normalise(logs_, weights_);
  }

  [[nodiscard]] std::span<const double> weights() const { return weights_; }

  int sample(const M& /*model*/, Rng& rng) const { return static_cast<int>(categorical(rng, weights_)); }

  double log_density(const M& /*model*/, int e) const {
    return std::log(weights_[static_cast<std::size_t>(e)]);
  }

  template <class Visit>
  void for_each_environment(const M& /*model*/, Visit&& visit) const {
    for (std::size_t e = 0; e < weights_.size(); ++e) {
      if (weights_[e] > 0) visit(weights_[e], static_cast<int>(e));
    }
  }

  double expected_reward(const M& model, int x, int a) const {
    double sum = 0;
    for_each_environment(model, [&](double w, int e) { sum += w * assay::expected_reward(model, x, a, e); });
    return sum;
  }

  double reward_variance(const M& model, int x, int a) const {
    const double mean = expected_reward(model, x, a);
    double sum = 0;
    for_each_environment(model, [&](double w, int e) {
      const double away = assay::expected_reward(model, x, a, e) - mean;
      sum += w * away * away;
    });
    return sum;
  }

  /// The mixture of the environments' outcomes. An outcome that several environments share is visited once.
  template <class Visit>
  void predict(const M& model, int x, int a, Visit&& visit) const {
    std::vector<std::pair<double, Outcome>> merged;
    for_each_environment(model, [&](double w, int e) {
      model.outcomes(x, a, e, [&](double p, const Outcome& o) {
        if (p <= 0) return;
        const auto known = std::ranges::find(merged, o, &std::pair<double, Outcome>::second);
        if (known != merged.end()) {
          known->first += w * p;
        } else {
          merged.emplace_back(w * p, o);
        }
      });
    });
    for (const auto& [p, o] : merged) visit(p, o);
  }

  void observe(const M& model, int x, int a, const Outcome& seen) {
    std::vector<detail::LogWeight> updated = logs_;
    for (std::size_t e = 0; e < updated.size(); ++e) {
      if (updated[e] == detail::kImpossible) continue;
      double likelihood = 0;
      model.outcomes(x, a, static_cast<int>(e), [&](double p, const Outcome& o) {
        if (o == seen) likelihood += p;
      });
      updated[e] = detail::add_log_weights(updated[e], detail::log_weight(likelihood));
    }
    detail::normalise(updated, weights_);
    logs_ = std::move(updated);  // only now, so that impossible evidence leaves the belief unchanged
  }

  [[nodiscard]] std::size_t feature_count() const { return weights_.size(); }
  void features(std::span<double> out) const { std::ranges::copy(weights_, out.begin()); }

  [[nodiscard]] std::size_t words() const { return logs_.size(); }
  void pack(std::span<std::uint64_t> key) const {
    for (std::size_t e = 0; e < logs_.size(); ++e) key[e] = std::bit_cast<std::uint64_t>(logs_[e]);
  }
  void unpack(std::span<const std::uint64_t> key) {
    for (std::size_t e = 0; e < logs_.size(); ++e) logs_[e] = std::bit_cast<detail::LogWeight>(key[e]);
    detail::normalise(logs_, weights_);
  }

  std::string text(const M& model) const {
    std::vector<std::string> names;
    for (std::size_t e = 0; e < weights_.size(); ++e) {
      if constexpr (lists_member<M>(Member::kEnvironmentName)) {
        names.push_back(model.environment_name(static_cast<int>(e)));
      } else {
        names.push_back("e" + std::to_string(e));
      }
    }
    return detail::weights_text(weights_, names);
  }

 private:
  std::vector<detail::LogWeight> logs_;  // [environment], the largest is zero
  std::vector<double> weights_;          // [environment], sum 1, from the logarithms
};

}  // namespace assay
