#include "assay/beliefs/finite.hpp"

#include <fmt/format.h>

namespace assay::detail {
namespace {

/// The nearest double with 40 significant bits. Adding half a unit to the bit pattern carries into the
/// exponent exactly when rounding up should, and zero stays zero.
double to_40_bits(double value) {
  constexpr std::uint64_t kDropped = 53 - 40;
  constexpr std::uint64_t kUnit = std::uint64_t{1} << kDropped;
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
  return std::bit_cast<double>((bits + kUnit / 2) & ~(kUnit - 1));
}

}  // namespace

void normalise_to_canonical(std::span<double> weights) {
  double total = 0;
  for (const double w : weights) total += w;
  // Negated, so that a NaN is caught as well.
  if (!(total > 0) || !std::isfinite(total)) {
    throw ImpossibleEvidence(fmt::format(
        "the observation has probability {} under every one of the {} environments that the belief "
        "still holds possible",
        total > 0 ? "not finite" : "zero", weights.size()));
  }
  for (double& w : weights) w = to_40_bits(w / total);
}

std::string weights_text(std::span<const double> weights, std::span<const std::string> names) {
  std::string text;
  for (std::size_t e = 0; e < weights.size(); ++e) {
    if (weights[e] <= 0) continue;
    text += fmt::format("{}{} {:.4g}", text.empty() ? "" : ", ", names[e], weights[e]);
  }
  return text;
}

}  // namespace assay::detail
