#include "solver/rollout_values.hpp"

#include <algorithm>
#include <utility>

namespace assay::detail {

RolloutValues::RolloutValues(std::shared_ptr<const AllowedActions> allowed, const BamcpSettings& settings)
    : allowed_(std::move(allowed)),
      discount_(settings.discount),
      rate_(settings.rate),
      epsilon_(static_cast<std::uint64_t>(settings.epsilon * 0x1p32)),
      q_(allowed_->choices()),
      greedy_(allowed_->choices()),
      equals_(allowed_->states()) {
  forget();
}

void RolloutValues::forget() {
  std::ranges::fill(q_, 0.0);
  for (std::size_t x = 0; x < equals_.size(); ++x) find_greedy(static_cast<int>(x));
}

void RolloutValues::learn(const LastStep& step, int next) {
  const std::uint32_t first = allowed_->first(step.state);
  for (std::uint32_t i = 0; i < allowed_->count(step.state); ++i) {
    if (allowed_->action(first + i) != step.action) continue;
    const double ahead = step.arrival + q_[greedy_[allowed_->first(next)]];
    q_[first + i] += rate_ * (step.reward + discount_ * ahead - q_[first + i]);
  }
  find_greedy(step.state);
}

void RolloutValues::find_greedy(int state) {
  const std::uint32_t first = allowed_->first(state);
  std::uint32_t& equals = equals_[static_cast<std::size_t>(state)];
  equals = 0;
  for (std::uint32_t choice = first; choice < first + allowed_->count(state); ++choice) {
    const double best = equals == 0 ? q_[choice] : q_[greedy_[first]];
    if (q_[choice] > best) equals = 0;
    if (q_[choice] >= best) greedy_[first + equals++] = choice;
  }
}

}  // namespace assay::detail
