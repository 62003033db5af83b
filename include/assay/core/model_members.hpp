// The optional members of a model: what it may define besides what `Model` demands (core/model.hpp).
//
// A model lists those of them that it defines:
//
//   static constexpr assay::Members kMembers = {assay::Member::kAllowed, assay::Member::kStateName};
//
// The compiler rejects a member that is listed and missing, perhaps because it is misspelt or has other
// parameters, and a member that is defined and not listed. Its message names CheckMember<Model,
// Member::...>.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace assay {

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
  kTolerance,         // double tolerance(): where episodes of an endless problem are cut (core/outline.hpp)
  kRewardRange,       // Interval reward_range(): what a step pays at least and at most, for endless problems

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

}  // namespace assay
