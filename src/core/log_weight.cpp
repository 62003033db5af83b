#include "assay/core/detail/log_weight.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/core/detail/portable_math.hpp"
#include "assay/core/error.hpp"

namespace assay::detail {
namespace {

// Far below every weight that a double can hold, and far from where sums could overflow.
constexpr LogWeight kLowest = -(LogWeight{1} << 61);

}  // namespace

LogWeight log_weight(double probability) {
  if (probability == 1) return 0;  // the most frequent likelihood by far
  if (!std::isfinite(probability) || probability < 0) {
    throw ImpossibleEvidence(fmt::format("{} is not a probability", probability));
  }
  if (probability == 0) return kImpossible;
  return std::llround(portable::log(probability) / kLogUnit);
}

LogWeight add_log_weights(LogWeight a, LogWeight b) {
  if (a == kImpossible || b == kImpossible) return kImpossible;
  return std::max(a + b, kLowest);
}

double weight_of(LogWeight log) {
  if (log == kImpossible) return 0;
  return log == 0 ? 1 : portable::exp(static_cast<double>(log) * kLogUnit);
}

}  // namespace assay::detail
