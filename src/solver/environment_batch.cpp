#include "assay/solver/detail/environment_batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/core/error.hpp"

namespace assay {
namespace {

/// Converts to single precision and removes -0, because maximum instructions differ in which zero they
/// return.
float positive_zero(double reward) { return static_cast<float>(reward) + 0.0F; }

/// Calls put_reward(index, value) and add_probability(index, value) for every number of `mdp` that the
/// dynamics have room for.
template <class PutReward, class AddProbability>
void read(const Dynamics& d, const Mdp& mdp, PutReward&& put_reward, AddProbability&& add_probability) {
  const auto pair = [&](std::size_t x, int a) {
    return x * static_cast<std::size_t>(mdp.actions) + static_cast<std::size_t>(a);
  };
  if (mdp.states != d.states) {
    throw UsageError(fmt::format("an environment of {} states in a batch for {}", mdp.states, d.states));
  }
  for (std::size_t x = 0; x < static_cast<std::size_t>(d.states); ++x) {
    if (d.form == Dynamics::Form::kKingGrid) {
      put_reward(x, mdp.reward[pair(x, 4)]);  // staying collects here, and enters here
      continue;
    }
    for (std::size_t c = d.first_choice[x]; c < d.first_choice[x + 1]; ++c) {
      const std::size_t at = pair(x, d.action[c]);
      put_reward(d.pays == Dynamics::Pays::kState ? x : c, mdp.reward[at]);
      for (std::uint32_t i = mdp.first_arc[at]; i < mdp.first_arc[at + 1]; ++i) {
        if (mdp.arcs[i].probability == 0) continue;
        const auto begin = d.next.begin() + d.first_arc[c];
        const auto end = d.next.begin() + d.first_arc[c + 1];
        const auto found = std::find(begin, end, static_cast<std::uint32_t>(mdp.arcs[i].next));
        if (found == end) {
          throw UsageError(
              fmt::format("action {} in state {} leads to state {}, for which the batch has no arc",
                          d.action[c], x, mdp.arcs[i].next));
        }
        if (d.form == Dynamics::Form::kArcs) {
          add_probability(static_cast<std::size_t>(found - d.next.begin()), mdp.arcs[i].probability);
        }
      }
    }
  }
}

}  // namespace

EnvironmentBatch::EnvironmentBatch(std::shared_ptr<const Dynamics> dynamics, std::size_t count)
    : dynamics_(std::move(dynamics)), count_(count) {
  if (count == 0) throw UsageError("a batch needs at least one environment");
  reward_.assign(tiles() * reward_stride(), 0.0F);
  probability_.assign(tiles() * probability_stride(), 0.0F);
}

void EnvironmentBatch::set(std::size_t environment, const Mdp& mdp) {
  const std::span<float> rewards = reward_tile(environment / kTile);
  const std::span<float> probabilities = probability_tile(environment / kTile);
  const std::size_t lane = environment % kTile;
  for (std::size_t i = lane; i < probabilities.size(); i += kTile) probabilities[i] = 0;
  read(
      *dynamics_, mdp, [&](std::size_t i, double r) { rewards[i * kTile + lane] = positive_zero(r); },
      [&](std::size_t i, double p) { probabilities[i * kTile + lane] += static_cast<float>(p); });
}

float EnvironmentBatch::largest_reward() const {
  float largest = 0;
  for (std::size_t e = 0; e < count_; ++e) {
    const std::span<const float> rewards = reward_tile(e / kTile);
    for (std::size_t i = e % kTile; i < rewards.size(); i += kTile)
      largest = std::max(largest, std::abs(rewards[i]));
  }
  return largest;
}

SharedEnvironment::SharedEnvironment(const Dynamics& dynamics, const Mdp& mdp)
    : reward(dynamics.rewards()), probability(dynamics.probabilities()) {
  read(
      dynamics, mdp, [&](std::size_t i, double r) { reward[i] = positive_zero(r); },
      [&](std::size_t i, double p) { probability[i] += static_cast<float>(p); });
}

SharedEnvironment::SharedEnvironment(const EnvironmentBatch& batch, std::size_t environment) {
  const std::size_t lane = environment % kTile;
  const std::span<const float> rewards = batch.reward_tile(environment / kTile);
  const std::span<const float> probabilities = batch.probability_tile(environment / kTile);
  for (std::size_t i = lane; i < rewards.size(); i += kTile) reward.push_back(rewards[i]);
  for (std::size_t i = lane; i < probabilities.size(); i += kTile) probability.push_back(probabilities[i]);
}

}  // namespace assay
