#include "cashing/known_moves.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace assay {
namespace {

/// If arriving is all that pays, then a state's actions have one reward.
bool only_arriving_pays(const Belief& prior) {
  for (int x = 0; x < prior.states(); ++x) {
    for (int a = 0; a < prior.actions(); ++a) {
      if (prior.allowed(x, a) && prior.collects(x, a)) return false;
    }
  }
  return true;
}

/// Environments in which rewards are the same only where they have to be.
std::vector<Mdp> different_environments(const Belief& prior, double discount) {
  std::vector<Mdp> all;
  if (prior.finite()) {
    for (Belief::Possibility& one : prior.environments()) all.push_back(std::move(one.environment));
  } else {
    constexpr std::uint64_t kEnough = 3;  // rewards have densities
    for (std::uint64_t i = 0; i < kEnough; ++i) {
      Rng rng(i);
      all.push_back(prior.sample_table(rng));
    }
  }
  for (Mdp& one : all) one.discount = discount;
  return all;
}

}  // namespace

KnownMoves::KnownMoves(const Belief& prior, double discount)
    : states_(static_cast<std::size_t>(prior.states())),
      discount_(static_cast<float>(discount)),
      moves_(prior.mean()) {
  moves_.discount = discount;
  allowed_.resize(states_);
  choices_.resize(states_);
  const bool by_state = only_arriving_pays(prior);
  const auto row_of = [&](std::size_t x, int a) {
    return x * static_cast<std::size_t>(moves_.actions) + static_cast<std::size_t>(a);
  };
  std::vector<std::size_t> slot_of_row(moves_.reward.size());
  for (int x = 0; x < prior.states(); ++x) {
    const auto at = static_cast<std::size_t>(x);
    for (int a = 0; a < prior.actions(); ++a) {
      if (!prior.allowed(x, a)) continue;
      if (!by_state || allowed_[at].empty()) slots_.push_back({x, a});
      allowed_[at].push_back(a);
      const std::size_t row = row_of(at, a);
      slot_of_row[row] = slots_.size() - 1;
      choices_[at].push_back({slots_.size() - 1, moves_.first_arc[row], moves_.first_arc[row + 1]});
    }
  }
  dynamics_ = std::make_shared<const Dynamics>(common_dynamics(different_environments(prior, discount)));
  for (std::size_t x = 0; x < states_; ++x) {
    if (dynamics_->form == Dynamics::Form::kKingGrid) {
      constexpr int kStay = 4;  // collects here, and enters here
      slot_of_reward_.push_back(slot_of_row[row_of(x, kStay)]);
    } else if (dynamics_->pays == Dynamics::Pays::kState) {
      slot_of_reward_.push_back(choices_[x].front().reward);
    } else {
      for (const Choice& choice : choices_[x]) slot_of_reward_.push_back(choice.reward);
    }
  }
}

void KnownMoves::resize(std::size_t lanes) {
  if (lanes == lanes_ && batch_) return;
  lanes_ = lanes;
  rewards_.resize(slots_.size() * lanes);
  batch_.emplace(dynamics_, lanes);
  if (dynamics_->probabilities() == 0) return;
  for (std::size_t lane = 0; lane < lanes; ++lane) batch_->set(lane, moves_);
}

void KnownMoves::set(std::size_t lane, const Belief& knowledge) {
  knowledge.expected_rewards(slots_, rewards_.data() + lane, lanes_);
}

void KnownMoves::set(std::size_t lane, Environment& environment) {
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    rewards_[s * lanes_ + lane] =
        static_cast<float>(environment.expected_reward(slots_[s].state, slots_[s].action));
  }
}

void KnownMoves::solve(int remaining) {
  const std::size_t rewards = slot_of_reward_.size();
  for (std::size_t tile = 0; tile < batch_->tiles(); ++tile) {
    const std::span<float> out = batch_->reward_tile(tile);
    const std::size_t count = std::min(kTile, lanes_ - tile * kTile);
    for (std::size_t r = 0; r < rewards; ++r) {
      const float* in = rewards_.data() + slot_of_reward_[r] * lanes_ + tile * kTile;
      // Never -0: maximum instructions differ in which zero they take.
      for (std::size_t i = 0; i < count; ++i) out[r * kTile + i] = in[i] + 0.0F;
    }
  }
  solver_.solve(*batch_, StepsLeft{remaining});
}

float KnownMoves::value_after(int state, std::size_t i, std::size_t lane) const {
  const Choice& choice = choices_[static_cast<std::size_t>(state)][i];
  if (choice.end_arc == choice.first_arc + 1) return value(moves_.arcs[choice.first_arc].next, lane);
  float sum = 0;
  for (const Mdp::Arc& arc : arcs(state, i)) {
    sum += static_cast<float>(arc.probability) * value(arc.next, lane);
  }
  return sum;
}

void KnownMoves::step(const float* next, float* now) const {
  std::vector<float> sum(lanes_);
  for (std::size_t x = 0; x < states_; ++x) {
    float* best = now + x * lanes_;
    std::fill(best, best + lanes_, -std::numeric_limits<float>::infinity());
    for (const Choice& choice : choices_[x]) {
      const float* reward = rewards_.data() + choice.reward * lanes_;
      if (choice.end_arc == choice.first_arc + 1) {  // a certain move
        const float* there = next + static_cast<std::size_t>(moves_.arcs[choice.first_arc].next) * lanes_;
        for (std::size_t i = 0; i < lanes_; ++i) {
          const float value = reward[i] + discount_ * there[i];
          best[i] = best[i] < value ? value : best[i];
        }
        continue;
      }
      std::ranges::fill(sum, 0.0F);
      for (std::uint32_t arc = choice.first_arc; arc < choice.end_arc; ++arc) {
        const auto p = static_cast<float>(moves_.arcs[arc].probability);
        const float* there = next + static_cast<std::size_t>(moves_.arcs[arc].next) * lanes_;
        for (std::size_t i = 0; i < lanes_; ++i) sum[i] += p * there[i];
      }
      for (std::size_t i = 0; i < lanes_; ++i) {
        const float value = reward[i] + discount_ * sum[i];
        best[i] = best[i] < value ? value : best[i];
      }
    }
  }
}

std::vector<double> KnownMoves::collections(int state, int remaining) const {
  std::vector<double> here(states_);
  here[static_cast<std::size_t>(state)] = 1;
  return collections(std::move(here), remaining);
}

std::vector<double> KnownMoves::collections(std::vector<double> here, int remaining) const {
  std::vector<float> values;
  solve_all(remaining, values);
  std::vector<double> often(slots_.size());
  for (auto h = static_cast<std::size_t>(remaining); h > 0; --h) {
    const float* next = values.data() + (h - 1) * states_ * lanes_;
    std::vector<double> there(states_);
    for (std::size_t x = 0; x < states_; ++x) {
      if (here[x] == 0) continue;
      const auto worth = [&](const Choice& choice) {
        float sum = 0;
        for (std::uint32_t arc = choice.first_arc; arc < choice.end_arc; ++arc) {
          sum += static_cast<float>(moves_.arcs[arc].probability) *
                 next[static_cast<std::size_t>(moves_.arcs[arc].next) * lanes_];
        }
        return rewards_[choice.reward * lanes_] + discount_ * sum;
      };
      const Choice& best = *std::ranges::max_element(choices_[x], {}, worth);
      often[best.reward] += here[x];
      for (std::uint32_t arc = best.first_arc; arc < best.end_arc; ++arc) {
        there[static_cast<std::size_t>(moves_.arcs[arc].next)] +=
            static_cast<double>(discount_) * moves_.arcs[arc].probability * here[x];
      }
    }
    here = std::move(there);
  }
  return often;
}

double KnownMoves::paid(const std::vector<double>& collections, const Belief& knowledge) const {
  double sum = 0;
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    if (collections[s] == 0) continue;
    sum += collections[s] * knowledge.expected_reward(slots_[s].state, slots_[s].action);
  }
  return sum;
}

double KnownMoves::paid(const std::vector<double>& collections, std::size_t lane) const {
  double sum = 0;
  for (std::size_t s = 0; s < slots_.size(); ++s) sum += collections[s] * rewards_[s * lanes_ + lane];
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
