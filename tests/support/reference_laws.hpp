// CDFs of Gamma and Beta on logarithmic scales, and the rounding boundaries of floating-point numbers on
// them.
//
// Boost.Math takes x itself, which is 0 or 1 in double long before the probability is: P(Gamma(0.01) <
// 1e-308) is 8e-4. Below kDeepTail (in log x) the leading term of the series takes over, whose relative error
// is below x * (largest shape) = e^-40 * 1e4 = 4e-14. Above it Boost is asked for P at x, or for the
// complement at 1-x, whichever of them is small, so that no argument is rounded near 1. `ReferenceLaws` tests
// check that both agree where they meet.
#pragma once

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>

namespace assay::laws {

inline constexpr double kDeepTail = -40;

/// P(log X <= t), X ~ Gamma(shape): the leading term x^shape / Gamma(shape + 1).
inline double log_gamma_tail(double shape, double t) { return std::exp(shape * t - std::lgamma(shape + 1)); }

/// P(log X <= t), X ~ Gamma(shape).
inline double log_gamma_cdf(double shape, double t) {
  return t < kDeepTail ? log_gamma_tail(shape, t) : boost::math::gamma_p(shape, std::exp(t));
}

/// P(logit X <= t), X ~ Beta(a, b), for t far below 0: the leading term x^a / (a B(a, b)).
inline double logit_beta_tail(double a, double b, double t) {
  return std::exp(a * t - std::log(a) - std::lgamma(a) - std::lgamma(b) + std::lgamma(a + b));
}

/// P(logit X <= t), X ~ Beta(a, b).
inline double logit_beta_cdf(double a, double b, double t) {
  if (t < kDeepTail) return logit_beta_tail(a, b, t);
  if (t > -kDeepTail) return 1 - logit_beta_tail(b, a, -t);
  // The smaller of x and 1-x is exact to the last digit; ibetac(b, a, 1-x) = P(X <= x).
  if (t < 0) return boost::math::ibeta(a, b, std::exp(t) / (1 + std::exp(t)));
  return boost::math::ibetac(b, a, std::exp(-t) / (1 + std::exp(-t)));
}

/// What rounds to the value v >= 0: everything between the midpoints to its neighbours.
template <class Real>
struct Rounding {
  static constexpr Real kInfinity = std::numeric_limits<Real>::infinity();

  /// The logarithm of the upper boundary. Finite at v = 0: half of the smallest number.
  static double log_upper(Real v) {
    if (v == 0) return std::log(static_cast<double>(std::numeric_limits<Real>::denorm_min())) - std::log(2.0);
    return std::log(static_cast<double>(v)) + std::log1p(half_gap(v) / static_cast<double>(v));
  }
  /// The logarithm of the lower boundary, -infinity at v = 0.
  static double log_lower(Real v) { return v == 0 ? -HUGE_VAL : log_upper(std::nextafter(v, -kInfinity)); }

  /// The log-odds of the upper boundary, for v in [0, 1]; infinity at v = 1.
  static double logit_upper(Real v) {
    if (v >= 1) return HUGE_VAL;
    const double half = v == 0 ? 0 : half_gap(v);
    // 1 - v is exact from 1/2 on; below, the complement is nowhere near 0.
    const double complement = (1 - static_cast<double>(v)) - half;
    return log_upper(v) - std::log(complement);
  }
  static double logit_lower(Real v) {
    return v == 0 ? -HUGE_VAL : logit_upper(std::nextafter(v, -kInfinity));
  }

 private:
  static double half_gap(Real v) {
    return (static_cast<double>(std::nextafter(v, kInfinity)) - static_cast<double>(v)) / 2;
  }
};

}  // namespace assay::laws
