#include "assay/beliefs/detail/cells.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "assay/core/detail/spec.hpp"
#include "assay/core/rng.hpp"

namespace assay {
namespace {

// Relative to the terms of a reward: how much rounding may change a difference.
constexpr double kRewardRounding = 1e-9;

/// The reward without the known part. It is the same draw as before, up to rounding.
bool same_draw(double draw, double before, double reward, double known) {
  return std::abs(draw - before) <=
         kRewardRounding * (std::abs(draw) + std::abs(before) + std::abs(reward) + std::abs(known));
}

[[noreturn]] void throw_impossible_draw(const Outcome& seen, const std::string& due) {
  throw ImpossibleEvidence(fmt::format("a reward of {} and [{}] were seen, where {}", seen.reward,
                                       fmt::join(seen.observation, ", "), due));
}

}  // namespace

double detail::paid_likelihood(const UnknownReward& reward, double value, double paid) {
  if (reward.law == UnknownReward::Law::kBernoulli) {
    return std::abs(paid) > std::abs(reward.amount) / 2 ? value : 1 - value;
  }
  if (reward.noise == 0) return paid == value ? 1 : 0;
  const double far = (paid - value) / reward.noise;
  return portable::exp(-far * far / 2);
}

Interval UnknownRewards::range(std::size_t which) const {
  const UnknownReward& one = all[which];
  if (one.law == UnknownReward::Law::kBernoulli)
    return {std::min(0.0, one.amount), std::max(0.0, one.amount)};
  double deviation = 0;
  std::size_t normal = 0;
  for (const UnknownReward& other : all) {
    if (other.law != UnknownReward::Law::kNormal) continue;
    deviation = std::max(deviation, other.deviation);
    ++normal;
  }
  const double spread = deviation * std::sqrt(2 * std::log(static_cast<double>(normal)));
  return {one.mean - spread, one.mean + spread};
}

UnknownRewards::UnknownRewards(std::vector<UnknownReward> rewards)
    : all(std::move(rewards)), sum_word(all.size()), words(all.size()), normal_scale(0) {
  for (std::size_t c = 0; c < all.size(); ++c) {
    if (all[c].law != UnknownReward::Law::kNormal) continue;
    sum_word[c] = words++;
    normal_scale = std::max({normal_scale, std::abs(all[c].mean), all[c].deviation});
  }
}

// With n draws of noise t under a prior of deviation s, the deviation of the mean is s / sqrt(1 + n
// s^2/t^2), and the draws' sum S above the prior's mean moves the mean by S / (n + t^2/s^2). The quotients
// are computed first, so that neither a noise of 0 nor tiny deviations give 0/0.

double CellBelief::deviation(std::size_t cell) const {
  const UnknownReward& prior = (*unknown_)[cell];
  if (words_[cell] == 0) return prior.deviation;
  const double precision = prior.deviation / prior.noise;
  return prior.deviation / std::sqrt(1 + static_cast<double>(words_[cell]) * precision * precision);
}

double CellBelief::normal_mean(std::size_t cell) const {
  const UnknownReward& prior = (*unknown_)[cell];
  if (words_[cell] == 0) return prior.mean;
  const double sum = std::bit_cast<double>(words_[unknown_->sum_word[cell]]);
  const double noise = prior.noise / prior.deviation;
  return prior.mean + sum / (static_cast<double>(words_[cell]) + noise * noise);
}

double CellBelief::mean(std::size_t cell) const {
  return is_normal(cell) ? normal_mean(cell) : a(cell) / (a(cell) + b(cell));
}

double CellBelief::variance(std::size_t cell) const {
  if (is_normal(cell)) return deviation(cell) * deviation(cell);
  return mean(cell) * (1 - mean(cell)) / (a(cell) + b(cell) + 1);
}

double CellBelief::paid_variance(const Pull* paid) const {
  if (paid == nullptr) return 0;
  const auto cell = static_cast<std::size_t>(paid->cell);
  const double unit = (*unknown_)[cell].unit();
  return unit * unit * variance(cell);
}

bool CellBelief::any_unsettled(std::span<const Pull> pulls) const {
  return std::ranges::any_of(pulls,
                             [&](const Pull& pull) { return !settled(static_cast<std::size_t>(pull.cell)); });
}

std::vector<double> CellBelief::draw(Rng& rng) const {
  std::vector<double> e(cells());
  for (std::size_t c = 0; c < e.size(); ++c) {
    // Each reward has its own stream: a reward about which nothing was learned has the same draw before and
    // after.
    Rng own(rng.next64());
    e[c] = is_normal(c) ? normal(own, normal_mean(c), deviation(c)) : beta(own, a(c), b(c));
  }
  return e;
}

double CellBelief::log_density_at(const std::vector<double>& e) const {
  double sum = 0;
  for (std::size_t c = 0; c < cells(); ++c) {
    if (settled(c)) {
      // The law is a point, so this is its probability and not a density.
      sum += e[c] == normal_mean(c) ? 0 : -std::numeric_limits<double>::infinity();
    } else if (is_normal(c)) {
      const double away = (e[c] - normal_mean(c)) / deviation(c);
      sum -= away * away / 2 + std::log(deviation(c)) + std::log(2 * std::numbers::pi) / 2;
    } else {
      sum += (a(c) - 1) * std::log(e[c]) + (b(c) - 1) * std::log1p(-e[c]) -
             detail::log_beta_function(a(c), b(c));
    }
  }
  return sum;
}

void CellBelief::check(std::span<const Pull> pulls, const Outcome& seen, double known) const {
  const std::size_t shown = seen.observation.size() - detail::looked_at(pulls);
  std::size_t look = shown;
  for (const Pull& pull : pulls) {
    const auto c = static_cast<std::size_t>(pull.cell);
    const UnknownReward& unknown = (*unknown_)[c];
    if (pull.looks > 0) {
      const int good = seen.observation[look++];
      if (good < 0 || good > pull.looks) {
        throw_impossible_draw(seen,
                              fmt::format("{} looks are made at '{}'", pull.looks, printable(unknown.name)));
      }
    }
    if (!pull.rewarded) continue;
    const double draw = seen.reward - known;
    if (is_normal(c)) {
      if (!std::isfinite(draw))
        throw_impossible_draw(seen, fmt::format("'{}' is paid", printable(unknown.name)));
      if (settled(c) && !same_draw(draw, normal_mean(c), seen.reward, known)) {
        throw_impossible_draw(seen, fmt::format("'{}' is known to pay {} besides {}", printable(unknown.name),
                                                normal_mean(c), known));
      }
    } else if (seen.reward != known && seen.reward != known + unknown.amount) {
      throw_impossible_draw(seen, fmt::format("{} or, with '{}', {} is paid", known, printable(unknown.name),
                                              known + unknown.amount));
    }
  }
}

void CellBelief::take_in(std::span<const Pull> pulls, const Outcome& seen, double known,
                         std::span<std::uint64_t> key) const {
  check(pulls, seen, known);
  std::size_t look = seen.observation.size() - detail::looked_at(pulls);
  for (const Pull& pull : pulls) {
    const auto c = static_cast<std::size_t>(pull.cell);
    if (is_normal(c)) {
      if (settled(c)) continue;
      const std::size_t at = unknown_->sum_word[c];
      const double above = seen.reward - known - (*unknown_)[c].mean;
      key[at] = std::bit_cast<std::uint64_t>(std::bit_cast<double>(key[at]) + above);
      ++key[c];
      continue;
    }
    const int looked = pull.looks > 0 ? seen.observation[look++] : 0;
    const int good = looked + (pull.rewarded && seen.reward != known ? 1 : 0);
    const int bad = pull.looks + (pull.rewarded ? 1 : 0) - good;
    key[c] += static_cast<std::uint64_t>(good) | static_cast<std::uint64_t>(bad) << 32U;
  }
}

void CellBelief::features(std::span<double> out) const {
  constexpr double kMostPrecision = 1000;  // a deviation of 3 % of the prior's is nearly certain
  for (std::size_t c = 0; c < cells(); ++c) {
    if (is_normal(c)) {
      const double left = deviation(c) / (*unknown_)[c].deviation;
      out[c] = normal_mean(c) / unknown_->normal_scale;
      out[cells() + c] = std::min(kMostPrecision, 1 / (left * left));
    } else {
      out[c] = a(c);
      out[cells() + c] = b(c);
    }
  }
}

std::string CellBelief::as_text() const {
  std::vector<std::string> touched;
  for (std::size_t c = 0; c < cells(); ++c) {
    const std::string name = printable((*unknown_)[c].name);
    const auto successes = static_cast<std::uint32_t>(words_[c]);
    if (words_[c] == 0) continue;
    touched.push_back(is_normal(c) ? fmt::format("{} {:.4g} +- {:.3g}", name, normal_mean(c), deviation(c))
                                   : fmt::format("{}:{}/{}", name, successes,
                                                 successes + static_cast<std::uint32_t>(words_[c] >> 32U)));
  }
  return touched.empty() ? "prior" : fmt::format("{}", fmt::join(touched, ", "));
}

}  // namespace assay
