#include "solver/digits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace assay {

int certain_decimals(double scale, int most) {
  constexpr int kDigits = 10;
  const int before_point = scale < 1 ? 1 : static_cast<int>(std::floor(std::log10(scale))) + 1;
  return std::clamp(kDigits - before_point, 0, most);
}

bool agree(const Bounds& bounds, int decimals) {
  return fmt::format("{:.{}f}", bounds.lower, decimals) == fmt::format("{:.{}f}", bounds.upper, decimals);
}

SearchEnd search_decimals(BoundSearch& search, int decimals, SearchLimits limits) {
  constexpr double kRounding = 1e-12;  // relative to the scale: no search gets closer
  const double scale = std::max(search.scale(), 1e-300);
  // The tolerance is a tenth of the last digit, or less if that digit changes between the bounds.
  limits.tolerance = std::min(limits.tolerance, 0.1 * std::pow(10, -decimals) / scale);
  for (;; limits.tolerance /= 10) {
    const SearchEnd end = search.run(limits);
    if (end != SearchEnd::kTight || limits.tolerance < kRounding) return end;
    if (agree({search.lower(), search.upper()}, decimals)) return end;
  }
}

}  // namespace assay
