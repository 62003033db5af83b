#include "cashing/environment_pool.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay {
namespace {

constexpr int kMostSweeps = 2000;
/// Between two decisions little changes, and what is not quite settled is settled by the next ones.
constexpr int kFewSweeps = 8;
/// One in so many is new at every decision: an environment that nobody drew cannot be thought of.
constexpr std::size_t kRenewal = 16;

double largest_reward(const Mdp& table) {
  double largest = 0;
  for (const double reward : table.reward) {
    if (std::isfinite(reward)) largest = std::max(largest, std::abs(reward));
  }
  return largest;
}

/// Sweeps until `value(x)` changes nothing any more.
template <class Value>
void sweep(std::vector<float>& values, int sweeps, double settled, const Value& value) {
  for (int i = 0; i < sweeps; ++i) {
    float change = 0;
    for (std::size_t x = 0; x < values.size(); ++x) {
      const float now = value(x);
      change = std::max(change, std::abs(now - values[x]));
      values[x] = now;
    }
    if (change <= settled) return;
  }
}

}  // namespace

EnvironmentPool::EnvironmentPool(const Belief& prior, const PoolSettings& settings, int horizon)
    : settings_(settings),
      states_(static_cast<std::size_t>(prior.states())),
      actions_(static_cast<std::size_t>(prior.actions())),
      endless_(settings.discount < 1 && std::pow(settings.discount, horizon) < settings.precision) {
  for (std::size_t i = 0; i < settings_.environments; ++i) members_.push_back({prior.environment(), {}, {}});
}

float EnvironmentPool::look_ahead(const Mdp& table, std::size_t row, const float* values) const {
  float next = 0;
  for (std::uint32_t i = table.first_arc[row]; i < table.first_arc[row + 1]; ++i) {
    next += static_cast<float>(table.arcs[i].probability) * values[table.arcs[i].next];
  }
  return static_cast<float>(table.reward[row]) + static_cast<float>(settings_.discount) * next;
}

float EnvironmentPool::best(const Mdp& table, std::size_t state, const float* values) const {
  float best = -std::numeric_limits<float>::infinity();
  for (std::size_t a = 0; a < actions_; ++a) {
    best = std::max(best, look_ahead(table, state * actions_ + a, values));
  }
  return best;
}

void EnvironmentPool::solve(Member& member, int sweeps) const {
  if (endless_) {
    member.full_values.resize(states_);
    const float* values = member.full_values.data();
    sweep(member.full_values, sweeps, settled_, [&](std::size_t x) { return best(member.table, x, values); });
    return;
  }
  member.full_values.assign((static_cast<std::size_t>(remaining_) + 1) * states_, 0);
  for (std::size_t at = states_; at < member.full_values.size(); ++at) {
    const float* next = member.full_values.data() + (at / states_ - 1) * states_;
    member.full_values[at] = best(member.table, at % states_, next);
  }
}

std::vector<double> EnvironmentPool::collected(const std::vector<int>& plan, int state, int remaining) const {
  std::vector<double> all;
  for (const Member& member : members_) {
    std::vector<float> values = member.full_values;
    const auto doing = [&](std::size_t at) {
      return at % states_ * actions_ + static_cast<std::size_t>(plan[at]);
    };
    if (endless_) {
      sweep(values, kMostSweeps, settled_,
            [&](std::size_t x) { return look_ahead(member.table, doing(x), values.data()); });
    } else {
      for (std::size_t at = states_; at < values.size(); ++at) {
        values[at] = look_ahead(member.table, doing(at), values.data() + (at / states_ - 1) * states_);
      }
    }
    all.push_back(values[place(state, remaining)]);
  }
  return all;
}

void EnvironmentPool::know(const Situation& situation, Rng rng) {
  const bool goes_on = endless_ && goes_on_;
  remaining_ = situation.remaining();
  goes_on_ = true;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Member& member = members_[i];
    member.environment->draw_from(situation.belief());
    const bool anew = !goes_on || i % kRenewal == static_cast<std::size_t>(situation.step()) % kRenewal;
    if (anew) {
      member.environment->draw(rng.split(i));
      member.full_values.clear();  // nothing of another episode
    } else {
      member.environment->renew(rng.split(i));
    }
    member.table = member.environment->tabulate();
    if (i == 0) settled_ = settings_.precision * largest_reward(member.table);
    solve(member, anew ? kMostSweeps : kFewSweeps);
  }
}

}  // namespace assay
