#include "assay/beliefs/finite.hpp"

#include <fmt/format.h>

namespace assay::detail {

void normalise(std::span<LogWeight> logs, std::span<double> weights) {
  LogWeight largest = kImpossible;
  for (const LogWeight l : logs) largest = std::max(largest, l);
  if (largest == kImpossible) {
    throw ImpossibleEvidence(fmt::format(
        "the observation has probability zero in every environment that was still possible (of {})",
        logs.size()));
  }
  double total = 0;
  for (std::size_t e = 0; e < logs.size(); ++e) {
    if (logs[e] != kImpossible) logs[e] -= largest;
    weights[e] = weight_of(logs[e]);
    total += weights[e];
  }
  for (double& w : weights) w /= total;
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
