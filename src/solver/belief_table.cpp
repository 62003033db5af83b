#include "solver/belief_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/core/detail/memory.hpp"
#include "assay/core/error.hpp"

namespace assay {
namespace {

using detail::kImpossible;
using detail::kLogUnit;

constexpr double kNearLog = 1e-11;  // a logarithm of 300 is rounded by 1e-13; real differences are larger

}  // namespace

BeliefTable::BeliefTable(int environments)
    : environments_(static_cast<std::size_t>(environments)), table_(environments_, 1024, large_arrays()) {}

std::uint32_t BeliefTable::insert(std::span<Log> logs) {
  const Log largest = *std::ranges::max_element(logs);
  for (Log& l : logs) {
    if (l != kImpossible) l -= largest;
  }
  const Key key{reinterpret_cast<const std::uint64_t*>(logs.data()), logs.size()};
  const std::uint32_t number = table_.insert(key, hash_key(key));
  if (number < size()) return number;
  double total = 0;
  for (std::size_t e = 0; e < logs.size(); ++e) {
    const double weight = detail::weight_of(logs[e]);
    if (weight > 0) shares_.push_back({static_cast<int>(e), weight});
    total += weight;
  }
  for (std::size_t i = first_.back(); i < shares_.size(); ++i) shares_[i].weight /= total;
  first_.push_back(shares_.size());
  return number;
}

std::vector<BeliefTable::Log> BeliefTable::logs_of(std::span<const double> weights) const {
  if (weights.size() != environments_) {
    throw UsageError(
        fmt::format("{} weights for {} environments; give one for each", weights.size(), environments_));
  }
  const double largest = *std::ranges::max_element(weights);
  std::vector<Log> logs;
  for (const double w : weights) {
    if (!(w >= 0) || !std::isfinite(w) || !(largest > 0)) {
      throw UsageError(fmt::format(
          "a weight of {}, the largest being {}; weights are 0 or more, and not all of them 0", w, largest));
    }
    logs.push_back(detail::log_weight(w / largest));
  }
  return logs;
}

std::uint32_t BeliefTable::insert(std::span<const double> weights) {
  std::vector<Log> logs = logs_of(weights);
  return insert(logs);
}

std::uint32_t BeliefTable::find(std::span<const double> weights) {
  const std::vector<Log> logs = logs_of(weights);
  const Key key{reinterpret_cast<const std::uint64_t*>(logs.data()), logs.size()};
  const std::uint32_t exact = table_.find(key, hash_key(key));
  if (exact != StateTable::kAbsent) return exact;
  if (by_projection_.size() != size()) {
    by_projection_.clear();
    for (std::uint32_t b = 0; b < size(); ++b) by_projection_.emplace_back(projection(this->logs(b)), b);
    std::ranges::sort(by_projection_);
  }
  const double at = projection(logs);
  const double reach = kNearLog * static_cast<double>(environments_ + 1);
  auto candidate = std::ranges::lower_bound(by_projection_, std::pair{at - reach, std::uint32_t{0}});
  for (; candidate != by_projection_.end() && candidate->first <= at + reach; ++candidate) {
    if (near(this->logs(candidate->second), logs)) return candidate->second;
  }
  return kAbsent;
}

/// A number that is nearly the same for near beliefs: a sum of the logarithms with different factors below
/// 1.
double BeliefTable::projection(std::span<const Log> logs) const {
  double sum = 0;
  double factor = 1;
  for (const Log l : logs) {
    factor = factor > 0.5 ? factor * 0.618 : factor * 1.531;
    if (l != kImpossible) sum += factor * static_cast<double>(l) * kLogUnit;
  }
  return sum;
}

bool BeliefTable::near(std::span<const Log> a, std::span<const Log> b) const {
  for (std::size_t e = 0; e < a.size(); ++e) {
    if ((a[e] == kImpossible) != (b[e] == kImpossible)) return false;
    if (std::abs(static_cast<double>(a[e] - b[e])) * kLogUnit > kNearLog) return false;
  }
  return true;
}

std::span<const BeliefTable::Log> BeliefTable::logs(std::uint32_t belief) const {
  const Key key = table_.key(belief);
  return {reinterpret_cast<const Log*>(key.data()), key.size()};
}

std::size_t BeliefTable::bytes() const {
  return size() * environments_ * sizeof(Log) + shares_.capacity() * sizeof(Share) +
         first_.capacity() * sizeof(std::size_t) + size() * 3 * sizeof(std::uint64_t);
}

}  // namespace assay
