#include "assay/beliefs/beta.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::detail {

double log_beta_function(double a, double b) {
  // std::lgamma is not used, because it writes the sign to a global variable, which several threads may not
  // do.
  const auto log_gamma = [](double x) {
    int sign = 0;
    return lgamma_r(x, &sign);
  };
  return log_gamma(a) + log_gamma(b) - log_gamma(a + b);
}

double binomial_coefficient(int n, int k) {
  double product = 1;
  for (int i = 0; i < k; ++i) product = product * (n - i) / (i + 1);
  return product;
}

double beta_binomial(int n, int k, double a, double b) {
  // Polya's urn, draw by draw: there is no cancellation, and for a few looks it is faster than lgamma.
  double p = binomial_coefficient(n, k);
  for (int i = 0; i < k; ++i) p *= (a + i) / (a + b + i);
  for (int i = 0; i < n - k; ++i) p *= (b + i) / (a + b + k + i);
  return p;
}

double binomial_probability(int n, int k, double p) {
  double product = binomial_coefficient(n, k);
  for (int i = 0; i < k; ++i) product *= p;
  for (int i = 0; i < n - k; ++i) product *= 1 - p;
  return product;
}

std::string counts_text(std::span<const std::uint64_t> counts) {
  std::string text;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    const auto successes = static_cast<std::uint32_t>(counts[c]);
    const auto draws = successes + static_cast<std::uint32_t>(counts[c] >> 32U);
    if (draws > 0) text += fmt::format("{}{}:{}/{}", text.empty() ? "" : " ", c, successes, draws);
  }
  return text.empty() ? "prior" : text;
}

void throw_impossible_pulls(std::span<const Pull> pulls, int next, const Outcome& seen) {
  std::vector<int> looks;
  bool paid = false;
  for (const Pull& pull : pulls) {
    paid = paid || pull.rewarded;
    if (pull.looks > 0) looks.push_back(pull.looks);
  }
  throw ImpossibleEvidence(
      fmt::format("a reward of {}, successes [{}] and next state {} were seen, where {} is paid, [{}] looks "
                  "are made and state {} "
                  "comes next",
                  seen.reward, fmt::join(seen.observation, ", "), seen.next, paid ? "0 or 1" : "nothing",
                  fmt::join(looks, ", "), next));
}

}  // namespace assay::detail
