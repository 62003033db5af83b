#include "assay/beliefs/finite.hpp"

#include <fmt/format.h>

#include "assay/core/portable_math.hpp"

namespace assay::detail {
namespace {

constexpr double kUnit = 0x1p-46;
// Far below any weight that a double can hold, far above where sums could overflow.
constexpr LogWeight kLowest = -(LogWeight{1} << 61);

}  // namespace

LogWeight log_weight(double probability) {
  if (probability == 1) return 0;  // by far the most frequent likelihood
  if (!std::isfinite(probability) || probability < 0) {
    throw ImpossibleEvidence(fmt::format("{} is not a probability", probability));
  }
  if (probability == 0) return kImpossible;
  return std::llround(portable::log(probability) / kUnit);
}

LogWeight add_log_weights(LogWeight a, LogWeight b) {
  if (a == kImpossible || b == kImpossible) return kImpossible;
  return std::max(a + b, kLowest);
}

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
    const bool certain_so_far = logs[e] == 0;
    const double relative = certain_so_far ? 1 : portable::exp(static_cast<double>(logs[e]) * kUnit);
    weights[e] = logs[e] == kImpossible ? 0 : relative;
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
