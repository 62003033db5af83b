// dark_room: the dark room of in-context reinforcement learning. The goal may be in any cell, nothing shows
// it, and every step that ends on it pays 1.
//
// A step tells about one cell at most, the one in which it ends, so that no policy does better than to look
// at a new cell at every step, and to stay on the goal: with n cells and an episode of T steps this is worth
// the sum of T + 1 - k over k = 1 .. min(n, T), divided by n. From a corner this value is reached by staying
// once (the start may be the goal) and then following a path through all cells.
#include "assay/problem/register_family.hpp"
#include "families/hidden_goal.hpp"

namespace assay {
namespace {

enum class DarkRoomStart { kCorner, kCentre };

struct DarkRoomSettings {
  int size = 9;
  DarkRoomStart start = DarkRoomStart::kCorner;
  int horizon = 100;
  int episodes = 1;
  double discount = 1;
};

HiddenGoal::Layout layout_of(const DarkRoomSettings& s) {
  const bool centre = s.start == DarkRoomStart::kCentre;
  HiddenGoal::Layout layout{.size = s.size,
                            .start = centre ? Cell{s.size / 2, s.size / 2} : Cell{0, 0},
                            .goals = {},
                            .on_goal = 1,
                            .elsewhere = 0,
                            .horizon = s.horizon,
                            .episodes = s.episodes,
                            .discount = s.discount};
  for (int i = 0; i < s.size * s.size; ++i) layout.goals.push_back({i / s.size, i % s.size});
  return layout;
}

class DarkRoom : public HiddenGoal {
 public:
  explicit DarkRoom(const DarkRoomSettings& settings) : HiddenGoal(layout_of(settings)) {}
};

const RegisterFamily<DarkRoom, FiniteBelief<DarkRoom>, DarkRoomSettings> kRegistered({
    .name = "dark_room",
    .summary = "a goal that may be in any cell of a dark room; every step that ends on it pays 1",
    .schema = {{
        integer("size", &DarkRoomSettings::size, 1, 30, "cells along each side"),
        choice("start", &DarkRoomSettings::start, {"corner", "centre"}, "where each episode begins"),
        integer("horizon", &DarkRoomSettings::horizon, 1, 1000, "steps in each episode"),
        integer("episodes", &DarkRoomSettings::episodes, 1, 1000,
                "episodes in the same room, each from the start; what was seen is remembered"),
        real("discount", &DarkRoomSettings::discount, 0, 1, "weight of the next step relative to this one"),
    }},
    .small = {"dark_room(size=2,horizon=4)", "dark_room(size=3,horizon=4,start=centre,discount=0.9)",
              "dark_room(size=2,horizon=2,episodes=2)"},
});

}  // namespace
}  // namespace assay
