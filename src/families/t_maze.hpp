// The T-maze: there is a reward in one arm, a punishment in the other, and a cue at the far end of the stem
// that shows which is which.
//
//   L . . J . . R     arms of `arm` cells each; one end pays `reward` a step, the other `punishment`
//         .
//         S           start: `distance` steps from the cue and from either end
//         .
//         C           the cue shows the rewarded side, correctly with probability `cue_accuracy`
//
// The cue may also be in a niche above the junction, or in one above the right arm, one cell before the
// arm's end. The stem behind the start is then empty, and an agent that avoids the arms does not pass the
// cue.
//
// The default maze follows the paper's description and outcome, because the paper prints no sizes and no
// discount: the start is in the stem, and going to the cue first is optimal according to the exact solver.
// With the paper's rates, PCR learns to do so in most trainings, while TD mostly ends with a return of 0.
//
// The agent collects on arrival and then moves. It may stay, but it may not move into a wall.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "assay/beliefs/finite.hpp"
#include "assay/core/model.hpp"

namespace assay {

enum class CuePlace { kStem, kJunction, kArm };

struct TMazeSettings {
  int distance = 4;
  int arm = 3;
  int horizon = 20;
  double reward = 1;
  double punishment = -7;
  double discount = 0.9;
  double cue_accuracy = 1;
  CuePlace cue = CuePlace::kStem;
};

class TMaze {
 public:
  using Hidden = int;  // 0: reward on the left, 1: on the right
  static constexpr Members kMembers = {
      Member::kAllowed,         Member::kSources,        Member::kSourcePlaces, Member::kCell,
      Member::kLandmark,        Member::kStateName,      Member::kActionName,   Member::kActionGlyph,
      Member::kEnvironmentName, Member::kObservationText};
  enum Action { kStay, kUp, kDown, kLeft, kRight };

  /// Throws UsageError if the arms are longer than the distance allows, or too short for the niche.
  explicit TMaze(const TMazeSettings& settings);

  int states() const { return 2 * settings_.distance + settings_.arm + (has_niche() ? 2 : 1); }
  int actions() const { return 5; }
  int horizon() const { return settings_.horizon; }
  double discount() const { return settings_.discount; }
  std::vector<Start> starts() const { return {{settings_.distance, 1.0}}; }
  std::vector<double> prior() const { return {0.5, 0.5}; }
  bool allowed(int x, int a) const { return neighbour(x, a) >= 0; }

  template <class Visit>
  void outcomes(int x, int a, int rewarded_side, Visit&& visit) const {
    if (a != kArrive) return visit(1.0, Outcome{neighbour(x, a), 0, {}});
    if (x == cue()) {
      visit(settings_.cue_accuracy, Outcome{x, 0, {rewarded_side}});
      visit(1 - settings_.cue_accuracy, Outcome{x, 0, {1 - rewarded_side}});
    } else if (x == arm_end(rewarded_side)) {
      visit(1.0, Outcome{x, settings_.reward, {}});
    } else if (x == arm_end(1 - rewarded_side)) {
      visit(1.0, Outcome{x, settings_.punishment, {}});
    } else {
      visit(1.0, Outcome{x, 0, {}});
    }
  }

  /// The same maze with a cue that shows nothing, for the worth of the cue.
  std::vector<std::pair<std::string, TMaze>> sources() const;
  std::vector<std::pair<std::string, std::vector<std::pair<int, int>>>> source_places() const {
    return {{"cue", {{cue(), kArrive}}}};
  }

  Cell cell(int x) const;
  char landmark(int x) const;
  std::string state_name(int x) const;
  std::string action_name(int a) const;
  char action_glyph(int a) const { return "o^v<>"[a]; }
  std::string environment_name(int e) const { return e == 0 ? "left" : "right"; }
  std::string observation_text(int /*x*/, int /*a*/, const Observation& seen) const {
    return seen.empty() ? "" : environment_name(seen.front());
  }

 private:
  // States: the stem from its far end (0) up to the junction, then the left arm outwards, then the right arm
  // outwards, then the niche if there is one.
  bool has_niche() const { return settings_.cue != CuePlace::kStem; }
  int cue() const { return has_niche() ? states() - 1 : 0; }
  /// The cell below the niche.
  int niche_entry() const { return settings_.cue == CuePlace::kArm ? arm_end(1) - 1 : junction(); }
  int junction() const { return 2 * settings_.distance - settings_.arm; }
  int arm_end(int side) const { return junction() + (1 + side) * settings_.arm; }
  /// The cell that an action leads to, -1 for a wall.
  int neighbour(int x, int a) const;

  TMazeSettings settings_;
};

}  // namespace assay
