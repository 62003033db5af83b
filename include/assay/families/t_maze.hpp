// The T-maze: a reward in one arm, a punishment in the other, and a cue at the far end of the stem that tells
// which.
//
//   L . . J . . R     arms of `arm` cells each; one end pays `reward` a step, the other `punishment`
//         .
//         S           start: `distance` steps from the cue and from either end
//         .
//         C           the cue tells the rewarded side, rightly with probability `cue_accuracy`
//
// Collect on arrival, then move; staying is allowed. Bumping into walls is not.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "assay/beliefs/finite.hpp"
#include "assay/core/drawing.hpp"
#include "assay/core/family.hpp"

namespace assay {

struct TMazeSettings {
  int distance = 3;
  int arm = 3;
  int horizon = 20;
  double reward = 1;
  double punishment = -7;
  double discount = 0.95;
  double cue_accuracy = 1;
};

class TMaze {
 public:
  using Environment = int;  // 0: reward on the left, 1: on the right
  enum Action { kStay, kUp, kDown, kLeft, kRight };

  /// Throws UsageError if the arms are longer than the way to their ends.
  explicit TMaze(const TMazeSettings& settings);

  int states() const { return 2 * settings_.distance + settings_.arm + 1; }
  int actions() const { return 5; }
  int horizon() const { return settings_.horizon; }
  double discount() const { return settings_.discount; }
  std::vector<Start> starts() const { return {{settings_.distance, 1.0}}; }
  std::vector<double> prior() const { return {0.5, 0.5}; }
  bool allowed(int x, int a) const { return neighbour(x, a) >= 0; }

  template <class Visit>
  void outcomes(int x, int a, int rewarded_side, Visit&& visit) const {
    if (a != kArrive) return visit(1.0, Outcome{neighbour(x, a), 0, {}});
    if (x == kCue) {
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

  /// The same maze with a cue that tells nothing: what is its message worth?
  std::vector<std::pair<std::string, TMaze>> sources() const;
  std::vector<std::pair<std::string, std::vector<std::pair<int, int>>>> source_places() const {
    return {{"cue", {{kCue, kArrive}}}};
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
  static constexpr int kCue = 0;
  // States: the stem from the cue (0) up to the junction, then the left arm outwards, then the right arm
  // outwards.
  int junction() const { return 2 * settings_.distance - settings_.arm; }
  int arm_end(int side) const { return junction() + (1 + side) * settings_.arm; }
  /// Where an action leads, -1 if into a wall.
  int neighbour(int x, int a) const;

  TMazeSettings settings_;
};

}  // namespace assay
