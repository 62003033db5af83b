// key_door: its values by brute force over the sets of rooms that are still possible, and its episodes.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/complaint.hpp"
#include "support/solved.hpp"

namespace assay {
namespace {

struct Room {
  int key, door;
};

/// Recursion over histories: a history is what is still possible.
class PossibleRooms {
 public:
  PossibleRooms(int size, int start, int horizon, int episodes)
      : size_(size), start_(start), horizon_(horizon), steps_(horizon * episodes) {}

  double best() {
    std::vector<Room> all;
    for (int key = 0; key < size_ * size_; ++key) {
      for (int door = 0; door < size_ * size_; ++door) all.push_back({key, door});
    }
    return value(0, start_, 0, all) / static_cast<double>(all.size());
  }

 private:
  /// The sum over the rooms of what is paid from step `time` on; `done` things were stepped on.
  double value(int time, int here, int done, const std::vector<Room>& possible) {
    if (time == steps_ || possible.empty()) return 0;
    double best = 0;
    for (const int step : {0, 1, -1, size_, -size_}) {
      const int row = here / size_;
      const int column = here % size_;
      const bool wall = (step == 1 && column == size_ - 1) || (step == -1 && column == 0) ||
                        (step == size_ && row == size_ - 1) || (step == -size_ && row == 0);
      if (wall) continue;
      const int there = here + step;
      std::vector<Room> hit;
      std::vector<Room> missed;
      for (const Room& room : possible) {
        const bool paid = (done == 0 && room.key == there) || (done == 1 && room.door == there);
        (paid ? hit : missed).push_back(room);
      }
      const bool last = (time + 1) % horizon_ == 0;
      const double found =
          static_cast<double>(hit.size()) + value(time + 1, last ? start_ : there, last ? 0 : done + 1, hit);
      best = std::max(best, found + value(time + 1, last ? start_ : there, last ? 0 : done, missed));
    }
    return best;
  }

  int size_, start_, horizon_, steps_;
};

TEST(KeyDoor, AgreesWithBruteForce) {
  EXPECT_NEAR(test::optimum("key_door(size=2,horizon=6)"), PossibleRooms(2, 3, 6, 1).best(), 1e-9);
  EXPECT_NEAR(test::optimum("key_door(size=2,horizon=2,episodes=3,start=corner)"),
              PossibleRooms(2, 0, 2, 3).best(), 1e-9);
  EXPECT_NEAR(test::optimum("key_door(size=3,horizon=6)"), PossibleRooms(3, 4, 6, 1).best(), 1e-9);
  EXPECT_NEAR(test::optimum("key_door(size=3,horizon=3,episodes=2,start=corner)"),
              PossibleRooms(3, 0, 3, 2).best(), 1e-9);
}

TEST(KeyDoor, TheKeyAndTheDoorOfOneCellTakeAStepEach) {
  const auto problem = make_problem("key_door(size=2,start=corner)");
  // Environment 0 has both in the corner where the agent starts.
  const auto prior = problem->prior();
  const int start = problem->starts().front().state;
  EXPECT_EQ(problem->environment_name(0), "key at row 0 column 0, door at row 0 column 0");
  const Mdp known = prior->environment(0);
  int x = start;
  std::vector<double> paid;
  for (int step = 0; step < 3; ++step) {
    const auto row = static_cast<std::size_t>(x) * static_cast<std::size_t>(known.actions);  // action 0: stay
    paid.push_back(known.reward[row]);
    x = known.arcs[known.first_arc[row]].next;
  }
  EXPECT_EQ(paid, (std::vector<double>{1, 1, 0}));
  EXPECT_EQ(problem->state_name(x), "row 0 column 0, door opened");
}

TEST(KeyDoor, HasEveryPairOfCells) {
  EXPECT_EQ(make_problem("key_door")->prior()->weights().size(), 81U * 81U);
  EXPECT_TRUE(test::contains(test::complaint([] { make_problem("key_door(horizon=1000,episodes=2)"); }),
                             "at most 100000 states"));
}

}  // namespace
}  // namespace assay
