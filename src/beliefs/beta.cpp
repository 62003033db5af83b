#include "assay/beliefs/beta.hpp"

#include <fmt/format.h>

namespace assay::detail {

double log_beta_function(double a, double b) { return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b); }

double binomial_coefficient(int n, int k) {
  double product = 1;
  for (int i = 0; i < k; ++i) product = product * (n - i) / (i + 1);
  return product;
}

double beta_binomial(int n, int k, double a, double b) {
  // Polya's urn, draw by draw: no cancellation, and for the few looks that occur faster than lgamma.
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

std::string counts_text(std::span<const std::uint32_t> counts) {
  std::string text;
  for (std::size_t c = 0; 2 * c < counts.size(); ++c) {
    const std::uint32_t successes = counts[2 * c];
    const std::uint32_t draws = successes + counts[2 * c + 1];
    if (draws > 0) text += fmt::format("{}{}:{}/{}", text.empty() ? "" : " ", c, successes, draws);
  }
  return text.empty() ? "prior" : text;
}

void throw_impossible_reward(double reward) {
  throw ImpossibleEvidence(fmt::format("a reward of {} was seen where a draw pays 0 or 1", reward));
}

void throw_impossible_count(int successes, int looks) {
  throw ImpossibleEvidence(fmt::format("{} successes were seen in {} looks", successes, looks));
}

void throw_mismatched_pulls(std::size_t seen, std::size_t expected) {
  throw ImpossibleEvidence(fmt::format(
      "the observation counts the successes of {} looked-at cells, but {} cells are looked at here", seen, expected));
}

void throw_count_too_large(std::uint32_t count) {
  throw LimitError(fmt::format("a cell was drawn {} times; beliefs for exact solution count up to 65535", count));
}

}  // namespace assay::detail
