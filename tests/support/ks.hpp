// Goodness-of-fit thresholds that a correct sampler misses with a stated probability.
//
// All seeds are fixed, so a threshold is about which wrong samplers can hide, not about flaky runs. Still it
// is derived, not tuned: with at most kComparisons comparisons in the suite, each at level kLevel, a correct
// library and a fresh set of seeds would raise any alarm at all with probability at most kFamilyWiseError.
#pragma once

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstddef>
#include <vector>

namespace assay::laws {

inline constexpr double kFamilyWiseError = 1e-6;
inline constexpr double kComparisons = 500;
inline constexpr double kLevel = kFamilyWiseError / kComparisons;

/// The Kolmogorov-Smirnov distance that n draws exceed with probability at most kLevel: by Massart's
/// inequality P(D > d) <= 2 exp(-2 n d^2), for every n and every distribution, atoms included.
inline double ks_threshold(std::size_t n) {
  return std::sqrt(-std::log(kLevel / 2) / (2 * static_cast<double>(n)));
}

/// The number of standard errors that a nearly normal mean exceeds, on either side, with probability kLevel.
inline double z_threshold() {
  return boost::math::quantile(boost::math::complement(boost::math::normal(), kLevel / 2));
}

/// Pearson's statistic and the value it exceeds with probability kLevel.
struct ChiSquare {
  double statistic = 0, threshold = 0;
};

/// Compares counts with expected counts. The law of the statistic needs every expected count to be at least 5
/// or so; neighbouring classes with less are taken together, and a class that is impossible must be empty.
inline ChiSquare chi_square(const std::vector<double>& counts, const std::vector<double>& expected) {
  constexpr double kLeastExpected = 5;
  std::vector<double> seen, due;
  double open_seen = 0, open_due = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (expected[i] <= 0) {
      if (counts[i] > 0) return {HUGE_VAL, 0};
      continue;
    }
    open_seen += counts[i];
    open_due += expected[i];
    if (open_due < kLeastExpected) continue;
    seen.push_back(open_seen);
    due.push_back(open_due);
    open_seen = open_due = 0;
  }
  if (!due.empty()) {
    seen.back() += open_seen;
    due.back() += open_due;
  }
  ChiSquare result;
  for (std::size_t i = 0; i < due.size(); ++i)
    result.statistic += (seen[i] - due[i]) * (seen[i] - due[i]) / due[i];
  if (due.size() < 2) return {0, 0};  // one class: nothing to compare
  const boost::math::chi_squared law(static_cast<double>(due.size() - 1));
  result.threshold = boost::math::quantile(boost::math::complement(law, kLevel));
  return result;
}

/// chi_square against equal expected counts.
inline ChiSquare chi_square_uniform(const std::vector<double>& counts) {
  double total = 0;
  for (const double c : counts) total += c;
  return chi_square(counts, std::vector<double>(counts.size(), total / static_cast<double>(counts.size())));
}

/// The Kolmogorov-Smirnov distance between draws and a law that the draws' type rounds.
///
/// `below(v)` and `upto(v)` are the probabilities that the true variate rounds to less than v and to at most
/// v: the CDF at the rounding boundaries of v. On a continuous scale both are the CDF at v. Comparing at the
/// boundaries is what makes atoms count: draws that round to exactly 0 or 1 are right only in the right
/// number.
template <class Real, class Below, class UpTo>
double ks_distance(std::vector<Real> draws, const Below& below, const UpTo& upto) {
  if (std::any_of(draws.begin(), draws.end(), [](Real v) { return std::isnan(v); })) return HUGE_VAL;
  std::sort(draws.begin(), draws.end());
  constexpr std::size_t kStride = 16;
  const auto n = static_cast<double>(draws.size());
  double distance = 0;
  std::size_t compared = 0;
  for (std::size_t first = 0; first < draws.size();) {
    std::size_t end = first;
    while (end < draws.size() && draws[end] == draws[first]) ++end;
    if (end - compared >= kStride) {
      distance = std::max(distance, std::abs(below(draws[first]) - static_cast<double>(first) / n));
      distance = std::max(distance, std::abs(upto(draws[first]) - static_cast<double>(end) / n));
      compared = end;
    }
    first = end;
  }
  return distance;
}

/// ks_distance on a scale where rounding does not matter.
template <class Cdf>
double ks_distance(const std::vector<double>& draws, const Cdf& cdf) {
  return ks_distance(draws, cdf, cdf);
}

}  // namespace assay::laws
