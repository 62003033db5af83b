// What is known of a model whatever its hidden part is: its size, its clock and which actions are allowed.
#pragma once

#include <memory>
#include <vector>

#include "assay/core/detail/model_check.hpp"

namespace assay {

struct Outline {
  int states = 0;
  int actions = 0;
  int horizon = 1;
  int repeats = 1;  // the horizon is so many episodes of the same length in one environment
  double discount = 1;
  /// What planners discount by: benchmarks of long undiscounted episodes are planned with a shorter horizon.
  double planning_discount = 1;
  std::vector<Start> starts;
  std::vector<bool> permitted;  // [state * actions + action]; empty if every action is allowed everywhere

  [[nodiscard]] bool endless() const { return horizon == kEndless; }
  /// May `action` be taken at `state`? False for numbers that are no action.
  [[nodiscard]] bool allowed(int state, int action) const {
    if (action < 0 || action >= actions) return false;
    return permitted.empty() ||
           permitted[static_cast<std::size_t>(state) * static_cast<std::size_t>(actions) +
                     static_cast<std::size_t>(action)];
  }
};

template <Model M>
std::shared_ptr<const Outline> outline_of(const M& model) {
  static_assert(detail::kMembersChecked<M>);
  auto outline = std::make_shared<Outline>();
  outline->states = model.states();
  outline->actions = model.actions();
  outline->horizon = model.horizon();
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
