// A square grid with a goal in an unknown cell, which is found by stepping on it. Every step pays, by where
// it leads: one amount on the goal and another elsewhere. With several episodes the goal stays, and the
// agent is put back to its start but remembers.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "assay/beliefs/finite.hpp"
#include "assay/core/model.hpp"
#include "families/grid_places.hpp"

namespace assay {

class HiddenGoal {
 public:
  using Hidden = int;  // a number among the cells where the goal may be
  static constexpr Members kMembers = {
      Member::kRepeats,    Member::kKnownTransitions, Member::kCollects,
      Member::kCell,       Member::kLandmark,         Member::kStateName,
      Member::kActionName, Member::kActionGlyph,      Member::kEnvironmentName};

  struct Layout {
    int size = 0;
    Cell start;
    std::vector<Cell> goals;  // where the goal may be, each as likely
    double on_goal = 1;
    double elsewhere = 0;
    int horizon = 1;  // steps in an episode
    int episodes = 1;
    double discount = 1;
  };
  explicit HiddenGoal(const Layout& layout)
      : layout_(layout),
        places_(GridPlaces::rectangle(layout.size, layout.size)),
        clock_(places_.count(), layout.horizon, layout.episodes),
        start_(places_.at(layout.start)) {
    for (const Cell& goal : layout.goals) goals_.push_back(places_.at(goal));
  }

  int states() const { return clock_.states(); }
  int actions() const { return GridPlaces::kActions; }
  int horizon() const { return layout_.horizon * layout_.episodes; }
  int repeats() const { return layout_.episodes; }
  double discount() const { return layout_.discount; }
  std::vector<Start> starts() const { return {{start_, 1.0}}; }
  std::vector<double> prior() const {
    return std::vector<double>(goals_.size(), 1 / static_cast<double>(goals_.size()));
  }

  template <class Visit>
  void outcomes(int x, int a, int e, Visit&& visit) const {
    if (a == kArrive) return visit(1.0, Outcome{x, 0, {}});
    const int place = places_.moved(clock_.place(x), a);
    const bool found = place == goals_[static_cast<std::size_t>(e)];
    visit(1.0, Outcome{clock_.after(x, place, start_), found ? layout_.on_goal : layout_.elsewhere, {}});
  }
  bool known_transitions() const { return true; }
  bool collects(int /*x*/, int a) const { return a != kArrive; }

  Cell cell(int x) const { return places_.cell(clock_.place(x)); }
  /// Question marks are where the goal may be, unless it may be anywhere.
  char landmark(int x) const {
    const int place = clock_.place(x);
    if (place == start_) return 'S';
    const bool anywhere = static_cast<int>(goals_.size()) == places_.count();
    return !anywhere && std::ranges::count(goals_, place) > 0 ? '?' : '.';
  }
  std::string state_name(int x) const { return clock_.name(places_.name(clock_.place(x)), x); }
  std::string action_name(int a) const { return GridPlaces::action_name(a); }
  char action_glyph(int a) const { return GridPlaces::action_glyph(a); }
  std::string environment_name(int e) const { return places_.name(goals_[static_cast<std::size_t>(e)]); }

 private:
  Layout layout_;
  GridPlaces places_;
  EpisodeClock clock_;
  int start_;
  std::vector<int> goals_;  // [environment]
};

}  // namespace assay
