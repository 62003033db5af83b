// active_inference_t_maze: its values by hand and against a recursion over the probability that the right arm
// is good in the present trial, which is a filter and not a belief over sequences of sides.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/solved.hpp"

namespace assay {
namespace {

struct TrialTask {
  int trials = 1;
  int horizon = 5;
  double cue = 0.95;
  double paid = 0.98;
  double switching = 0;
  double discount = 1;
};

class SideFilter {
 public:
  explicit SideFilter(const TrialTask& task) : task_(task) {}
  double best() const { return value(0, kStart, 0.5); }

 private:
  enum Place { kLeft, kJunction, kRight, kStart, kCue };

  static std::vector<Place> ways(Place at) {
    switch (at) {
      case kStart:
        return {kStart, kJunction, kCue};
      case kJunction:
        return {kJunction, kLeft, kRight, kStart};
      case kCue:
        return {kCue, kStart};
      default:
        return {at};
    }
  }
  /// From step `time` on, if the right arm is good with probability `right`.
  [[nodiscard]] double value(int time, Place at, double right) const {
    if (time == task_.trials * task_.horizon) return 0;
    double best = -1e9;
    for (const Place to : ways(at)) best = std::max(best, worth(time, to, right));
    return best;
  }
  [[nodiscard]] double worth(int time, Place to, double right) const {
    if (to == kStart || to == kJunction) return task_.discount * after(time, to, right);
    // Two outcomes: the cue says right or left, or the arm rewards or punishes.
    const double if_right = to == kCue ? task_.cue : to == kRight ? task_.paid : 1 - task_.paid;
    const double if_left = to == kLeft ? task_.paid : to == kCue ? 1 - task_.cue : 1 - task_.paid;
    double sum = 0;
    for (const bool good : {true, false}) {
      const double a = right * (good ? if_right : 1 - if_right);
      const double b = (1 - right) * (good ? if_left : 1 - if_left);
      if (a + b <= 0) continue;
      const double reward = to == kCue ? 0 : good ? 1 : -1;
      sum += (a + b) * (reward + task_.discount * after(time, to, a / (a + b)));
    }
    return sum;
  }
  [[nodiscard]] double after(int time, Place to, double right) const {
    if ((time + 1) % task_.horizon != 0) return value(time + 1, to, right);
    return value(time + 1, kStart, right * (1 - task_.switching) + (1 - right) * task_.switching);
  }

  TrialTask task_;
};

std::string spec_of(const TrialTask& task) {
  return "active_inference_t_maze(trials=" + std::to_string(task.trials) +
         ",horizon=" + std::to_string(task.horizon) + ",cue_validity=" + std::to_string(task.cue) +
         ",reward_probability=" + std::to_string(task.paid) + ",switching=" + std::to_string(task.switching) +
         ",discount=" + std::to_string(task.discount) + ")";
}

TEST(ActiveInferenceTMaze, OneTrialByHand) {
  // The cue, the start, the junction, and two steps in the arm that is right with probability 0.95.
  EXPECT_NEAR(test::optimum("active_inference_t_maze"), 2 * (2 * 0.95 - 1) * (2 * 0.98 - 1), 1e-9);
  EXPECT_NEAR(test::optimum("active_inference_t_maze(reward_probability=1,cue_validity=1)"), 2, 1e-9);
  EXPECT_NEAR(test::optimum_without("active_inference_t_maze", "cue"), 0, 1e-9);
}

TEST(ActiveInferenceTMaze, AgreesWithAFilter) {
  for (const TrialTask& task :
       {TrialTask{}, TrialTask{.horizon = 7, .cue = 0.8, .paid = 0.9}, TrialTask{.trials = 2},
        TrialTask{.trials = 2, .switching = 0.1},
        TrialTask{.trials = 3, .horizon = 3, .switching = 0.3, .discount = 0.9},
        TrialTask{.trials = 4, .horizon = 2, .paid = 0.8, .switching = 0.05},
        TrialTask{.trials = 3, .horizon = 3, .paid = 1, .switching = 1},
        TrialTask{.trials = 2, .horizon = 4, .cue = 1, .paid = 1, .switching = 0.5}}) {
    EXPECT_NEAR(test::optimum(spec_of(task)), SideFilter(task).best(), 1e-9) << spec_of(task);
  }
}

TEST(ActiveInferenceTMaze, SidesAreRememberedFromTrialToTrial) {
  // Certain cues and rewards: the first trial reads the cue, every other one goes straight to the good arm.
  const std::string certain = "cue_validity=1,reward_probability=1";
  EXPECT_NEAR(test::optimum("active_inference_t_maze(trials=3," + certain + ")"), 2 + 4 + 4, 1e-9);
  // Sides that always switch are as good as sides that stay.
  EXPECT_NEAR(test::optimum("active_inference_t_maze(trials=3,switching=1," + certain + ")"), 2 + 4 + 4,
              1e-9);
  // Sides that are drawn anew each time have to be read each time.
  EXPECT_NEAR(test::optimum("active_inference_t_maze(trials=3,switching=0.5," + certain + ")"), 2 + 2 + 2,
              1e-9);
}

TEST(ActiveInferenceTMaze, NamesTheSideOfEveryTrial) {
  const auto problem = make_problem("active_inference_t_maze(trials=3,switching=0.1)");
  EXPECT_EQ(problem->prior()->weights().size(), 8U);
  EXPECT_EQ(problem->environment_name(4), "left, left, right");
  EXPECT_NEAR(problem->prior()->weights()[4], 0.5 * 0.9 * 0.1, 1e-12);
  EXPECT_NEAR(problem->prior()->weights()[2], 0.5 * 0.1 * 0.1, 1e-12);
  EXPECT_EQ(make_problem("active_inference_t_maze(trials=3)")->prior()->weights().size(), 2U);
}

}  // namespace
}  // namespace assay
