// Compile-time check that a model has the optional members that it lists, and lists those that it has.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "assay/core/detail/bounds.hpp"
#include "assay/core/model.hpp"

namespace assay {

namespace detail {

struct ArcVisitor {
  void operator()(double /*probability*/, int /*next*/) const {}
};
template <class T>
concept Text = std::convertible_to<T, std::string>;
template <class T>
concept Number = std::convertible_to<T, double>;

/// Can the member be used as it is meant to be?
template <Model M, Member kMember>
constexpr bool usable_member() {
  using E = typename M::Hidden;
  using enum Member;
  if constexpr (kMember == kAllowed) {
    return requires(const M& m) { static_cast<bool>(m.allowed(0, 0)); };
  } else if constexpr (kMember == kSample) {
    return requires(const M& m, const E& e, Rng& rng) {
      { m.sample(0, 0, e, rng) } -> std::convertible_to<Outcome>;
    };
  } else if constexpr (kMember == kArcs) {
    return requires(const M& m, const E& e) { m.arcs(0, 0, e, ArcVisitor{}); };
  } else if constexpr (kMember == kExpectedReward) {
    return requires(const M& m, const E& e) {
      { m.expected_reward(0, 0, e) } -> Number;
    };
  } else if constexpr (kMember == kExpectedArrival) {
    return requires(const M& m, const E& e) {
      { m.expected_arrival(0, e) } -> Number;
    };
  } else if constexpr (kMember == kLikelihood) {
    return requires(const M& m, const E& e, const Outcome& o) {
      { m.likelihood(0, 0, e, o) } -> Number;
    };
  } else if constexpr (kMember == kCollects) {
    return requires(const M& m) { static_cast<bool>(m.collects(0, 0)); };
  } else if constexpr (kMember == kKnownTransitions) {
    return requires(const M& m) { static_cast<bool>(m.known_transitions()); };
  } else if constexpr (kMember == kDynamics) {
    return requires(const M& m) { m.dynamics(); };
  } else if constexpr (kMember == kClosedForm) {
    return requires { &M::closed_form; };
  } else if constexpr (kMember == kTruth) {
    return requires(const M& m, Rng& rng) { static_cast<bool>(m.truth(rng)); };
  } else if constexpr (kMember == kRepeats) {
    return requires(const M& m) {
      { m.repeats() } -> std::convertible_to<int>;
    };
  } else if constexpr (kMember == kPlanningDiscount) {
    return requires(const M& m) {
      { m.planning_discount() } -> Number;
    };
  } else if constexpr (kMember == kTolerance) {
    return requires(const M& m) {
      { m.tolerance() } -> Number;
    };
  } else if constexpr (kMember == kRewardRange) {
    return requires(const M& m) {
      { m.reward_range() } -> std::convertible_to<Interval>;
    };
  } else if constexpr (kMember == kSources) {
    return requires(const M& m) { m.sources().begin()->second; };
  } else if constexpr (kMember == kSourcePlaces) {
    return requires(const M& m) { m.source_places().begin()->second; };
  } else if constexpr (kMember == kStateName) {
    return requires(const M& m) {
      { m.state_name(0) } -> Text;
    };
  } else if constexpr (kMember == kActionName) {
    return requires(const M& m) {
      { m.action_name(0) } -> Text;
    };
  } else if constexpr (kMember == kEnvironmentName) {
    return requires(const M& m) {
      { m.environment_name(0) } -> Text;
    };
  } else if constexpr (kMember == kObservationText) {
    return requires(const M& m, const Observation& seen) {
      { m.observation_text(0, 0, seen) } -> Text;
    };
  } else if constexpr (kMember == kObservationNamed) {
    return requires(const M& m, std::string_view text) {
      { m.observation_named(0, 0, text) } -> std::convertible_to<std::optional<Observation>>;
    };
  } else if constexpr (kMember == kDrawable) {
    return requires(const M& m) { static_cast<bool>(m.drawable()); };
  } else if constexpr (kMember == kCell) {
    return requires(const M& m) { m.cell(0); };
  } else if constexpr (kMember == kLandmark) {
    return requires(const M& m) {
      { m.landmark(0) } -> std::convertible_to<char>;
    };
  } else if constexpr (kMember == kActionGlyph) {
    return requires(const M& m) {
      { m.action_glyph(0) } -> std::convertible_to<char>;
    };
  } else {
    static_assert(kMember == kAllowed, "a member without a rule");
  }
}

template <Model M, Member kMember>
struct CheckMember {
  static constexpr bool kListed = lists_member<M>(kMember);
  static constexpr bool kUsable = usable_member<M, kMember>();
  static_assert(kUsable || !kListed,
                "the model lists this optional member in kMembers, but has none that can be called as "
                "core/model.hpp says: is it misspelt?");
  static_assert(kListed || !kUsable, "the model has this optional member: it must list it in kMembers");
  static constexpr bool kHolds = true;
};

template <Model M, int... kMembers>
constexpr bool check_all(std::integer_sequence<int, kMembers...> /*all*/) {
  return (CheckMember<M, static_cast<Member>(kMembers)>::kHolds && ...);
}

/// Asked wherever a model is taken. Fails to compile if the list is not right.
template <Model M>
inline constexpr bool kMembersChecked =
    check_all<M>(std::make_integer_sequence<int, static_cast<int>(Member::kCount)>{});

}  // namespace detail
}  // namespace assay
