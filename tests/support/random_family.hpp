// Small random families with finitely many environments, nasty on purpose: impossible outcomes, outcomes
// listed twice, environments that cannot be told apart, actions that are not allowed, discounts 0 and 1.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "assay/beliefs/finite.hpp"
#include "assay/core/rng.hpp"

namespace assay::support {

class RandomFamily {
 public:
  using Hidden = int;
  static constexpr Members kMembers = {Member::kAllowed};

  explicit RandomFamily(Rng rng) { draw(rng); }

  int states() const { return states_; }
  int actions() const { return actions_; }
  int horizon() const { return horizon_; }
  double discount() const { return discount_; }
  std::vector<Start> starts() const { return starts_; }
  std::vector<double> prior() const { return prior_; }
  bool allowed(int x, int a) const { return allowed_[pair(x, a)]; }

  template <class Visit>
  void outcomes(int x, int a, int e, Visit&& visit) const {
    const Table& table = tables_[pair(x, a)];
    const std::vector<double>& chances = table.chances[static_cast<std::size_t>(e)];
    for (std::size_t i = 0; i < table.outcomes.size(); ++i) visit(chances[i], table.outcomes[i]);
  }

  RandomFamily with_prior(std::vector<double> prior) const {
    RandomFamily changed = *this;
    changed.prior_ = std::move(prior);
    return changed;
  }

  /// The family in which `e` is known.
  RandomFamily knowing(std::size_t e) const {
    std::vector<double> certain(prior_.size());
    certain[e] = 1;
    return with_prior(std::move(certain));
  }

  /// The family whose episodes are so long.
  RandomFamily with_horizon(int horizon) const {
    RandomFamily changed = *this;
    changed.horizon_ = horizon;
    return changed;
  }

  /// The family in which environment `e` behaves as `like` does.
  RandomFamily with_twin(std::size_t e, std::size_t like) const {
    RandomFamily changed = *this;
    changed.make_twins(e, like);
    return changed;
  }

 private:
  /// Environments share what can happen and differ in how likely it is: else one look would tell everything.
  struct Table {
    std::vector<Outcome> outcomes;
    std::vector<std::vector<double>> chances;  // [environment][outcome]
  };

  static int between(Rng& rng, int low, int high) {
    return low + static_cast<int>(uniform_index(rng, static_cast<std::uint64_t>(high - low + 1)));
  }

  std::size_t pair(int x, int a) const { return static_cast<std::size_t>(x * (actions_ + 1) + a + 1); }

  /// A random law over n things, many of them impossible.
  static std::vector<double> random_law(Rng& rng, std::size_t n) {
    std::vector<double> law(n);
    double sum = 0;
    for (double& p : law) sum += p = bernoulli(rng, 0.3) ? 0 : uniform_open(rng);
    if (sum == 0) sum = law[uniform_index(rng, n)] = 1;
    for (double& p : law) p /= sum;
    return law;
  }

  void draw(Rng& rng) {
    states_ = between(rng, 2, 4);
    actions_ = between(rng, 2, 3);
    horizon_ = between(rng, 1, 4);
    const int edge = between(rng, 0, 3);
    discount_ = edge == 0 ? 0 : edge == 1 ? 1 : uniform(rng);
    prior_ = random_law(rng, static_cast<std::size_t>(between(rng, 2, 3)));
    for (int x = 0; x < states_; ++x) {
      const int always = between(rng, 0, actions_ - 1);
      for (int a = kArrive; a < actions_; ++a) {
        allowed_.push_back(a == always || bernoulli(rng, 0.7));
        tables_.push_back(draw_table(rng, x, a));
      }
    }
    if (bernoulli(rng, 0.3)) make_twins(1, 0);
    draw_starts(rng);
  }

  Table draw_table(Rng& rng, int x, int a) const {
    Table table;
    const int count = a == kArrive ? between(rng, 1, 2) : between(rng, 1, 3);
    for (int i = 0; i < count; ++i) {
      // Rewards from a coarse set: the same reward for different reasons, and ties between actions.
      Outcome o{.next = a == kArrive ? x : between(rng, 0, states_ - 1),
                .reward = between(rng, -2, 4) / 2.0,
                .observation = {}};
      if (bernoulli(rng, 0.5)) o.observation.push_back(between(rng, 0, 1));
      table.outcomes.push_back(o);
    }
    if (bernoulli(rng, 0.1)) table.outcomes.back() = table.outcomes.front();
    for (std::size_t e = 0; e < prior_.size(); ++e) {
      table.chances.push_back(random_law(rng, table.outcomes.size()));
    }
    return table;
  }

  void make_twins(std::size_t e, std::size_t like) {
    for (Table& table : tables_) table.chances[e] = table.chances[like];
  }

  void draw_starts(Rng& rng) {
    const std::vector<double> law = random_law(rng, static_cast<std::size_t>(states_));
    for (int x = 0; x < states_; ++x) {
      const double p = law[static_cast<std::size_t>(x)];
      if (p > 0) starts_.push_back({x, p});
    }
  }

  int states_ = 0;
  int actions_ = 0;
  int horizon_ = 0;
  double discount_ = 1;
  std::vector<double> prior_;
  std::vector<Start> starts_;
  std::vector<bool> allowed_;  // [state][action + 1]
  std::vector<Table> tables_;  // [state][action + 1]
};

static_assert(FiniteFamily<RandomFamily>);

}  // namespace assay::support
