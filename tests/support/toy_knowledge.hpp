// Small families to check estimators of cross-values with. Random numbers everywhere, so that actions do not
// tie: single and double precision then make the same plans.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "assay/beliefs/finite.hpp"
#include "assay/cashing/cashing.hpp"
#include "assay/core/rng.hpp"
#include "support/typed_models.hpp"

namespace assay::support {

struct ToySettings {
  int states = 3;
  int actions = 3;
  int environments = 5;
  bool known_transitions = false;
  double discount = 0.9;
};

/// Every action leads anywhere and may pay 1; in state 0 a bell rings or not. All of it is more or less
/// likely in each environment, so that everything tells a little.
class Toy {
 public:
  using Hidden = int;
  static constexpr Members kMembers = {Member::kExpectedReward, Member::kArcs, Member::kKnownTransitions};

  explicit Toy(Rng rng, const ToySettings& settings = {}) : settings_(settings) {
    const auto choices = static_cast<std::size_t>(settings.states * settings.actions);
    for (int e = 0; e < settings.environments; ++e) {
      prior_.push_back(0.5 + uniform(rng));
      ring_.push_back(0.1 + 0.8 * uniform(rng));
      auto& pay = pay_.emplace_back(choices);
      for (double& p : pay) p = 0.02 + 0.96 * uniform(rng);
      move_.push_back(settings.known_transitions && e > 0 ? move_.front() : random_moves(rng, choices));
    }
    double sum = 0;
    for (const double p : prior_) sum += p;
    for (double& p : prior_) p /= sum;
  }

  int states() const { return settings_.states; }
  int actions() const { return settings_.actions; }
  int horizon() const { return 6; }
  double discount() const { return settings_.discount; }
  std::vector<Start> starts() const { return {{0, 0.5}, {1, 0.5}}; }
  std::vector<double> prior() const { return prior_; }
  bool known_transitions() const { return settings_.known_transitions; }

  template <class Visit>
  void outcomes(int x, int a, int e, Visit&& visit) const {
    const auto environment = static_cast<std::size_t>(e);
    if (a == kArrive) {
      const double ring = x == 0 ? ring_[environment] : 1;
      visit(ring, Outcome{x, 0, {1}});
      return visit(1 - ring, Outcome{x, 0, {0}});
    }
    const double pay = pay_[environment][choice(x, a)];
    for (int y = 0; y < settings_.states; ++y) {
      const double move = move_[environment][choice(x, a)][static_cast<std::size_t>(y)];
      visit(move * pay, Outcome{y, 1, {}});
      visit(move * (1 - pay), Outcome{y, 0, {}});
    }
  }
  double expected_reward(int x, int a, int e) const {
    return pay_[static_cast<std::size_t>(e)][choice(x, a)];
  }
  template <class Visit>
  void arcs(int x, int a, int e, Visit&& visit) const {
    const std::vector<double>& law = move_[static_cast<std::size_t>(e)][choice(x, a)];
    for (int y = 0; y < settings_.states; ++y) visit(law[static_cast<std::size_t>(y)], y);
  }

 private:
  using Moves = std::vector<std::vector<double>>;  // [choice][next]

  Moves random_moves(Rng& rng, std::size_t choices) const {
    Moves moves(choices, std::vector<double>(static_cast<std::size_t>(settings_.states)));
    for (std::vector<double>& law : moves) {
      double sum = 0;
      for (double& p : law) sum += p = uniform_open(rng);
      for (double& p : law) p /= sum;
    }
    return moves;
  }

  std::size_t choice(int x, int a) const { return static_cast<std::size_t>(x * settings_.actions + a); }

  ToySettings settings_;
  std::vector<double> prior_;             // [environment]
  std::vector<double> ring_;              // [environment]
  std::vector<std::vector<double>> pay_;  // [environment][choice]
  std::vector<Moves> move_;               // [environment]
};

/// A bet from state 0 that leads to 1, which pays for ever, or to 2, which does not: bet a in environment e
/// wins with kWin[e - a]. The best bet in e is e. Under a uniform prior every plan is worth the same, so that
/// there is nothing to choose but luck.
class Roulette {
 public:
  using Hidden = int;
  static constexpr int kBets = 5;
  static constexpr double kWin[kBets] = {0.9, 0.2, 0.35, 0.55, 0.05};

  explicit Roulette(std::vector<double> prior = std::vector<double>(kBets, 1.0 / kBets))
      : prior_(std::move(prior)) {}

  int states() const { return 3; }
  int actions() const { return kBets; }
  int horizon() const { return 4; }
  double discount() const { return 0.9; }
  std::vector<Start> starts() const { return {{0, 1.0}}; }
  std::vector<double> prior() const { return prior_; }

  template <class Visit>
  void outcomes(int x, int a, int e, Visit&& visit) const {
    if (a == kArrive) return visit(1.0, Outcome{x, x == 1 ? 1.0 : 0.0, {}});
    if (x != 0) return visit(1.0, Outcome{x, 0, {}});
    const double win = kWin[(e - a + kBets) % kBets];
    visit(win, Outcome{1, 0, {}});
    visit(1 - win, Outcome{2, 0, {}});
  }

  /// The value at state 0 of bet a, over the prior: with `steps` left, steps - 1 of them are paid if it wins.
  double value_of_bet(int a, int steps) const {
    double win = 0;
    for (int e = 0; e < kBets; ++e)
      win += prior_[static_cast<std::size_t>(e)] * kWin[(e - a + kBets) % kBets];
    double paid = 0;
    for (int h = 1; h < steps; ++h) paid = discount() * (1 + paid);
    return win * paid;
  }

 private:
  std::vector<double> prior_;
};

/// A finite belief that does not let on that it is one: it can only be drawn from. For families whose actions
/// tell nothing.
template <class F>
class Veiled : public FiniteBelief<F> {
 public:
  using FiniteBelief<F>::FiniteBelief;
  template <class Visit>
  void for_each_environment(const F& family, Visit&& visit) const = delete;
  bool learns(const F& /*family*/, int /*x*/, int a) const { return a == kArrive; }
};

static_assert(FiniteFamily<Toy> && FiniteFamily<Roulette>);
static_assert(BeliefOver<Veiled<Toy>, Toy> && !FiniteBeliefOver<Veiled<Toy>, Toy>);

/// What is known of a family before anything is seen.
template <class F, class B = FiniteBelief<F>>
BeliefOf<F, B> prior_knowledge(const F& family) {
  return prior_of<F, B>(family);
}

/// An agent that acts at random, and what it knows.
template <class F, class B = FiniteBelief<F>>
class Walk {
 public:
  Walk(const F& family, std::uint64_t seed)
      : family_(family), episode_(episode_of<F, B>(family, Rng(seed, 4))), rng_(seed, 3) {}

  const F& family() const { return family_; }
  const B& belief() const { return typed_belief<F, B>(knowledge()); }
  const Belief& knowledge() const { return episode_.situation().belief(); }
  int state() const { return episode_.situation().state(); }
  bool done() const { return episode_.done(); }

  Step step() {
    Step step{.state = state()};
    const Outcome arrival = episode_.arrive();
    std::vector<int> possible;
    for (int a = 0; a < knowledge().actions(); ++a) {
      if (episode_.situation().allowed(a)) possible.push_back(a);
    }
    const Outcome outcome = episode_.act(possible[uniform_index(rng_, possible.size())]);
    step.reward = arrival.reward + outcome.reward;
    step.next = outcome.next;
    return step;
  }

 private:
  F family_;
  Episode episode_;
  Rng rng_;
};

inline CrossSamples sampled(const Estimator& estimator, const Ending& ending, const Belief& knowledge,
                            const DrawKey& key = {}) {
  return CrossSampler(estimator, ending).sample(knowledge, key);
}

inline Expectation how_to_expect(const Estimator& estimator, int steps, std::size_t outcomes = 2) {
  Expectation how;
  how.estimator = estimator;
  how.ending = StepsLeft{steps};
  how.outcomes = outcomes;
  return how;
}

/// On all states.
inline std::vector<Estimate> expected_gains(const Belief& knowledge, const Expectation& how) {
  std::vector<int> states;
  for (int x = 0; x < knowledge.states(); ++x) states.push_back(x);
  return expected_cashed_reward(knowledge, states, how);
}

}  // namespace assay::support
