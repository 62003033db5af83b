#include "assay/cashing/known_moves.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace assay {
namespace {

/// If arriving is all that pays, then a state's actions have one reward.
bool only_arriving_pays(const Knowledge& prior) {
  for (int x = 0; x < prior.states(); ++x) {
    for (int a = 0; a < prior.actions(); ++a) {
      if (prior.allowed(x, a) && prior.collects(x, a)) return false;
    }
  }
  return true;
}

}  // namespace

KnownMoves::KnownMoves(const Knowledge& prior, double discount)
    : states_(static_cast<std::size_t>(prior.states())), discount_(static_cast<float>(discount)) {
  const TabularMdp mean = prior.mean();
  arcs_ = mean.arcs;
  allowed_.resize(states_);
  choices_.resize(states_);
  const bool by_state = only_arriving_pays(prior);
  for (int x = 0; x < prior.states(); ++x) {
    const auto at = static_cast<std::size_t>(x);
    for (int a = 0; a < prior.actions(); ++a) {
      if (!prior.allowed(x, a)) continue;
      if (!by_state || allowed_[at].empty()) slots_.push_back({x, a});
      allowed_[at].push_back(a);
      const std::size_t row = at * static_cast<std::size_t>(mean.actions) + static_cast<std::size_t>(a);
      choices_[at].push_back({slots_.size() - 1, mean.first_arc[row], mean.first_arc[row + 1]});
    }
  }
}

void KnownMoves::resize(std::size_t lanes) {
  lanes_ = lanes;
  rewards_.resize(slots_.size() * lanes);
}

void KnownMoves::set(std::size_t lane, const Knowledge& knowledge) {
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    rewards_[s * lanes_ + lane] =
        static_cast<float>(knowledge.expected_reward(slots_[s].state, slots_[s].action));
  }
}

void KnownMoves::set(std::size_t lane, Simulator& environment) {
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    rewards_[s * lanes_ + lane] =
        static_cast<float>(environment.expected_reward(slots_[s].state, slots_[s].action));
  }
}

void KnownMoves::step(const float* next, float* now) const {
  std::vector<float> sum(lanes_);
  for (std::size_t x = 0; x < states_; ++x) {
    float* best = now + x * lanes_;
    std::fill(best, best + lanes_, -std::numeric_limits<float>::infinity());
    for (const Choice& choice : choices_[x]) {
      const float* reward = rewards_.data() + choice.reward * lanes_;
      if (choice.end_arc == choice.first_arc + 1) {  // a certain move
        const float* there = next + static_cast<std::size_t>(arcs_[choice.first_arc].next) * lanes_;
        for (std::size_t i = 0; i < lanes_; ++i) {
          const float value = reward[i] + discount_ * there[i];
          best[i] = best[i] < value ? value : best[i];
        }
        continue;
      }
      std::ranges::fill(sum, 0.0F);
      for (std::uint32_t arc = choice.first_arc; arc < choice.end_arc; ++arc) {
        const auto p = static_cast<float>(arcs_[arc].probability);
        const float* there = next + static_cast<std::size_t>(arcs_[arc].next) * lanes_;
        for (std::size_t i = 0; i < lanes_; ++i) sum[i] += p * there[i];
      }
      for (std::size_t i = 0; i < lanes_; ++i) {
        const float value = reward[i] + discount_ * sum[i];
        best[i] = best[i] < value ? value : best[i];
      }
    }
  }
}

void KnownMoves::solve(int remaining) {
  values_.assign(states_ * lanes_, 0);
  scratch_.resize(states_ * lanes_);
  for (int h = 0; h < remaining; ++h) {
    step(values_.data(), scratch_.data());
    std::swap(values_, scratch_);
  }
}

std::vector<double> KnownMoves::collections(int state, int remaining) const {
  std::vector<float> values;
  solve_all(remaining, values);
  std::vector<double> often(slots_.size());
  std::vector<double> here(states_);
  here[static_cast<std::size_t>(state)] = 1;
  for (auto h = static_cast<std::size_t>(remaining); h > 0; --h) {
    const float* next = values.data() + (h - 1) * states_ * lanes_;
    std::vector<double> there(states_);
    for (std::size_t x = 0; x < states_; ++x) {
      if (here[x] == 0) continue;
      const auto worth = [&](const Choice& choice) {
        float sum = 0;
        for (std::uint32_t arc = choice.first_arc; arc < choice.end_arc; ++arc) {
          sum += static_cast<float>(arcs_[arc].probability) *
                 next[static_cast<std::size_t>(arcs_[arc].next) * lanes_];
        }
        return rewards_[choice.reward * lanes_] + discount_ * sum;
      };
      const Choice& best = *std::ranges::max_element(choices_[x], {}, worth);
      often[best.reward] += here[x];
      for (std::uint32_t arc = best.first_arc; arc < best.end_arc; ++arc) {
        there[static_cast<std::size_t>(arcs_[arc].next)] +=
            static_cast<double>(discount_) * arcs_[arc].probability * here[x];
      }
    }
    here = std::move(there);
  }
  return often;
}

double KnownMoves::paid(const std::vector<double>& collections, const Knowledge& knowledge) const {
  double sum = 0;
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    if (collections[s] == 0) continue;
    sum += collections[s] * knowledge.expected_reward(slots_[s].state, slots_[s].action);
  }
  return sum;
}

void KnownMoves::solve_all(int remaining, std::vector<float>& values) const {
  const std::size_t level = states_ * lanes_;
  values.assign(level * static_cast<std::size_t>(remaining + 1), 0);
  for (std::size_t h = 1; h <= static_cast<std::size_t>(remaining); ++h) {
    step(values.data() + (h - 1) * level, values.data() + h * level);
  }
}

}  // namespace assay
