// Variates that round to exactly 0 or 1, and how the rounded samplers follow from the logarithmic ones.
//
// A float Gamma(0.01) is 0 in 36 of 100 draws, and rightly so: that much of the law lies below half of the
// smallest float. An atom is wrong if it has another probability than the law has at the rounding boundary.
// Tolerance: the number of draws in the atom is binomial; z_threshold() standard errors are exceeded with
// probability 2e-9.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "assay/core/rng.hpp"
#include "support/ks.hpp"
#include "support/reference_laws.hpp"

namespace assay {
namespace {

using laws::log_gamma_cdf;
using laws::logit_beta_cdf;
using laws::Rounding;

constexpr int kAtomDraws = 2'000'000;

/// Is `count` of kAtomDraws what an event with a probability between `low` and `high` gives?
void expect_frequency(int count, double low, double high, const std::string& what) {
  const auto slack = [](double p) { return laws::z_threshold() * std::sqrt(kAtomDraws * p * (1 - p)) + 1; };
  EXPECT_GE(count, kAtomDraws * low - slack(low)) << what;
  EXPECT_LE(count, kAtomDraws * high + slack(high)) << what;
}

template <class Real>
class Atoms : public ::testing::Test {};
using Reals = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Atoms, Reals);

TYPED_TEST(Atoms, OfGammaAtZeroHaveTheProbabilityOfWhatRoundsToZero) {
  for (const double shape : {0.01, 0.03, 0.1}) {
    Rng rng(1);
    int zeros = 0;
    for (int i = 0; i < kAtomDraws; ++i) zeros += gamma<TypeParam>(rng, shape) == 0 ? 1 : 0;
    const double p = log_gamma_cdf(shape, Rounding<TypeParam>::log_upper(0));
    expect_frequency(zeros, p, p, "Gamma(" + std::to_string(shape) + ") at 0");
  }
}

TYPED_TEST(Atoms, OfBetaAtZeroAndOneHaveTheProbabilityOfWhatRoundsThere) {
  for (const auto& [a, b] : {std::pair{0.01, 0.01}, {0.01, 1.0}, {1.0, 0.01}, {0.1, 0.1}}) {
    Rng rng(2);
    int zeros = 0;
    int ones = 0;
    for (int i = 0; i < kAtomDraws; ++i) {
      const TypeParam x = beta<TypeParam>(rng, a, b);
      zeros += x == 0 ? 1 : 0;
      ones += x == 1 ? 1 : 0;
    }
    const std::string law = "Beta(" + std::to_string(a) + ", " + std::to_string(b) + ")";
    const double at_zero = logit_beta_cdf(a, b, Rounding<TypeParam>::logit_upper(0));
    const double at_one = logit_beta_cdf(b, a, -Rounding<TypeParam>::logit_lower(1));
    expect_frequency(zeros, at_zero, at_zero, law + " at 0");
    expect_frequency(ones, at_one, at_one, law + " at 1");
  }
}

TYPED_TEST(Atoms, OfDirichletAtZeroAndOneHaveTheProbabilityOfWhatRoundsThere) {
  const std::vector<double> shapes = {0.01, 0.02, 0.01};
  Rng rng(3);
  std::vector<int> zeros(3), ones(3);
  std::vector<TypeParam> out(3);
  for (int i = 0; i < kAtomDraws; ++i) {
    dirichlet(rng, shapes, std::span<TypeParam>(out));
    for (std::size_t c = 0; c < 3; ++c) {
      zeros[c] += out[c] == 0 ? 1 : 0;
      ones[c] += out[c] == 1 ? 1 : 0;
    }
  }
  // Components sum to 1 "up to rounding": the last digit before 1 may fall to the atom at 1.
  const auto before_one = std::nextafter(TypeParam{1}, TypeParam{0});
  for (std::size_t c = 0; c < 3; ++c) {
    const double a = shapes[c];
    const double b = 0.04 - a;
    const std::string what = "component " + std::to_string(c);
    const double at_zero = logit_beta_cdf(a, b, Rounding<TypeParam>::logit_upper(0));
    expect_frequency(zeros[c], at_zero, at_zero, what + " at 0");
    expect_frequency(ones[c], logit_beta_cdf(b, a, -Rounding<TypeParam>::logit_lower(1)),
                     logit_beta_cdf(b, a, -Rounding<TypeParam>::logit_lower(before_one)), what + " at 1");
  }
}

/// The distance of x from the exact value, in units of x's last place.
template <class Real>
double ulps(Real x, long double exact) {
  const Real away = std::nextafter(x, std::numeric_limits<Real>::infinity());
  return static_cast<double>(std::abs(static_cast<long double>(x) - exact) /
                             (static_cast<long double>(away) - static_cast<long double>(x)));
}

TYPED_TEST(Atoms, AreTheOnlyLossOfGammaAgainstItsLogarithm) {
  // gamma() is exp(log_gamma_variate()) of the same random numbers, in the subnormal range too.
  for (const double shape : {0.01, 0.1, 1.0, 100.0}) {
    Rng rng(4);
    for (int i = 0; i < 100000; ++i) {
      Rng same = rng;
      const long double exact = std::exp(static_cast<long double>(log_gamma_variate(same, shape)));
      ASSERT_LE(ulps(gamma<TypeParam>(rng, shape), exact), 1) << static_cast<double>(exact);
    }
  }
}

TYPED_TEST(Atoms, AreTheOnlyLossOfBetaAgainstItsLogOdds) {
  // beta() is the logistic of logit_beta_variate() of the same random numbers. At most 3 units in the last
  // place: an exponential, a sum and a quotient.
  for (const auto& [a, b] : {std::pair{0.01, 0.01}, {0.01, 1.0}, {1.0, 0.01}, {0.5, 0.5}, {1e4, 1e4}}) {
    Rng rng(5);
    int wrong = 0;
    double first_wrong = 0;
    for (int i = 0; i < 100000; ++i) {
      Rng same = rng;
      const double logit = logit_beta_variate(same, a, b);
      const long double exact = 1 / (1 + std::exp(-static_cast<long double>(logit)));
      if (ulps(beta<TypeParam>(rng, a, b), exact) <= 3) continue;
      if (wrong++ == 0) first_wrong = logit;
    }
    EXPECT_EQ(wrong, 0) << "of 100000 draws of Beta(" << a << ", " << b << "), first at log-odds "
                        << first_wrong;
  }
}

TEST(UniformOpen, StaysAwayFromZeroAndOneAndIsUniform) {
  Rng rng(6);
  std::vector<double> counts(100);
  for (int i = 0; i < kAtomDraws; ++i) {
    const double u = uniform_open(rng);
    ASSERT_TRUE(u > 0 && u < 1) << u;
    counts[static_cast<std::size_t>(u * 100)] += 1;
  }
  const laws::ChiSquare fit = laws::chi_square_uniform(counts);
  EXPECT_LT(fit.statistic, fit.threshold);
}

}  // namespace
}  // namespace assay
