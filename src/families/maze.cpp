// maze: flags are collected on the way to a goal, which pays one for each flag and leads back to the start.
#include <bit>
#include <map>
#include <utility>

#include "families/register_rows.hpp"

namespace assay {
namespace {

enum class MazeMap { kFlags, kSmall };

struct MazeSettings {
  MazeMap map = MazeMap::kFlags;
  double slip = 0.1;
  int horizon = 20'000;
  double discount = 1;
  double planning_discount = 0.95;
  RowPrior prior = RowPrior::kSparse;
  double alpha = 1;
  double sparsity = 0.5;
  RowTruth truth = RowTruth::kFixed;
};

/// The rows from the top: X is a wall, $ a flag, G the goal. The start is at the top left.
std::vector<std::string> maze_rows(MazeMap map) {
  if (map == MazeMap::kSmall) return {".$", "XG"};
  return {".X$.X.G", ".X..X..", ".......", "XX...XX", "......$", "$.....X"};
}

/// A state is (flags held, cell), the flags as bits.
class MazeGrid {
 public:
  explicit MazeGrid(const std::vector<std::string>& rows) : columns_(static_cast<int>(rows[0].size())) {
    rows_ = static_cast<int>(rows.size());
    for (int r = 0; r < rows_; ++r) {
      for (int c = 0; c < columns_; ++c) {
        const char mark = rows[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
        if (mark == 'X') continue;
        number_[{r, c}] = static_cast<int>(cells_.size());
        cells_.push_back({r, c});
        marks_ += mark;
        flag_.push_back(mark == '$' ? flags_++ : -1);
      }
    }
  }

  [[nodiscard]] int states() const { return count() << flags_; }
  [[nodiscard]] bool at_goal(int x) const { return mark(x) == 'G'; }
  [[nodiscard]] int flags_held(int x) const { return std::popcount(static_cast<unsigned>(x / count())); }
  [[nodiscard]] int next(int x, int a) const {
    if (at_goal(x)) return 0;
    const Cell to = grid_moved(cells_[at(x)], a);
    const auto found = number_.find({to.row, to.column});
    const int cell = found == number_.end() ? x % count() : found->second;
    const int flag = flag_[static_cast<std::size_t>(cell)];
    const int held = x / count() | (flag < 0 ? 0 : 1 << flag);
    return held * count() + cell;
  }
  /// One drawing for each set of flags, four drawings in a row.
  [[nodiscard]] Cell place(int x) const {
    constexpr int kBoards = 4;
    const int board = x / count();
    return {cells_[at(x)].row + board / kBoards * (rows_ + 1),
            cells_[at(x)].column + board % kBoards * (columns_ + 1)};
  }
  [[nodiscard]] char landmark(int x) const {
    const int flag = flag_[at(x)];
    return flag >= 0 && (x / count() >> flag & 1) != 0 ? '.' : mark(x);
  }
  [[nodiscard]] std::string name(int x) const {
    std::string held;
    for (int flag = 0; flag < flags_; ++flag) {
      if ((x / count() >> flag & 1) != 0) held += fmt::format(" {}", flag + 1);
    }
    return grid_cell_name(cells_[at(x)]) + (held.empty() ? "" : " with flag" + held);
  }

 private:
  [[nodiscard]] int count() const { return static_cast<int>(cells_.size()); }
  [[nodiscard]] std::size_t at(int x) const { return static_cast<std::size_t>(x % count()); }
  [[nodiscard]] char mark(int x) const { return marks_[at(x)]; }

  int rows_ = 0;
  int columns_;
  int flags_ = 0;
  std::map<std::pair<int, int>, int> number_;
  std::vector<Cell> cells_;
  std::string marks_;      // [cell]
  std::vector<int> flag_;  // [cell]: the flag that is there, or -1
};

RowFamily make_maze(const MazeSettings& s) {
  const MazeGrid grid(maze_rows(s.map));
  RowBuilder builder(grid.states(), 4);
  builder.horizon(s.horizon).discount(s.discount).planning_discount(s.planning_discount).start(0);
  const std::vector<int> anywhere = every_state(grid.states());
  const RowLaw law = row_law(s.prior, s.alpha, s.sparsity, anywhere.size());
  std::vector<Cell> cells;
  std::vector<std::string> names;
  std::string marks;
  for (int x = 0; x < grid.states(); ++x) {
    cells.push_back(grid.place(x));
    names.push_back(grid.name(x));
    marks += grid.landmark(x);
    for (int a = 0; a < 4; ++a) {
      builder.unknown(x, a, anywhere, law);
      if (s.truth == RowTruth::kFixed)
        builder.truth(x, a, slipping(a, s.slip, [&](int taken) { return grid.next(x, taken); }));
      if (grid.at_goal(x)) builder.reward(x, a, grid.flags_held(x));
    }
  }
  return builder.names(names, grid_move_names()).drawing(cells, marks, kGridGlyphs).build();
}

const RegisterRows<MazeSettings> kRegistered(
    {
        .name = "maze",
        .summary =
            "flags to collect on the way to a goal that pays for them; it is unknown where actions lead",
        .schema = {{
            choice("map", &MazeSettings::map, {"flags", "small"},
                   "33 cells with three flags, or three cells with one"),
            real("slip", &MazeSettings::slip, 0, 1, "probability that a move goes to one of the sides"),
            steps("horizon", &MazeSettings::horizon, 1'000'000, "steps in an episode"),
            real("discount", &MazeSettings::discount, 0, 1, "weight of the next step relative to this one"),
            real("planning_discount", &MazeSettings::planning_discount, 0, 1, "discount that planners use"),
            choice("prior", &MazeSettings::prior, {"dirichlet", "sparse"}, "prior of each row"),
            real("alpha", &MazeSettings::alpha, 0, 1e4,
                 "concentration of each successor; 0 stands for 1 / their number"),
            real("sparsity", &MazeSettings::sparsity, 1e-6, 1,
                 "sparse: P(k successors) falls by this factor"),
            choice("truth", &MazeSettings::truth, {"fixed", "prior"},
                   "test environments: the maze itself, or draws from the prior"),
        }},
        .small = {"maze(map=small,horizon=3,truth=prior)"},
    },
    &make_maze);

}  // namespace
}  // namespace assay
