// A model: one decision problem for every value of a hidden part.
//
// Time line of a step, the same for every model:
//
//   1. The agent arrives at state x. It may collect something and see something.   outcomes(x, kArrive, e)
//   2. The belief takes that outcome in. Then the agent chooses an action a.
//   3. The action has its own outcome: next state, reward, observation.            outcomes(x, a, e)
//
// A model uses 1, 3 or both. "Collect, then move" (the paper's experiments) pays on arrival; a bandit pays on
// the action. If the hidden part e is known, this is an ordinary MDP with R(x,a) = arrival reward + action
// reward; the order within a step only fixes what the agent knows when it chooses. An episode is `horizon()`
// such steps, and the discount is applied once in every step.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "assay/core/rng.hpp"

namespace assay {

// The optional members of a model: what it may define besides what `Model` demands.
//
// A model lists those of them that it defines:
//
//   static constexpr assay::Members kMembers = {assay::Member::kAllowed, assay::Member::kStateName};
//
// The compiler rejects a member that is listed and missing, perhaps because it is misspelt or has other
// parameters, and a member that is defined and not listed. Its message names CheckMember<Model,
// Member::...>.

enum class Member : std::uint8_t {
  // Which actions are possible.
  kAllowed,  // bool allowed(int x, int a): may `a` be done at `x`? By default everything may

  // The same information as `outcomes` gives, but faster, or usable where outcomes are too many to visit.
  kSample,            // Outcome sample(int x, int a, const Hidden& e, Rng& rng)
  kArcs,              // void arcs(int x, int a, const Hidden& e, Visit&& visit): visit(probability, next)
  kExpectedReward,    // double expected_reward(int x, int a, const Hidden& e): of arriving and `a` together
  kExpectedArrival,   // double expected_arrival(int x, const Hidden& e): of arriving alone
  kLikelihood,        // double likelihood(int x, int a, const Hidden& e, const Outcome& seen)
  kCollects,          // bool collects(int x, int a): can an outcome there pay or show something?
  kKnownTransitions,  // bool known_transitions(): do all environments move alike?
  kDynamics,          // the moves that all environments share, for kernels (solver/dynamics.hpp)
  kClosedForm,        // InformationValues closed_form(const Belief& b, int remaining): v^c, E[v^e] and B

  // About the episode.
  kTruth,             // std::optional<Hidden> truth(Rng& rng): the true hidden part, if it is not drawn
  kRepeats,           // int repeats(): the horizon consists of this many episodes in one environment
  kPlanningDiscount,  // double planning_discount(): the discount that planners use
  kTolerance,    // double tolerance(): where episodes of an endless problem are cut (core/detail/outline.hpp)
  kRewardRange,  // Interval reward_range(): what a step pays at least and at most, for endless problems

  // Sources of information.
  kSources,       // vector of pairs (name, the model without that source)
  kSourcePlaces,  // vector of pairs (name, vector of pairs (state, action) where the source is used)

  // For people.
  kStateName,         // std::string state_name(int x)
  kActionName,        // std::string action_name(int a)
  kEnvironmentName,   // std::string environment_name(int e), where environments are numbers
  kObservationText,   // std::string observation_text(int x, int a, const Observation& seen)
  kObservationNamed,  // std::optional<Observation> observation_named(int x, int a, std::string_view text)
  kDrawable,          // bool drawable(): is there a picture? By default there is one if there is `cell`
  kCell,              // Cell cell(int x): where a state is drawn (core/drawing.hpp)
  kLandmark,          // char landmark(int x): the character that the state is drawn as
  kActionGlyph,       // char action_glyph(int a)

  kCount
};

/// A set of members.
class Members {
 public:
  constexpr Members(std::initializer_list<Member> members) {
    for (const Member member : members) bits_ |= bit(member);
  }
  [[nodiscard]] constexpr bool has(Member member) const { return (bits_ & bit(member)) != 0; }
  friend constexpr Members operator|(Members one, const Members& other) {
    one.bits_ |= other.bits_;
    return one;
  }

 private:
  static constexpr std::uint32_t bit(Member member) {
    return std::uint32_t{1} << static_cast<std::uint32_t>(member);
  }
  std::uint32_t bits_ = 0;
};

/// Does the model list this member?
template <class M>
constexpr bool lists_member(Member member) {
  if constexpr (requires { M::kMembers; }) {
    return M::kMembers.has(member);
  } else {
    return false;
  }
}

/// A place on a drawing: row 0 is at the top.
struct Cell {
  int row = 0;
  int column = 0;
};

/// In the place of an action: arriving, which nobody chooses.
inline constexpr int kArrive = -1;

/// The horizon of a model whose episodes have no end. Its discount must be below 1. Episodes are cut where
/// rewards have hardly any weight (`Cut` in core/detail/outline.hpp).
inline constexpr int kEndless = std::numeric_limits<int>::max();

/// What is seen besides the reward and the next state: a few small integers, whose meaning the model defines.
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
/// Stands for any visitor of outcomes where a concept asks whether `outcomes` can be called.
template <class Hidden>
struct OutcomeVisitor {
  void operator()(double /*probability*/, const Outcome& /*outcome*/) const {}
  void operator()(double /*probability*/, const Outcome& /*outcome*/, const Hidden& /*next*/) const {}
};

/// Passes on an outcome without the next value of the hidden part, for callers that do not follow it.
template <class Hidden, class Visit>
struct OutcomeOnly {
  Visit& visit;
  void operator()(double p, const Outcome& o) const { visit(p, o); }
  void operator()(double p, const Outcome& o, const Hidden& /*next*/) const { visit(p, o); }
};
}  // namespace detail

/// A pure description of p(next, reward, observation | x, a, e). States and actions count from 0. `Hidden` is
/// the type of the hidden part e. `outcomes` calls visit(probability, outcome) for every outcome. A model
/// whose hidden part moves says so by `static constexpr bool hidden_moves = true` and calls
/// visit(probability, outcome, next_hidden).
///
/// The optional members are those of `Member`.
template <class M>
concept Model = requires(const M& m, const typename M::Hidden& e, int x, int a) {
  { m.states() } -> std::convertible_to<int>;
  { m.actions() } -> std::convertible_to<int>;
  { m.horizon() } -> std::convertible_to<int>;
  { m.discount() } -> std::convertible_to<double>;
  { m.starts() } -> std::convertible_to<std::vector<Start>>;
  m.outcomes(x, a, e, detail::OutcomeVisitor<typename M::Hidden>{});
};

/// Can an outcome change the hidden part of this model?
template <Model M>
constexpr bool hidden_moves() {
  if constexpr (requires { M::hidden_moves; }) {
    return M::hidden_moves;
  } else {
    return false;
  }
}

/// Visits every (probability, outcome) of doing `a` at `x`, whether or not the hidden part moves.
template <Model M, class Visit>
void for_each_outcome(const M& m, int x, int a, const typename M::Hidden& e, Visit&& visit) {
  if constexpr (hidden_moves<M>()) {
    m.outcomes(x, a, e, detail::OutcomeOnly<typename M::Hidden, std::remove_reference_t<Visit>>{visit});
  } else {
    m.outcomes(x, a, e, visit);
  }
}

/// May action `a` be done at `x`? Unless the model says otherwise, every action may.
template <Model M>
bool allowed(const M& m, int x, int a) {
  if constexpr (lists_member<M>(Member::kAllowed)) {
    return m.allowed(x, a);
  } else {
    return true;
  }
}

/// R(x,a;e), the reward of the MDP for a known `e`: what arriving pays plus what the action pays.
template <Model M>
double expected_reward(const M& m, int x, int a, const typename M::Hidden& e) {
  if constexpr (lists_member<M>(Member::kExpectedReward)) {
    return m.expected_reward(x, a, e);
  } else {
    double sum = 0;
    const auto add = [&](double p, const Outcome& o) { sum += p * o.reward; };
    for_each_outcome(m, x, kArrive, e, add);
    for_each_outcome(m, x, a, e, add);
    return sum;
  }
}

/// T(next | x,a;e): calls visit(probability, next), possibly several times for the same `next`.
template <Model M, class Visit>
void for_each_arc(const M& m, int x, int a, const typename M::Hidden& e, Visit&& visit) {
  if constexpr (lists_member<M>(Member::kArcs)) {
    m.arcs(x, a, e, visit);
  } else {
    for_each_outcome(m, x, a, e, [&](double p, const Outcome& o) { visit(p, o.next); });
  }
}

/// Draws an outcome. Models with too many outcomes to enumerate have a sampler of their own.
template <Model M>
Outcome sample_outcome(const M& m, int x, int a, const typename M::Hidden& e, Rng& rng) {
  if constexpr (lists_member<M>(Member::kSample)) {
    return m.sample(x, a, e, rng);
  } else {
    Outcome drawn;
    double left = uniform(rng);
    bool found = false;
    for_each_outcome(m, x, a, e, [&](double p, const Outcome& o) {
      if (found || p <= 0) return;
      drawn = o;  // if rounding leaves a remainder, the last possible outcome is the one drawn
      found = left < p;
      left -= p;
    });
    return drawn;
  }
}

/// Draws an outcome and moves the hidden part with it.
template <Model M>
Outcome sample_and_move(const M& m, int x, int a, typename M::Hidden& e, Rng& rng) {
  if constexpr (hidden_moves<M>()) {
    Outcome drawn;
    typename M::Hidden moved = e;
    double left = uniform(rng);
    bool found = false;
    m.outcomes(x, a, e, [&](double p, const Outcome& o, const typename M::Hidden& next) {
      if (found || p <= 0) return;
      drawn = o;
      moved = next;
      found = left < p;
      left -= p;
    });
    e = std::move(moved);
    return drawn;
  } else {
    return sample_outcome(m, x, a, e, rng);
  }
}

/// A belief over a model's hidden part: a value type with Bayes' rule. B(m) is the prior.
///
/// `predict` enumerates the outcomes that the belief expects, each once, with its probability; `observe`
/// conditions on one of them and throws ImpossibleEvidence if it had probability zero. `words` and `pack`
/// give a key of fixed size: equal keys mean equal beliefs, and `unpack` restores the belief.
///
/// Optional, for the speed of the exact solver: `learns(m, x, a)` is false where no outcome can change the
/// belief, and `pack_after(m, x, a, outcome, key)` packs the belief after an outcome without constructing
/// that belief. Optional, for people: `reward_variance(m, x, a)` is the variance, over environments, of the
/// expected reward.
template <class B, class M>
concept BeliefOver = Model<M> && std::copyable<B> && std::constructible_from<B, const M&> &&
    requires(const B& b, B& changing, const M& m, const typename M::Hidden& e, Rng& rng, int x, int a,
             const Outcome& outcome, std::span<double> out, std::span<std::uint64_t> key,
             std::span<const std::uint64_t> stored) {
  { b.sample(m, rng) } -> std::convertible_to<typename M::Hidden>;
  { b.log_density(m, e) } -> std::convertible_to<double>;
  { b.expected_reward(m, x, a) } -> std::convertible_to<double>;
  b.predict(m, x, a, [](double /*probability*/, const Outcome& /*outcome*/) {});
  changing.observe(m, x, a, outcome);
  { b.feature_count() } -> std::convertible_to<std::size_t>;
  b.features(out);
  { b.words() } -> std::convertible_to<std::size_t>;
  b.pack(key);
  changing.unpack(stored);
  { b.text(m) } -> std::convertible_to<std::string>;
};

/// A belief over finitely many values of the hidden part, whose expectations are sums and need no samples.
/// for_each_environment calls visit(weight, e) for each value of positive weight.
template <class B, class M>
concept FiniteBeliefOver = BeliefOver<B, M> && requires(const B& b, const M& m) {
  b.for_each_environment(m, [](double, const typename M::Hidden&) {});
};

}  // namespace assay
