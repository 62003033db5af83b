#include "families/t_maze.hpp"

#include <fmt/format.h>

#include <array>

#include "assay/problem/register_family.hpp"

namespace assay {

TMaze::TMaze(const TMazeSettings& settings) : settings_(settings) {
  if (settings.arm > settings.distance) {
    throw UsageError(
        fmt::format("arm={} is longer than distance={}: the start is `distance` steps from an arm's end, so "
                    "arm must be from 1 to {}",
                    settings.arm, settings.distance, settings.distance));
  }
  if (settings.cue == CuePlace::kArm && settings.arm < 2) {
    throw UsageError(
        fmt::format("arm={} is too short for cue=arm: the niche is above the cell before the arm's end, so "
                    "arm must be 2 or more; cue=junction puts it above the junction",
                    settings.arm));
  }
}

int TMaze::neighbour(int x, int a) const {
  const int top = junction();
  const int arm = settings_.arm;
  if (a == kStay) return x;
  if (has_niche() && x == cue()) return a == kDown ? niche_entry() : -1;
  if (has_niche() && x == niche_entry() && a == kUp) return cue();
  if (x <= top) {
    if (a == kUp) return x < top ? x + 1 : -1;
    if (a == kDown) return x > 0 ? x - 1 : -1;
    if (x < top) return -1;
    return a == kLeft ? top + 1 : top + arm + 1;
  }
  const bool left = x <= top + arm;
  const int depth = left ? x - top : x - top - arm;  // 1 beside the junction .. arm at the end
  const int inwards = left ? kRight : kLeft;
  const int outwards = left ? kLeft : kRight;
  if (a == inwards) return depth == 1 ? top : x - 1;
  if (a == outwards) return depth == arm ? -1 : x + 1;
  return -1;
}

std::vector<std::pair<std::string, TMaze>> TMaze::sources() const {
  TMazeSettings silent = settings_;
  silent.cue_accuracy = 0.5;
  return {{"cue", TMaze(silent)}};
}

Cell TMaze::cell(int x) const {
  if (has_niche() && x == cue()) return {0, cell(niche_entry()).column};
  const int top = junction();
  const int row = has_niche() ? 1 : 0;
  if (x <= top) return {row + top - x, settings_.arm};
  const bool left = x <= top + settings_.arm;
  return {row, left ? settings_.arm - (x - top) : x - top};
}

char TMaze::landmark(int x) const {
  if (x == cue()) return 'C';
  if (x == arm_end(0)) return 'L';
  if (x == arm_end(1)) return 'R';
  if (x == settings_.distance) return 'S';
  return '.';
}

std::string TMaze::state_name(int x) const {
  if (x == cue()) return "cue";
  if (x == arm_end(0)) return "left end";
  if (x == arm_end(1)) return "right end";
  if (x == junction()) return "junction";
  if (x < junction()) return fmt::format("stem {}", x);
  const bool left = x <= junction() + settings_.arm;
  return fmt::format("{} arm {}", left ? "left" : "right",
                     left ? x - junction() : x - junction() - settings_.arm);
}

std::string TMaze::action_name(int a) const {
  static constexpr std::array<const char*, 5> kNames = {"stay", "up", "down", "left", "right"};
  return kNames[static_cast<std::size_t>(a)];
}

namespace {

const RegisterFamily<TMaze, FiniteBelief<TMaze>, TMazeSettings> kRegistered({
    .name = "t_maze",
    .summary = "a reward in one arm, a punishment in the other, and a cue that shows which is which. The "
               "defaults follow the paper's description: the start is in the stem, and the cue pays",
    .schema = {{
        integer("distance", &TMazeSettings::distance, 1, 1000,
                "steps from the start to the stem's far end and to each arm's end"),
        integer("arm", &TMazeSettings::arm, 1, 1000, "cells per arm, at most distance"),
        steps("horizon", &TMazeSettings::horizon, 1'000'000, "steps in an episode"),
        real("reward", &TMazeSettings::reward, -1e6, 1e6, "paid at each step at the end of the good arm"),
        real("punishment", &TMazeSettings::punishment, -1e6, 1e6,
             "paid at each step at the end of the other arm"),
        real("discount", &TMazeSettings::discount, 0, 1, "weight of the next step relative to this one"),
        real("cue_accuracy", &TMazeSettings::cue_accuracy, 0.5, 1, "probability that the cue is right"),
        choice(
            "cue", &TMazeSettings::cue, {"stem", "junction", "arm"},
            "where the cue is: at the stem's far end, in a niche above the junction, or in a niche above the "
            "right arm one cell before its end"),
    }},
    .small = {"t_maze(distance=2,arm=1,horizon=6)", "t_maze(distance=1,arm=1,horizon=5,cue_accuracy=0.8)",
              "t_maze(distance=2,arm=2,horizon=6,discount=0.9,cue_accuracy=0.7)",
              "t_maze(distance=2,arm=2,horizon=7,cue=arm)",
              "t_maze(distance=2,arm=1,horizon=6,cue=junction)"},
});

}  // namespace
}  // namespace assay
