// What BAMCP's rollouts follow: values Q(x,a), learned from what an agent really lived through (Watkins
// 1989).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "assay/core/rng.hpp"
#include "assay/core/situation.hpp"
#include "solver/bamcp.hpp"

namespace assay::detail {

/// Uniform below n from the lower half of a random word; the upper half is left for something else.
inline std::uint32_t below(std::uint64_t word, std::uint32_t n) {
  return static_cast<std::uint32_t>((word & 0xffffffffU) * n >> 32U);
}

class RolloutValues {
 public:
  /// Of `settings`: discount, rate and epsilon.
  RolloutValues(std::shared_ptr<const AllowedActions> allowed, const BamcpSettings& settings);

  /// All values are 0 again.
  void forget();
  /// Takes in a step that led to `next`, where the agent has arrived.
  void learn(const LastStep& step, int next);

  /// Epsilon-greedy, as a choice of AllowedActions. Of equally good ones, any.
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
  std::uint64_t epsilon_;              // of 2^32
  std::vector<double> q_;              // [choice]
  std::vector<std::uint32_t> greedy_;  // [choice]: of each state the best choices first
  std::vector<std::uint32_t> equals_;  // [state]: how many they are
};

}  // namespace assay::detail
