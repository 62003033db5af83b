// exp, log and softplus that give the same bits everywhere, against the C library's in extended precision.
#include "assay/core/detail/portable_math.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "assay/core/rng.hpp"

namespace assay {
namespace {

constexpr double kMathInfinity = std::numeric_limits<double>::infinity();
constexpr double kUnits = 2.5;  // in the last place; the worst of 20 million results is off by 2.3
constexpr double kSmallestNormal = std::numeric_limits<double>::min();

double uniform_between(Rng& rng, double low, double high) {
  return low + (high - low) * (static_cast<double>(rng.next64() >> 11U) * 0x1p-53);
}

/// The distance of x from the exact value, in units of the exact value's last place.
double ulps(double x, long double exact) {
  const double near = std::abs(static_cast<double>(exact));
  const double unit = std::nextafter(near, kMathInfinity) - near;
  return static_cast<double>(std::abs(static_cast<long double>(x) - exact) / static_cast<long double>(unit));
}

/// Positive normal numbers of all magnitudes, and, where log loses digits if it can, many near 1.
std::vector<double> positive_numbers() {
  std::vector<double> all = {kSmallestNormal, std::numeric_limits<double>::max(), 1, 2, 0.5, std::sqrt(2.0)};
  Rng rng(1);
  for (int i = 0; i < 50000; ++i) {
    const auto exponent = static_cast<int>(rng.next64() % 2046) - 1022;
    all.push_back(std::ldexp(uniform_between(rng, 1, 2), exponent));
    all.push_back(uniform_between(rng, 0.5, 2));
    const double small = std::ldexp(1.0, -static_cast<int>(rng.next64() % 52) - 1);
    all.push_back(1 + small * uniform_between(rng, 0.5, 1));
    all.push_back(1 - small * uniform_between(rng, 0.5, 1));
  }
  for (const double middle : {1.0, std::sqrt(2.0), std::sqrt(0.5), 2.0}) {
    for (const double towards : {0.0, kMathInfinity}) {
      double x = middle;
      for (int i = 0; i < 100; ++i) all.push_back(x = std::nextafter(x, towards));
    }
  }
  return all;
}

/// Arguments of exp between `low` and `high`, of all magnitudes.
std::vector<double> arguments(double low, double high) {
  std::vector<double> all = {low, high, 0, -0.0};
  Rng rng(2);
  for (int i = 0; i < 50000; ++i) {
    all.push_back(uniform_between(rng, low, high));
    all.push_back(uniform_between(rng, -1, 1));
    const double small = std::ldexp(1.0, -static_cast<int>(rng.next64() % 100));
    all.push_back(small * uniform_between(rng, -2, 2));
  }
  // Halves of ln 2, where the argument's reduction goes from one whole number to the next.
  for (int n = -1000; n <= 1000; ++n) {
    const double x = (n + 0.5) * std::numbers::ln2;
    for (const double at : {std::nextafter(x, -kMathInfinity), x, std::nextafter(x, kMathInfinity)})
      all.push_back(at);
  }
  std::erase_if(all, [&](double x) { return x < low || x > high; });
  return all;
}

TEST(PortableExp, IsWithinAFewUnitsInTheLastPlace) {
  // From -708 down the results are subnormal numbers, whose units are all 2^-1074.
  for (const double x : arguments(-745, 709)) {
    ASSERT_LE(ulps(portable::exp(x), std::exp(static_cast<long double>(x))), kUnits) << x;
  }
  for (const double x : arguments(-745, -700)) {
    ASSERT_LE(ulps(portable::exp(x), std::exp(static_cast<long double>(x))), kUnits) << x;
  }
  EXPECT_EQ(portable::exp(0), 1);
}

TEST(PortableExp, Saturates) {
  for (const double x : {-746.0, -799.0, -801.0, -1e4, -1e300, -kMathInfinity})
    EXPECT_EQ(portable::exp(x), 0) << x;
  const double most = portable::exp(709);
  EXPECT_LT(most, kMathInfinity);
  for (const double x : {709.0001, 710.0, 1e4, 1e300, kMathInfinity}) EXPECT_EQ(portable::exp(x), most) << x;
}

TEST(PortableExp, OfNotANumberIsNotANumber) {
  EXPECT_TRUE(std::isnan(portable::exp(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_TRUE(std::isnan(portable::softplus(std::numeric_limits<double>::quiet_NaN())));
}

TEST(PortableLog, IsWithinAFewUnitsInTheLastPlace) {
  for (const double x : positive_numbers()) {
    ASSERT_LE(ulps(portable::log(x), std::log(static_cast<long double>(x))), kUnits) << x;
  }
  EXPECT_EQ(portable::log(1), 0);
}

TEST(PortableLog, TakesSubnormalNumbersAndZero) {
  Rng rng(3);
  double x = kSmallestNormal;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_LE(ulps(portable::log(x), std::log(static_cast<long double>(x))), kUnits) << x;
    x = kSmallestNormal * std::ldexp(uniform_between(rng, 0.5, 1), -static_cast<int>(i % 52));
  }
  EXPECT_EQ(portable::log(0), -kMathInfinity);
  EXPECT_EQ(portable::log(-0.0), -kMathInfinity);
  EXPECT_TRUE(std::isnan(portable::log(-1)));
}

TEST(PortableLog, IsTheInverseOfExp) {
  // An error of 2.5 units in the last place of e^x is one of 2.5 2^-52 in x, and log adds as much of itself.
  for (const double x : arguments(-708, 709)) {
    ASSERT_NEAR(portable::log(portable::exp(x)), x, 0x1p-50 * (1 + std::abs(x)));
  }
}

TEST(PortableSoftplus, IsCloseToTheExactValue) {
  // 1e-15, and above 4 half a unit in the last place of the result, which is all that a double can hold.
  for (const double t : arguments(-1000, 1000)) {
    const long double exact = std::max(static_cast<long double>(t), 0.0L) +
                              std::log1p(std::exp(-std::abs(static_cast<long double>(t))));
    const double tolerance = 1e-15 + 0x1p-53 * static_cast<double>(exact);
    ASSERT_LE(static_cast<double>(std::abs(static_cast<long double>(portable::softplus(t)) - exact)),
              tolerance)
        << t;
  }
}

TEST(PortableSoftplus, Saturates) {
  EXPECT_EQ(portable::softplus(0), portable::log(2));
  for (const double t : {-40.0, -708.5, -1e4, -kMathInfinity}) EXPECT_EQ(portable::softplus(t), 0) << t;
  for (const double t : {708.5, 1e4, 1e300, kMathInfinity}) EXPECT_EQ(portable::softplus(t), t) << t;
}

/// Does f rise over the samples? Neighbours closer than the errors of f could be out of order: those whose
/// exact values differ by less than five units in the last place are not compared.
template <class Function, class Exact>
void expect_rising(std::vector<double> at, const Function& f, const Exact& exact) {
  std::sort(at.begin(), at.end());
  int compared = 0;
  for (std::size_t i = 1; i < at.size(); ++i) {
    const long double low = exact(at[i - 1]), high = exact(at[i]);
    if (ulps(static_cast<double>(low), high) <= 2 * kUnits) continue;
    ++compared;
    ASSERT_LT(f(at[i - 1]), f(at[i])) << at[i - 1] << " and " << at[i];
  }
  EXPECT_GT(compared, 50000);
}

TEST(PortableMath, IsMonotone) {
  expect_rising(
      arguments(-745, 709), [](double x) { return portable::exp(x); },
      [](double x) { return std::exp(static_cast<long double>(x)); });
  expect_rising(
      positive_numbers(), [](double x) { return portable::log(x); },
      [](double x) { return std::log(static_cast<long double>(x)); });
}

TEST(PortableMath, GivesTheSameBitsEverywhere) {
  // FNV-1a over the results. The number may change with the formulas, but not between compilers and machines.
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](double x) { hash = (hash ^ std::bit_cast<std::uint64_t>(x)) * 0x100000001b3; };
  for (const double x : arguments(-700, 700)) {
    add(portable::exp(x));
    add(portable::softplus(x));
  }
  for (const double x : positive_numbers()) add(portable::log(x));
  EXPECT_EQ(hash, 1743415320344990111U);
}

}  // namespace
}  // namespace assay
