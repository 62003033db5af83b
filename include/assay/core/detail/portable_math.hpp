// exp and log that give the same bits everywhere.
//
// The C library's versions come in several variants, chosen by what the processor can do, and their last bits
// differ. Where a result feeds a comparison that decides which random number is taken, that would change
// everything after it. These use additions, multiplications and one division, all exactly rounded by IEEE
// 754. exp is right to 1 unit in the last place and saturates at e^709, log to 2.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <limits>

namespace assay::portable {

inline double exp(double x) {
  if (!(x >= -708)) {
    if (x != x) return x;
    return x < -800 ? 0 : exp(x + 300) * 5.148200222412013e-131;  // times e^-300: no longer a normal number
  }
  if (x > 709) x = 709;
  constexpr double kLog2e = 1.4426950408889634;
  constexpr double kRounder = 0x1.8p52;  // adding it leaves the nearest whole number in the low bits
  const double n = (x * kLog2e + kRounder) - kRounder;
  // ln 2 in two parts: n times the first is exact. `lost` is what rounding takes from r.
  const double high = x - n * 0x1.62e42fee00000p-1;
  const double low = n * 0x1.a39ef35793c76p-33;
  const double r = high - low;
  const double lost = (high - r) - low;
  // (e^r - 1 - r) / r^2 by its Taylor series up to r^11 / 13!; |r| < 0.35, so the rest is below 1e-17. Even
  // and odd powers apart: two short chains instead of a long one.
  const double z = r * r;
  double even = 1.0 / 479001600;
  for (const double c : {1.0 / 3628800, 1.0 / 40320, 1.0 / 720, 1.0 / 24, 0.5}) even = even * z + c;
  double odd = 1.0 / 6227020800;
  for (const double c : {1.0 / 39916800, 1.0 / 362880, 1.0 / 5040, 1.0 / 120, 1.0 / 6}) odd = odd * z + c;
  const double p = 1 + (r + (z * (odd * r + even) + lost));
  const auto power = static_cast<std::int64_t>(n);
  return p * std::bit_cast<double>(static_cast<std::uint64_t>(power + 1023) << 52U);
}

inline double log(double x) {
  constexpr double kSmallestNormal = 0x1p-1022;
  if (!(x >= kSmallestNormal)) {
    if (x != x) return x;
    if (x <= 0)
      return x == 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    return log(x * 0x1p54) - 54 * 0.6931471805599453;
  }
  auto bits = std::bit_cast<std::uint64_t>(x);
  auto exponent = static_cast<std::int64_t>(bits >> 52U) - 1023;
  double m = std::bit_cast<double>((bits & 0x000fffffffffffffU) | 0x3ff0000000000000U);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++exponent;
  }
  // log m = 2 atanh(s): the series in s^2 up to s^21; |s| < 0.172, so the rest is below 1e-18.
  const double s = (m - 1) / (m + 1);
  const double z = s * s;
  const double y = z * z;
  double even = 2.0 / 19;
  for (const double c : {2.0 / 15, 2.0 / 11, 2.0 / 7, 2.0 / 3}) even = even * y + c;
  double odd = 2.0 / 21;
  for (const double c : {2.0 / 17, 2.0 / 13, 2.0 / 9, 2.0 / 5}) odd = odd * y + c;
  const double p = odd * z + even;
  const auto e = static_cast<double>(exponent);
  return (e * 0x1.a39ef35793c76p-33 + (s * z * p + 2 * s)) + e * 0x1.62e42fee00000p-1;
}

/// log(1 + e^t), to within 1e-15 absolutely or 2 units in the last place.
inline double softplus(double t) { return t > 0 ? t + log(1 + exp(-t)) : log(1 + exp(t)); }

}  // namespace assay::portable
