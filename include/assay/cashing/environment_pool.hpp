// Environments drawn from a belief, and what plans are worth in them.
//
// For every environment e of the pool: v^e, what it is worth to be told that it is this one, and the
// cross-values v^p(x; e) of a few plans p: the plan of the expected environment, and those of some of the
// drawn ones. With moves unknown these are all that a search needs to value a belief: the expectation of v^e
// over the environments that are still possible is an upper bound, that of the best of the plans a lower one.
//
// The pool lives as long as an agent does. When something is learned, only what it is about is drawn anew,
// and the values start from what they were: a few sweeps over the states are enough.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "assay/solver/knowledge.hpp"
#include "assay/solver/simulator.hpp"

namespace assay {

struct PoolSettings {
  std::size_t environments = 256;
  std::size_t plans = 16;
  double discount = 1;
  double precision = 1e-3;  // of the largest value
};

class EnvironmentPool {
 public:
  /// For episodes of so many steps. If they are so long that the discount ends them earlier, values are those
  /// of episodes without end.
  EnvironmentPool(std::unique_ptr<Simulator> simulator, std::unique_ptr<Knowledge> knowledge,
                  const PoolSettings& settings, int horizon);

  /// Draws from what an agent in this world knows. Environments of the same episode are kept as far as they
  /// can be.
  void know(const World& world, Rng rng);

  [[nodiscard]] std::size_t size() const { return members_.size(); }
  [[nodiscard]] std::size_t plans() const { return plans_.size(); }
  [[nodiscard]] bool endless() const { return endless_; }
  [[nodiscard]] double discount() const { return settings_.discount; }
  [[nodiscard]] Simulator& environment(std::size_t which) { return *members_[which].simulator; }
  [[nodiscard]] const TabularMdp& table(std::size_t which) const { return members_[which].table; }

  /// v^e, about to arrive at a state.
  [[nodiscard]] float told(std::size_t which, int state, int remaining) const {
    return members_[which].told[place(state, remaining)];
  }
  /// [plan]: the cross-values, about to arrive at a state.
  [[nodiscard]] std::span<const float> collected(std::size_t which, int state, int remaining) const {
    return {members_[which].collected.data() + place(state, remaining) * plans_.size(), plans_.size()};
  }
  /// What a plan does.
  [[nodiscard]] int action(std::size_t plan, int state, int remaining) const {
    return plans_[plan][place(state, remaining)];
  }

 private:
  struct Member {
    std::unique_ptr<Simulator> simulator;
    TabularMdp table;
    std::vector<float> told;       // [level][state]
    std::vector<float> collected;  // [level][state][plan]
  };
  static constexpr std::size_t kMostPlans = 64;
  using Actions = std::vector<int>;  // [level][state]

  [[nodiscard]] std::size_t place(int state, int remaining) const {
    return static_cast<std::size_t>(endless_ ? 0 : remaining) * states_ + static_cast<std::size_t>(state);
  }
  [[nodiscard]] std::size_t levels() const { return endless_ ? 1 : static_cast<std::size_t>(remaining_) + 1; }
  void begin(Rng rng);
  void tabulate(Member& member) const;
  void solve(Member& member, int sweeps) const;
  void choose_plans(Rng rng, bool all);
  void follow(Member& member, int sweeps) const;
  void note_plans();
  void plan_step(const TabularMdp& table, std::size_t place, std::size_t x, const float* next,
                 std::span<float> sums) const;
  [[nodiscard]] double sweep_told(Member& member) const;
  [[nodiscard]] double sweep_plans(Member& member) const;
  void backward(Member& member) const;
  void backward_plans(Member& member) const;
  [[nodiscard]] Actions plan_of(const TabularMdp& table, std::vector<float>& values) const;
  [[nodiscard]] float look_ahead(const TabularMdp& table, std::size_t row, const float* values) const;

  PoolSettings settings_;
  std::unique_ptr<Knowledge> knowledge_;
  std::size_t states_, actions_;
  bool endless_;
  int remaining_ = 0;
  int last_step_ = -1;
  std::vector<Member> members_;
  std::vector<Actions> plans_;
  std::vector<int> doing_;              // [level][state][plan]: the same, for all plans at once
  std::vector<char> used_;              // [level][state][action]: does any plan do it?
  std::vector<float> expected_values_;  // of the expected environment: where its next solution starts
  double scale_ = 0;                    // the largest reward
};

}  // namespace assay
