#include "assay/cashing/environment_pool.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace assay {
namespace {

/// Streams of a decision.
enum PoolStream : std::uint64_t { kMemberStream, kPlanStream };

constexpr int kMostSweeps = 2000;
/// Between two decisions little changes, and what is not quite settled is settled by the next ones.
constexpr int kFewSweeps = 8;

double largest_reward(const TabularMdp& table) {
  double largest = 0;
  for (const double reward : table.reward) {
    if (std::isfinite(reward)) largest = std::max(largest, std::abs(reward));
  }
  return largest;
}

}  // namespace

EnvironmentPool::EnvironmentPool(std::unique_ptr<Simulator> simulator, std::unique_ptr<Knowledge> knowledge,
                                 const PoolSettings& settings, int horizon)
    : settings_(settings),
      knowledge_(std::move(knowledge)),
      states_(static_cast<std::size_t>(knowledge_->states())),
      actions_(static_cast<std::size_t>(knowledge_->actions())),
      endless_(settings.discount < 1 && std::pow(settings.discount, horizon) < settings.precision) {
  for (std::size_t i = 0; i < settings_.environments; ++i) {
    members_.push_back({simulator->clone(), {}, {}, {}});
  }
}

float EnvironmentPool::look_ahead(const TabularMdp& table, std::size_t row, const float* values) const {
  float next = 0;
  for (std::uint32_t i = table.first_arc[row]; i < table.first_arc[row + 1]; ++i) {
    next += static_cast<float>(table.arcs[i].probability) * values[table.arcs[i].next];
  }
  return static_cast<float>(table.reward[row]) + static_cast<float>(settings_.discount) * next;
}

double EnvironmentPool::sweep_told(Member& member) const {
  float change = 0;
  for (std::size_t x = 0; x < states_; ++x) {
    float best = -std::numeric_limits<float>::infinity();
    for (std::size_t a = 0; a < actions_; ++a) {
      best = std::max(best, look_ahead(member.table, x * actions_ + a, member.told.data()));
    }
    change = std::max(change, std::abs(best - member.told[x]));
    member.told[x] = best;
  }
  return change;
}

void EnvironmentPool::plan_step(const TabularMdp& table, std::size_t place, std::size_t x, const float* next,
                                std::span<float> sums) const {
  const std::size_t count = plans_.size();
  const int* doing = doing_.data() + place * count;
  const auto discount = static_cast<float>(settings_.discount);
  for (std::size_t a = 0; a < actions_; ++a) {
    if (!used_[place * actions_ + a]) continue;
    // All plans at once, those that do something else too: a row's arcs are then read once.
    const std::size_t row = x * actions_ + a;
    std::array<float, kMostPlans> total{};
    for (std::uint32_t i = table.first_arc[row]; i < table.first_arc[row + 1]; ++i) {
      const auto p = static_cast<float>(table.arcs[i].probability);
      const float* there = next + static_cast<std::size_t>(table.arcs[i].next) * count;
      for (std::size_t k = 0; k < count; ++k) total[k] += p * there[k];
    }
    const auto reward = static_cast<float>(table.reward[row]);
    const auto action = static_cast<int>(a);
    for (std::size_t k = 0; k < count; ++k) {
      sums[k] = doing[k] == action ? reward + discount * total[k] : sums[k];
    }
  }
}

double EnvironmentPool::sweep_plans(Member& member) const {
  const std::size_t count = plans_.size();
  std::array<float, kMostPlans> sums{};
  float change = 0;
  for (std::size_t x = 0; x < states_; ++x) {
    plan_step(member.table, x, x, member.collected.data(), sums);
    float* old = member.collected.data() + x * count;
    for (std::size_t k = 0; k < count; ++k) {
      change = std::max(change, std::abs(sums[k] - old[k]));
      old[k] = sums[k];
    }
  }
  return change;
}

void EnvironmentPool::backward(Member& member) const {
  for (std::size_t level = 1; level < levels(); ++level) {
    const float* before = member.told.data() + (level - 1) * states_;
    for (std::size_t x = 0; x < states_; ++x) {
      float best = -std::numeric_limits<float>::infinity();
      for (std::size_t a = 0; a < actions_; ++a) {
        best = std::max(best, look_ahead(member.table, x * actions_ + a, before));
      }
      member.told[level * states_ + x] = best;
    }
  }
}

void EnvironmentPool::backward_plans(Member& member) const {
  const std::size_t count = plans_.size();
  for (std::size_t level = 1; level < levels(); ++level) {
    const float* before = member.collected.data() + (level - 1) * states_ * count;
    float* now = member.collected.data() + level * states_ * count;
    for (std::size_t x = 0; x < states_; ++x) {
      plan_step(member.table, level * states_ + x, x, before, std::span(now + x * count, count));
    }
  }
}

void EnvironmentPool::solve(Member& member, int sweeps) const {
  if (!endless_) return backward(member);
  const double enough = settings_.precision * scale_;
  for (int sweep = 0; sweep < sweeps && sweep_told(member) > enough; ++sweep) {
  }
}

void EnvironmentPool::follow(Member& member, int sweeps) const {
  if (plans_.empty()) return;
  if (!endless_) return backward_plans(member);
  const double enough = settings_.precision * scale_;
  for (int sweep = 0; sweep < sweeps && sweep_plans(member) > enough; ++sweep) {
  }
}

EnvironmentPool::Actions EnvironmentPool::plan_of(const TabularMdp& table, std::vector<float>& values) const {
  Member one{nullptr, table, std::move(values), {}};
  one.told.resize(levels() * states_);
  solve(one, kMostSweeps);
  Actions plan(levels() * states_);
  for (std::size_t level = endless_ ? 0 : 1; level < levels(); ++level) {
    const float* next = one.told.data() + (endless_ ? 0 : level - 1) * states_;
    for (std::size_t x = 0; x < states_; ++x) {
      float best = -std::numeric_limits<float>::infinity();
      for (std::size_t a = 0; a < actions_; ++a) {
        const float value = look_ahead(table, x * actions_ + a, next);
        // What only rounding tells apart is the same.
        if (value <= best + 1e-5F * std::abs(best)) continue;
        best = value;
        plan[level * states_ + x] = static_cast<int>(a);
      }
    }
  }
  values = std::move(one.told);
  return plan;
}

void EnvironmentPool::choose_plans(Rng /*rng*/, bool all) {
  if (settings_.plans == 0) return;
  TabularMdp expected = knowledge_->expected();
  if (plans_.empty()) plans_.resize(settings_.plans);
  plans_[0] = plan_of(expected, expected_values_);
  const std::size_t step = static_cast<std::size_t>(last_step_ + 1);
  for (std::size_t p = 1; p < plans_.size(); ++p) {
    if (!all && p != 1 + step % (plans_.size() - 1)) continue;
    // Spread over the pool, so that none is always the one of a plan.
    const std::size_t which = all ? p % members_.size() : (step * 7 + p) % members_.size();
    std::vector<float> values = members_[which].told;
    plans_[p] = plan_of(members_[which].table, values);
  }
}

void EnvironmentPool::note_plans() {
  const std::size_t places = levels() * states_;
  doing_.resize(places * plans_.size());
  used_.assign(places * actions_, false);
  for (std::size_t place = endless_ ? 0 : states_; place < places; ++place) {
    for (std::size_t k = 0; k < plans_.size(); ++k) {
      doing_[place * plans_.size() + k] = plans_[k][place];
      used_[place * actions_ + static_cast<std::size_t>(plans_[k][place])] = true;
    }
  }
}

void EnvironmentPool::tabulate(Member& member) const { member.table = member.simulator->environment(); }

void EnvironmentPool::know(const World& world, Rng rng) {
  knowledge_->know(world);
  const bool goes_on = endless_ && world.step() == last_step_ + 1 && last_step_ >= 0;
  remaining_ = world.remaining();
  last_step_ = world.step();
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Member& member = members_[i];
    member.simulator->know(world);
    const Rng own = rng.split(i);
    // A part of the pool is new at every decision: an environment that nobody drew cannot be found.
    const bool anew = !goes_on || i % 16 == static_cast<std::size_t>(world.step()) % 16;
    if (anew) {
      member.simulator->draw(own);
    } else {
      member.simulator->renew(own);
    }
    tabulate(member);
    if (i == 0) scale_ = largest_reward(member.table);
    member.told.resize(levels() * states_);
    solve(member, anew ? kMostSweeps : kFewSweeps);
  }
  choose_plans(rng, !goes_on);
  note_plans();
  for (Member& member : members_) {
    member.collected.resize(levels() * states_ * plans_.size());
    follow(member, goes_on ? kFewSweeps : kMostSweeps);
  }
}

}  // namespace assay
