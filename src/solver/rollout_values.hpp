// The values Q(x,a) that BAMCP's rollouts follow. They are learned from the agent's real steps (Watkins
// 1989).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "assay/core/policy.hpp"
#include "assay/core/rng.hpp"
#include "solver/bamcp.hpp"

namespace assay::detail {

/// A number uniform below n, from the lower half of a random word; the upper half is left for another use.
inline std::uint32_t below(std::uint64_t word, std::uint32_t n) {
  return static_cast<std::uint32_t>((word & 0xffffffffU) * n >> 32U);
}

class RolloutValues {
 public:
  /// Takes discount, rate and epsilon from `settings`.
  RolloutValues(std::shared_ptr<const AllowedActions> allowed, const BamcpSettings& settings);

  /// Sets all values to 0.
  void forget();
  /// Learns from a step that led to `next`, where the agent has arrived.
  void learn(const LastStep& step, int next);

  /// An epsilon-greedy choice, as a number in AllowedActions. Of equally good choices, any one.
  [[nodiscard]] std::uint32_t choice(int state, Rng& luck) const {
    const std::uint64_t word = luck.next64();
    const std::uint32_t first = allowed_->first(state);
    if (word >> 32U < epsilon_) return first + below(word, allowed_->count(state));
    return greedy_[first + below(word, equals_[static_cast<std::size_t>(state)])];
  }

 private:
  void find_greedy(int state);

  std::shared_ptr<const AllowedActions> allowed_;
  double discount_;
  double rate_;
  std::uint64_t epsilon_;              // times 2^32
  std::vector<double> q_;              // [choice]
  std::vector<std::uint32_t> greedy_;  // [choice]: the best choices of each state come first
  std::vector<std::uint32_t> equals_;  // [state]: the number of best choices
};

}  // namespace assay::detail
