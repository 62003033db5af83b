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
  constexpr std::size_t kMostNamed = 24;  // of more environments, the most probable of them are named
  std::vector<std::size_t> possible;
  for (std::size_t e = 0; e < weights.size(); ++e) {
    if (weights[e] > 0) possible.push_back(e);
  }
  const std::size_t named = std::min(possible.size(), kMostNamed);
  if (possible.size() > kMostNamed) {
    std::ranges::stable_sort(possible, [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  }
  std::string text;
  for (std::size_t i = 0; i < named; ++i) {
    text += fmt::format("{}{} {:.4g}", text.empty() ? "" : ", ", names[possible[i]], weights[possible[i]]);
  }
  if (named == possible.size()) return text;
  double others = 0;
  for (std::size_t i = named; i < possible.size(); ++i) others += weights[possible[i]];
  return text + fmt::format(", and {} others {:.4g}", possible.size() - named, others);
}

}  // namespace assay::detail
