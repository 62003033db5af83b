// Mazes and grids, and ways through them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "report/drawing_sheet.hpp"
#include "report/report.hpp"

namespace assay::figures {

/// A player's cells on paper.
class GridView {
 public:
  /// As large as fits into the area, at its top, in the middle.
  GridView(const Player& player, const Box& area, double largest_cell);

  /// Whether the player has cells that a drawing can show.
  static bool fits(const Player& player);

  [[nodiscard]] const Box& frame() const { return frame_; }
  [[nodiscard]] double cell() const { return cell_; }
  [[nodiscard]] bool has(int state) const;
  [[nodiscard]] int states() const;
  /// Only for a state that it has.
  [[nodiscard]] Box box(int state) const;
  [[nodiscard]] char landmark(int state) const;

 private:
  const Player& player_;
  double cell_;
  Box frame_;
};

/// [state] or NaN.
double value_at(std::span<const double> values, int state);

/// Where signs and letters are drawn: in the middle of the cells, or in a corner to leave room for a path.
enum class Marks { kMiddle, kCorner };

/// Cells of a maze: those that pay are green with +, those that punish red with -, the cue is a ring.
void draw_maze(Sheet& sheet, const GridView& view, std::span<const double> truth, Marks marks);

/// The way through these states with arrows, ending in a dot where the agent stays. Ways back run beside the
/// ways there. States that the grid does not have are left out.
void draw_path(Sheet& sheet, const GridView& view, std::span<const int> states, const Colour& colour);

std::vector<int> visited_states(const Trace& trace);

}  // namespace assay::figures
