// What a planner looked at before its last choice: the first levels of its search tree, for people.
//
// A successor is a belief state that an action, with the arrival after it, may lead to.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "assay/core/model.hpp"

namespace assay {

struct ViewedSuccessor;

/// An action at a node, and what it is worth from there on. NaN where the planner has no such number.
struct ViewedAction {
  int action = 0;
  std::uint64_t visits = 0;
  double value = std::numeric_limits<double>::quiet_NaN();
  double lower = std::numeric_limits<double>::quiet_NaN();
  double upper = std::numeric_limits<double>::quiet_NaN();
  std::vector<ViewedSuccessor> successors;  // the most likely first; not all of them
  std::uint64_t more_successors = 0;        // that were looked at and are left out here
};

struct ViewedSuccessor {
  double probability = 0;
  int state = 0;
  Outcome acted, arrived;  // as far as the planner knows; else empty
  std::string seen;        // that in words; planners leave it to those who know the problem's
  std::uint64_t visits = 0;
  std::vector<ViewedAction> actions;  // of the node after it; empty if it was not looked into
};

struct SearchView {
  std::uint64_t simulations = 0;  // none where the first look told enough
  std::uint64_t playouts = 0;     // imagined to the end, one for every action and environment
  bool timed = false;             // the budget was time: another run may differ
  bool certain = false;           // no other action can be better
  double lower = std::numeric_limits<double>::quiet_NaN();
  double upper = std::numeric_limits<double>::quiet_NaN();
  double upper_error = 0;  // its standard error, where environments were drawn
  std::vector<ViewedAction> actions;

  /// Was there no search?
  [[nodiscard]] bool empty() const { return actions.empty(); }
};

}  // namespace assay
