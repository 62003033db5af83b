// What the families on a grid share: places with five actions (stay and four moves), walls that are run
// into, and episodes after each of which the agent is back at its start.
#pragma once

#include <fmt/format.h>

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "assay/core/error.hpp"
#include "assay/core/model.hpp"

namespace assay {

inline std::string grid_cell_name(Cell cell) {
  return fmt::format("row {} column {}", cell.row, cell.column);
}

/// The cells of a grid that can be entered, as numbered places.
class GridPlaces {
 public:
  enum Action { kStay, kUp, kDown, kLeft, kRight };
  static constexpr int kActions = 5;

  explicit GridPlaces(std::vector<Cell> cells) : cells_(std::move(cells)) {
    for (const Cell& cell : cells_) numbers_.emplace(std::pair(cell.row, cell.column), count_++);
    static constexpr std::array<Cell, kActions> kSteps = {{{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}}};
    for (int place = 0; place < count_; ++place) {
      for (const Cell& step : kSteps) {
        const int next = at({cell(place).row + step.row, cell(place).column + step.column});
        moved_.push_back(next < 0 ? place : next);
      }
    }
  }
  /// All cells of a rectangle, row by row.
  static GridPlaces rectangle(int rows, int columns) {
    std::vector<Cell> cells;
    for (int i = 0; i < rows * columns; ++i) cells.push_back({i / columns, i % columns});
    return GridPlaces(std::move(cells));
  }

  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] Cell cell(int place) const { return cells_[static_cast<std::size_t>(place)]; }
  /// The place of a cell, -1 if it cannot be entered.
  [[nodiscard]] int at(Cell cell) const {
    const auto found = numbers_.find({cell.row, cell.column});
    return found == numbers_.end() ? -1 : found->second;
  }
  /// Where an action leads. Who runs into a wall stays.
  [[nodiscard]] int moved(int place, int action) const {
    return moved_[static_cast<std::size_t>(place) * kActions + static_cast<std::size_t>(action)];
  }
  [[nodiscard]] std::string name(int place) const { return grid_cell_name(cell(place)); }

  static std::string action_name(int action) {
    static constexpr std::array<const char*, kActions> kNames = {"stay", "up", "down", "left", "right"};
    return kNames[static_cast<std::size_t>(action)];
  }
  static char action_glyph(int action) { return "o^v<>"[action]; }

 private:
  std::vector<Cell> cells_;
  std::map<std::pair<int, int>, int> numbers_;
  std::vector<int> moved_;  // [place][action]
  int count_ = 0;
};

/// The states of a problem that consists of episodes of the same length: a place, and the step of the episode
/// if there are several, because the last step of each leads back to the start.
class EpisodeClock {
 public:
  /// Throws UsageError if there are too many states.
  EpisodeClock(int places, int steps, int episodes) : places_(places), steps_(steps), repeats_(episodes > 1) {
    constexpr int kMostStates = 100'000;
    if (repeats_ && places > kMostStates / steps) {
      throw UsageError(fmt::format(
          "with several episodes each of {} places is a state of its own at each of {} steps, and there are "
          "at most {} states; choose a smaller horizon or size, or a single episode",
          places, steps, kMostStates));
    }
  }

  [[nodiscard]] int states() const { return repeats_ ? places_ * steps_ : places_; }
  [[nodiscard]] int place(int x) const { return x % places_; }
  [[nodiscard]] int step(int x) const { return x / places_; }
  /// The state after a step from x to `place`. `start` is the place where each episode begins, and the state
  /// of its first step.
  [[nodiscard]] int after(int x, int place, int start) const {
    if (!repeats_) return place;
    return step(x) + 1 < steps_ ? (step(x) + 1) * places_ + place : start;
  }
  [[nodiscard]] std::string name(const std::string& place, int x) const {
    return repeats_ ? fmt::format("{}, step {}", place, step(x)) : place;
  }

 private:
  int places_, steps_;
  bool repeats_;
};

}  // namespace assay
