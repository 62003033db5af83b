// Random numbers as a pure function of (seed, run, path of splits, draw number).
//
// Philox (Salmon et al. 2011) is counter-based: the n-th block of a stream is a keyed bijection of n. A
// stream is therefore a small value. It can be copied, replayed, and split into streams that are independent
// however much the others have drawn. Results cannot depend on threads or on the order of calls.
#pragma once

#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <span>

#include "assay/core/detail/portable_math.hpp"

namespace assay {

class Rng {
 public:
  explicit Rng(std::uint64_t seed, std::uint64_t run = 0);

  /// An independent stream named `tag`. It depends on the identity of this stream only, not on what was
  /// drawn.
  [[nodiscard]] Rng split(std::uint64_t tag) const;

  std::uint64_t next64() {
    if (next_ == block_.size()) refill();
    return block_[next_++];
  }

 private:
  using Block = std::array<std::uint64_t, 4>;
  struct Key {
    std::uint64_t low, high;
  };

  explicit Rng(Key key) : key_(key) {}
  static Block philox(Key key, std::uint64_t counter, std::uint64_t domain);
  void refill();

  Key key_;
  std::uint64_t blocks_drawn_ = 0;
  Block block_{};
  std::size_t next_ = 4;  // an empty block: the first draw refills
};

// Exact samplers. "Exact" means that the variate is the rounding of a draw from the true distribution, for
// every shape from 0.01 to 1e4, also in the smallest tails. A variate that can be too small for its type (a
// Gamma(0.01) is below 1e-300 with probability 0.1 %) is drawn as a logarithm and rounded once, at the end.
//
// The standard library's distributions are not used: they differ between implementations, and
// Gamma/(Gamma + Gamma) is 0/0 for one Beta(.01, .01) draw in eight in float.

/// Uniform on [0, 1), with all the bits of the type.
template <std::floating_point Real = double>
Real uniform(Rng& rng) {
  if constexpr (sizeof(Real) == sizeof(float)) {
    return static_cast<Real>(rng.next64() >> 40) * 0x1p-24F;
  } else {
    return static_cast<Real>(rng.next64() >> 11) * 0x1p-53;
  }
}

/// Uniform on the open interval (0, 1): the logarithms of the variate and of its complement are finite.
inline double uniform_open(Rng& rng) { return (static_cast<double>(rng.next64() >> 12) + 0.5) * 0x1p-52; }

/// Uniform on {0, ..., n-1}, n > 0, without modulo bias.
std::uint64_t uniform_index(Rng& rng, std::uint64_t n);

/// True with probability p; always false at p = 0, always true at p = 1.
inline bool bernoulli(Rng& rng, double p) { return uniform(rng) < p; }

/// The number of successes in `trials` Bernoulli(p) trials. The time is linear in `trials`, which are few.
int binomial(Rng& rng, int trials, double p);

/// An index, drawn with probability proportional to its weight. Weights are >= 0, with a positive sum.
std::size_t categorical(Rng& rng, std::span<const double> weights);

double standard_normal(Rng& rng);
/// The logarithm of a Gamma(shape, 1) variate: it is finite where the variate itself would underflow.
double log_gamma_variate(Rng& rng, double shape);
/// The log-odds log(X / (1-X)) of X ~ Beta(a, b), which resolve values near 0 and near 1.
double logit_beta_variate(Rng& rng, double a, double b);
/// X ~ Dirichlet(shapes), as doubles that sum to 1 up to rounding. `out` has the size of `shapes`.
void dirichlet(Rng& rng, std::span<const double> shapes, std::span<double> out);
/// The same draw (the same random numbers), rounded to float.
void dirichlet(Rng& rng, std::span<const double> shapes, std::span<float> out);

// The float forms compute in double precision and round once: a narrow type has less precision, but the same
// distribution.

template <std::floating_point Real = double>
Real normal(Rng& rng, double mean, double deviation) {
  return static_cast<Real>(mean + deviation * standard_normal(rng));
}

template <std::floating_point Real = double>
Real gamma(Rng& rng, double shape) {
  return static_cast<Real>(portable::exp(log_gamma_variate(rng, shape)));
}

template <std::floating_point Real = double>
Real beta(Rng& rng, double a, double b) {
  const double logit = logit_beta_variate(rng, a, b);
  // Computes the smaller of x and 1-x, from odds that cannot overflow. It is exact down to the smallest
  // double, and 1 minus it is exact, too.
  const double odds = portable::exp(-std::abs(logit));
  const double smaller = odds / (1 + odds);
  return static_cast<Real>(logit < 0 ? smaller : 1 - smaller);
}

}  // namespace assay
