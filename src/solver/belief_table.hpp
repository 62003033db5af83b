// Beliefs over finitely many environments, each stored once and identified by a number.
//
// A belief is kept as fixed-point logarithms of its weights, the largest being zero (as in FiniteBelief).
// Bayes' rule then adds integers, so that the same evidence gives the same belief in any order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "assay/core/detail/log_weight.hpp"
#include "assay/solver/detail/state_table.hpp"

namespace assay {

class BeliefTable {
 public:
  using Log = detail::LogWeight;
  static constexpr std::uint32_t kAbsent = StateTable::kAbsent;

  struct Share {
    int environment;
    double weight;  // > 0, they sum to 1
  };

  explicit BeliefTable(int environments);

  /// The number of the belief with these logarithms, which are known up to a constant. At least one
  /// environment must be possible.
  std::uint32_t insert(std::span<Log> logs);
  /// The number of the belief with these weights (>= 0, any positive sum).
  std::uint32_t insert(std::span<const double> weights);
  /// The belief that differs from these weights only by rounding, or kAbsent. Weights that were converted to
  /// logarithms and back are not equal in the last bits.
  std::uint32_t find(std::span<const double> weights);

  [[nodiscard]] std::size_t size() const { return first_.size() - 1; }
  [[nodiscard]] std::span<const Share> shares(std::uint32_t belief) const {
    return {shares_.data() + first_[belief], first_[belief + 1] - first_[belief]};
  }
  [[nodiscard]] std::span<const Log> logs(std::uint32_t belief) const;
  [[nodiscard]] std::size_t bytes() const;

 private:
  [[nodiscard]] std::vector<Log> logs_of(std::span<const double> weights) const;
  [[nodiscard]] double projection(std::span<const Log> logs) const;
  [[nodiscard]] bool near(std::span<const Log> a, std::span<const Log> b) const;

  std::size_t environments_;
  StateTable table_;
  std::vector<std::size_t> first_ = {0};  // [belief + 1], of shares
  std::vector<Share> shares_;
  std::vector<std::pair<double, std::uint32_t>> by_projection_;  // sorted; made when it is first needed
};

}  // namespace assay
