#include "assay/solver/information.hpp"

namespace assay::detail {

double over_starts(const std::vector<Start>& starts, const std::vector<double>& value) {
  double sum = 0;
  for (const Start& start : starts) sum += start.probability * value[static_cast<std::size_t>(start.state)];
  return sum;
}

Estimate mean_of(const std::vector<double>& samples) {
  const auto n = static_cast<double>(samples.size());
  double sum = 0;
  for (const double s : samples) sum += s;
  const double mean = sum / n;
  double squares = 0;
  for (const double s : samples) squares += (s - mean) * (s - mean);
  return {mean, std::sqrt(squares / (n - 1) / n)};
}

}  // namespace assay::detail
