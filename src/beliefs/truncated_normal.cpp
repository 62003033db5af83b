#include "beliefs/truncated_normal.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "assay/core/detail/portable_math.hpp"
#include "assay/core/rng.hpp"

namespace assay {
namespace {

double normal_density(double x) { return portable::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi); }

/// (P(X > x)) / density(x) of a standard normal X, for x >= 0: Mills' ratio. Unlike the probability it does
/// not underflow.
double mills(double x) {
  constexpr double kFar = 2;
  if (x < kFar) {
    // P(0 < X < x) = density(x) (x + x^3/3 + x^5/(3 5) + ...)
    double term = x;
    double sum = x;
    for (int k = 3; term > sum * 1e-18; k += 2) {
      term *= x * x / k;
      sum += term;
    }
    return 0.5 / normal_density(x) - sum;
  }
  // Laplace's continued fraction 1/(x + 1/(x + 2/(x + ...))), from its end.
  constexpr int kDepth = 200;
  double rest = x;
  for (int k = kDepth; k >= 1; --k) rest = x + k / rest;
  return 1 / rest;
}

/// What the moments of a standard normal law between a and b need.
struct Between {
  double log_mass;
  double at_a, at_b;  // the density at the ends, divided by the mass; 0 at infinity
};

Between between(double a, double b) {
  if (a > 0) {
    // P(a < X < b) = density(a) (mills(a) - exp(-(b^2 - a^2)/2) mills(b))
    const double fall = portable::exp(-(b - a) * (b + a) / 2);
    const double scaled = mills(a) - fall * mills(b);
    return {-a * a / 2 - std::log(2 * std::numbers::pi) / 2 + portable::log(scaled), 1 / scaled,
            fall / scaled};
  }
  if (b < 0) {
    const Between mirrored = between(-b, -a);
    return {mirrored.log_mass, mirrored.at_b, mirrored.at_a};
  }
  const double mass = 1 - normal_density(a) * mills(-a) - normal_density(b) * mills(b);
  return {portable::log(mass), normal_density(a) / mass, normal_density(b) / mass};
}

/// A draw of a standard normal law between a > 0 and b, by rejection from an exponential law (Robert 1995).
double tail_variate(Rng& rng, double a, double b) {
  const double rate = (a + std::sqrt(a * a + 4)) / 2;
  while (true) {
    const double x = a - portable::log(uniform_open(rng)) / rate;
    if (x > b) continue;
    if (uniform(rng) <= portable::exp(-(x - rate) * (x - rate) / 2)) return x;
  }
}

double standard_variate(Rng& rng, double a, double b) {
  if (b < 0) return -standard_variate(rng, -b, -a);
  constexpr double kWide = 2.5;
  const double nearest = a > 0 ? a : 0;
  // A narrow interval: by rejection from the uniform law. At least a tenth of the draws is taken where the
  // density falls to that from its largest value.
  if (b - a < kWide && (b - nearest) * (b + nearest) < 2 * kWide) {
    while (true) {
      const double x = a + (b - a) * uniform_open(rng);
      if (uniform(rng) <= portable::exp(-(x - nearest) * (x + nearest) / 2)) return x;
    }
  }
  if (a > 0.5) return tail_variate(rng, a, b);
  while (true) {
    const double x = standard_normal(rng);
    if (x > a && x < b) return x;
  }
}

}  // namespace

TruncatedNormal::TruncatedNormal(double mean, double deviation, double low, double high)
    : centre_(mean), deviation_(deviation), low_(low), high_(high) {
  if (!std::isfinite(deviation)) {
    log_mass_ = portable::log(high - low);
    mean_ = (low + high) / 2;
    variance_ = (high - low) * (high - low) / 12;
    return;
  }
  const double a = (low - mean) / deviation;
  const double b = (high - mean) / deviation;
  const Between part = between(a, b);
  log_mass_ = part.log_mass;
  const double shift = part.at_a - part.at_b;
  mean_ = std::clamp(mean + deviation * shift, low, high);
  variance_ = std::max(0.0, deviation * deviation * (1 + a * part.at_a - b * part.at_b - shift * shift));
}

double TruncatedNormal::log_density(double value) const {
  if (!(value >= low_ && value <= high_)) return -std::numeric_limits<double>::infinity();
  if (!std::isfinite(deviation_)) return -log_mass_;
  const double away = (value - centre_) / deviation_;
  return -away * away / 2 - portable::log(deviation_) - std::log(2 * std::numbers::pi) / 2 - log_mass_;
}

double TruncatedNormal::sample(Rng& rng) const {
  if (!std::isfinite(deviation_)) return low_ + (high_ - low_) * uniform_open(rng);
  const double x = standard_variate(rng, (low_ - centre_) / deviation_, (high_ - centre_) / deviation_);
  return std::clamp(centre_ + deviation_ * x, low_, high_);
}

TruncatedNormal TruncatedNormalBelief::law(std::size_t arm) const {
  if (draws(arm) == 0) return {0, std::numeric_limits<double>::infinity(), low_, high_};
  const auto count = static_cast<double>(draws(arm));
  return {std::bit_cast<double>(words_[2 * arm + 1]) / count, noise_ / std::sqrt(count), low_, high_};
}

std::vector<double> TruncatedNormalBelief::draw(Rng& rng) const {
  std::vector<double> e(cells());
  for (std::size_t arm = 0; arm < e.size(); ++arm) {
    Rng own(rng.next64());  // an arm about which nothing was learned has the same draw before and after
    e[arm] = law(arm).sample(own);
  }
  return e;
}

void TruncatedNormalBelief::take_in(int x, int action, const Outcome& seen) {
  if (seen.next != x || !seen.observation.empty() || !std::isfinite(seen.reward) ||
      (action == kArrive && seen.reward != 0)) {
    throw ImpossibleEvidence(
        fmt::format("a reward of {} and next state {} were seen, where {} is paid and state {} comes next",
                    seen.reward, seen.next, action == kArrive ? "nothing" : "any amount", x));
  }
  if (action == kArrive) return;
  const auto arm = static_cast<std::size_t>(action);
  ++words_[2 * arm];
  words_[2 * arm + 1] =
      std::bit_cast<std::uint64_t>(std::bit_cast<double>(words_[2 * arm + 1]) + seen.reward);
}

void TruncatedNormalBelief::features(std::span<double> out) const {
  constexpr double kMostPrecision = 1000;  // a deviation of 3 % of the prior's is nearly certain
  const double prior = (high_ - low_) * (high_ - low_) / 12;
  for (std::size_t arm = 0; arm < cells(); ++arm) {
    const TruncatedNormal now = law(arm);
    out[arm] = now.mean();
    out[cells() + arm] =
        now.variance() > 0 ? std::min(kMostPrecision, prior / now.variance()) : kMostPrecision;
  }
}

std::string TruncatedNormalBelief::as_text(std::span<const std::string> names) const {
  std::string text;
  for (std::size_t arm = 0; arm < cells(); ++arm) {
    if (draws(arm) == 0) continue;
    const TruncatedNormal now = law(arm);
    text += fmt::format("{}{}: {:.3f} +- {:.3f} ({} draw{})", text.empty() ? "" : ", ", names[arm],
                        now.mean(), std::sqrt(now.variance()), draws(arm), draws(arm) == 1 ? "" : "s");
  }
  return text.empty() ? "prior" : text;
}

}  // namespace assay
