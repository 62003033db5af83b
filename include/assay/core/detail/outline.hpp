// What is known of a model whatever its hidden part is: its size, its clock and which actions are allowed.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/core/detail/bounds.hpp"
#include "assay/core/detail/model_check.hpp"

namespace assay {

/// Where the episodes of an endless problem are cut. Nobody can play for ever, so that an episode ends after
/// the first step from which on rewards have at most the weight `tolerance`. What would follow is part of
/// every reported bound.
struct Cut {
  double tolerance = 0;
  Interval rewards;  // what one step pays at least and at most, arriving and acting together
  Interval tail;     // what all steps after the cut pay, discounted to the first step of the episode
  Interval endless;  // what any policy earns without an end, from any step on
};

/// Unless a problem says otherwise.
inline constexpr double kCutTolerance = 1e-3;

/// The least number of steps h with discount^h <= tolerance. Throws UsageError unless the discount is below 1
/// and the tolerance between 0 and 1, or if that number is above a million.
int cut_steps(double discount, double tolerance);
/// The cut of a problem whose steps pay from rewards.low to rewards.high.
Cut cut_at(double discount, double tolerance, const Interval& rewards);

struct Outline;
/// For people: where the episodes of an endless problem are cut and what that leaves out. Empty if there is
/// an end.
std::string cut_text(const Outline& outline);

struct Outline {
  int states = 0;
  int actions = 0;
  int horizon = 1;         // of an endless problem: the steps up to the cut
  std::optional<Cut> cut;  // of an endless problem
  int repeats = 1;         // the horizon is so many episodes of the same length in one environment
  double discount = 1;
  /// What planners discount by: benchmarks of long undiscounted episodes are planned with a shorter horizon.
  double planning_discount = 1;
  std::vector<Start> starts;
  std::vector<bool> permitted;  // [state * actions + action]; empty if every action is allowed everywhere

  [[nodiscard]] bool endless() const { return cut.has_value(); }
  /// May `action` be taken at `state`? False for numbers that are no action.
  [[nodiscard]] bool allowed(int state, int action) const {
    if (action < 0 || action >= actions) return false;
    return permitted.empty() ||
           permitted[static_cast<std::size_t>(state) * static_cast<std::size_t>(actions) +
                     static_cast<std::size_t>(action)];
  }
};

template <Model M>
double cut_tolerance(const M& model) {
  if constexpr (lists_member<M>(Member::kTolerance)) {
    return model.tolerance();
  } else {
    return kCutTolerance;
  }
}

/// The number of steps after which an episode ends or is cut.
template <Model M>
int episode_steps(const M& model) {
  return model.horizon() == kEndless ? cut_steps(model.discount(), cut_tolerance(model)) : model.horizon();
}

namespace detail {

[[noreturn]] void throw_unknown_rewards();

/// What a step pays at least and at most, from a list of all outcomes in all possible environments.
template <Model M>
Interval listed_rewards(const M& model) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Interval all{kInfinity, -kInfinity};
  const std::vector<double> prior = model.prior();
  for (std::size_t e = 0; e < prior.size(); ++e) {
    for (int x = 0; prior[e] > 0 && x < model.states(); ++x) {
      const auto paid = [&](int a, Interval& range) {
        for_each_outcome(model, x, a, static_cast<int>(e), [&](double p, const Outcome& o) {
          if (p > 0) range = {std::min(range.low, o.reward), std::max(range.high, o.reward)};
        });
      };
      Interval arrival{kInfinity, -kInfinity};
      Interval action{kInfinity, -kInfinity};
      paid(kArrive, arrival);
      for (int a = 0; a < model.actions(); ++a) {
        if (allowed(model, x, a)) paid(a, action);
      }
      all = {std::min(all.low, arrival.low + action.low), std::max(all.high, arrival.high + action.high)};
    }
  }
  return all;
}

template <Model M>
Interval reward_range(const M& model) {
  if constexpr (lists_member<M>(Member::kRewardRange)) {
    return model.reward_range();
  } else if constexpr (std::same_as<typename M::Hidden, int> && requires { model.prior(); }) {
    return listed_rewards(model);
  } else {
    throw_unknown_rewards();
  }
}

}  // namespace detail

template <Model M>
std::shared_ptr<const Outline> outline_of(const M& model) {
  static_assert(detail::kMembersChecked<M>);
  auto outline = std::make_shared<Outline>();
  outline->states = model.states();
  outline->actions = model.actions();
  outline->horizon = episode_steps(model);
  if (model.horizon() == kEndless) {
    outline->cut = cut_at(model.discount(), cut_tolerance(model), detail::reward_range(model));
  }
  outline->discount = outline->planning_discount = model.discount();
  outline->starts = model.starts();
  if constexpr (lists_member<M>(Member::kRepeats)) outline->repeats = model.repeats();
  if constexpr (lists_member<M>(Member::kPlanningDiscount)) {
    outline->planning_discount = model.planning_discount();
  }
  if constexpr (lists_member<M>(Member::kAllowed)) {
    bool every = true;
    for (int x = 0; x < outline->states; ++x) {
      for (int a = 0; a < outline->actions; ++a) {
        outline->permitted.push_back(model.allowed(x, a));
        every = every && outline->permitted.back();
      }
    }
    if (every) outline->permitted = {};
  }
  return outline;
}

}  // namespace assay
