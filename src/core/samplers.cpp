#include <algorithm>
#include <vector>

#include "assay/core/detail/portable_math.hpp"
#include "assay/core/rng.hpp"

namespace assay {

std::uint64_t uniform_index(Rng& rng, std::uint64_t n) {
  // Without this test the 2^64 mod n lowest values would make small results too frequent: such a value is
  // drawn again.
  const std::uint64_t excess = (0 - n) % n;
  for (;;) {
    const std::uint64_t draw = rng.next64();
    if (draw >= excess) return draw % n;
  }
}

int binomial(Rng& rng, int trials, double p) {
  int successes = 0;
  for (int i = 0; i < trials; ++i) successes += bernoulli(rng, p) ? 1 : 0;
  return successes;
}

std::size_t categorical(Rng& rng, std::span<const double> weights) {
  double total = 0;
  for (const double w : weights) total += w;
  double left = uniform(rng) * total;
  std::size_t last_possible = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    if (left < weights[i]) return i;
    left -= weights[i];
    last_possible = i;
  }
  return last_possible;  // rounding used up the sum, so the last index with a positive weight is drawn
}

double standard_normal(Rng& rng) {
  // Marsaglia's polar method uses only log and sqrt, which round in the same way under every compiler.
  for (;;) {
    const double x = 2 * uniform_open(rng) - 1;
    const double y = 2 * uniform_open(rng) - 1;
    const double s = x * x + y * y;
    if (s < 1 && s > 0) return x * std::sqrt(-2 * portable::log(s) / s);
  }
}

double log_gamma_variate(Rng& rng, double shape) {
  // G(a) = G(a+1) U^(1/a). For a < 1 the power could underflow, so it is kept as a logarithm.
  if (shape < 1) {
    const double log_power = portable::log(uniform_open(rng)) / shape;
    return log_gamma_variate(rng, shape + 1) + log_power;
  }
  // Marsaglia and Tsang (2000): a rejection method, exact for shape >= 1, which accepts at least 95 %.
  const double d = shape - 1.0 / 3.0;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = standard_normal(rng);
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double log_v = 3 * portable::log(root);
    if (portable::log(uniform_open(rng)) < 0.5 * x * x + d - d * v + d * log_v)
      return portable::log(d) + log_v;
  }
}

double logit_beta_variate(Rng& rng, double a, double b) {
  const double log_x = log_gamma_variate(rng, a);
  return log_x - log_gamma_variate(rng, b);
}

void dirichlet(Rng& rng, std::span<const double> shapes, std::span<double> out) {
  double largest = -HUGE_VAL;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    out[i] = log_gamma_variate(rng, shapes[i]);
    largest = std::max(largest, out[i]);
  }
  double total = 0;
  for (double& value : out) {
    value = portable::exp(value - largest);
    total += value;
  }
  for (double& value : out) value /= total;
}

void dirichlet(Rng& rng, std::span<const double> shapes, std::span<float> out) {
  std::vector<double> wide(shapes.size());
  dirichlet(rng, shapes, std::span<double>(wide));
  std::transform(wide.begin(), wide.end(), out.begin(), [](double v) { return static_cast<float>(v); });
}

}  // namespace assay
