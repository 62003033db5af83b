// Mazes and grids, and paths through them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "report/drawing_sheet.hpp"
#include "report/report.hpp"

namespace assay::figures {

/// The cells of a player on paper.
class GridView {
 public:
  /// The grid is as large as fits into the area, at its top, in the middle.
  GridView(const Player& player, const Box& area, double largest_cell);

  /// Does the player have cells that can be drawn?
  static bool fits(const Player& player);

  [[nodiscard]] const Box& frame() const { return frame_; }
  [[nodiscard]] double cell() const { return cell_; }
  [[nodiscard]] bool has(int state) const;
  [[nodiscard]] int states() const;
  /// Only for a state that is drawn.
  [[nodiscard]] Box box(int state) const;
  [[nodiscard]] char landmark(int state) const;

 private:
  const Player& player_;
  double cell_;
  Box frame_;
};

/// [state] or NaN.
double value_at(std::span<const double> values, int state);

/// Where signs and letters are drawn: in the middle of the cells, or in a corner, so that a path has room.
enum class Marks { kMiddle, kCorner };

/// The cells of a maze: those that pay are green with +, those that punish are red with -, and the cue is a
/// ring.
void draw_maze(Sheet& sheet, const GridView& view, std::span<const double> truth, Marks marks);

/// The path through these states with arrows, which ends in a dot where the agent stays. Ways back are drawn
/// beside the ways there. States that the grid does not have are left out.
void draw_path(Sheet& sheet, const GridView& view, std::span<const int> states, const Colour& colour);

std::vector<int> visited_states(const Trace& trace);

}  // namespace assay::figures
