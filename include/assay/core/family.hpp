// A family of environments: one decision problem for every hidden environment `e`.
//
// Time line of a step, the same for every family:
//
//   1. arrive at x: something may be collected and something may be seen    outcomes(x, kArrive, e)
//   2. the belief takes it in, then the agent chooses an action a
//   3. the action has its own outcome: next state, reward, observation      outcomes(x, a, e)
//
// A family uses 1, 3 or both. "Collect, then move" (the paper's experiments) pays on arrival; a bandit pays
// on the action. With `e` known this is an ordinary MDP with R(x,a) = arrival reward + action reward; the
// split only says what the agent knows when it chooses. An episode is `horizon()` such steps, discounted by
// step.
#pragma once

#include <concepts>
#include <vector>

#include "assay/core/rng.hpp"
#include "assay/core/samplers.hpp"

namespace assay {

/// Arriving is the action that nobody chooses.
inline constexpr int kArrive = -1;

/// What is seen besides the reward and the next state: a few small integers, meaning up to the family.
using Observation = std::vector<int>;

struct Outcome {
  int next = 0;
  double reward = 0;
  Observation observation;

  bool operator==(const Outcome&) const = default;
};

struct Start {
  int state = 0;
  double probability = 1;
};

namespace detail {
struct OutcomeVisitor {
  void operator()(double /*probability*/, const Outcome&) const {}
};
}  // namespace detail

/// A pure description of p(next, reward, observation | x, a, e). States and actions count from 0.
/// Optional members, each with a default below: `allowed`, `expected_reward`, `arcs`, `sample`; a `truth`
/// that is not drawn from the prior (core/world.hpp), a `planning_discount` that is not `discount` and
/// `repeats`, the number of episodes of the same length that the horizon is made of; and for people:
/// `action_name`, `state_name`, `cell` (a grid to draw on), `sources` (information that can be switched off).
template <class F>
concept Family = requires(const F& f, const typename F::Environment& e, int x, int a) {
  { f.states() } -> std::convertible_to<int>;
  { f.actions() } -> std::convertible_to<int>;
  { f.horizon() } -> std::convertible_to<int>;
  { f.discount() } -> std::convertible_to<double>;
  { f.starts() } -> std::convertible_to<std::vector<Start>>;
  f.outcomes(x, a, e, detail::OutcomeVisitor{});
};

/// May action `a` be taken at `x`? By default every action may.
template <Family F>
bool allowed(const F& f, int x, int a) {
  if constexpr (requires { f.allowed(x, a); }) {
    return f.allowed(x, a);
  } else {
    return true;
  }
}

/// R(x,a;e) of the MDP that is left when `e` is known: what arriving pays plus what the action pays.
template <Family F>
double expected_reward(const F& f, int x, int a, const typename F::Environment& e) {
  if constexpr (requires { f.expected_reward(x, a, e); }) {
    return f.expected_reward(x, a, e);
  } else {
    double sum = 0;
    const auto add = [&](double p, const Outcome& o) { sum += p * o.reward; };
    f.outcomes(x, kArrive, e, add);
    f.outcomes(x, a, e, add);
    return sum;
  }
}

/// T(next | x,a;e): calls visit(probability, next), possibly several times for one `next`.
template <Family F, class Visit>
void for_each_arc(const F& f, int x, int a, const typename F::Environment& e, Visit&& visit) {
  if constexpr (requires { f.arcs(x, a, e, visit); }) {
    f.arcs(x, a, e, visit);
  } else {
    f.outcomes(x, a, e, [&](double p, const Outcome& o) { visit(p, o.next); });
  }
}

/// Draws an outcome. Families with too many outcomes to enumerate bring a sampler of their own.
template <Family F>
Outcome sample_outcome(const F& f, int x, int a, const typename F::Environment& e, Rng& rng) {
  if constexpr (requires { f.sample(x, a, e, rng); }) {
    return f.sample(x, a, e, rng);
  } else {
    Outcome drawn;
    double left = uniform(rng);
    bool found = false;
    f.outcomes(x, a, e, [&](double p, const Outcome& o) {
      if (found || p <= 0) return;
      drawn = o;  // the last possible outcome stands if rounding leaves a remainder
      found = left < p;
      left -= p;
    });
    return drawn;
  }
}

}  // namespace assay
