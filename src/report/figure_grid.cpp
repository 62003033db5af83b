#include "report/figure_grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace assay::figures {
namespace {

constexpr int kMostCells = 64;  // along a side; smaller cells could not be seen
constexpr std::size_t kMostMoves = 500;

Point moved(Point p, Point by, double times) { return {p.x + times * by.x, p.y + times * by.y}; }

Point direction(Point from, Point to) {
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  return {(to.x - from.x) / length, (to.y - from.y) / length};
}

Point right_of(Point way) { return {-way.y, way.x}; }

/// Where a path that keeps `aside` to the right of its way through `corner` bends: one point, or two if the
/// bend is sharp.
std::vector<Point> bend(Point corner, Point before, Point after, double aside) {
  const Point n = right_of(before);
  const Point m = right_of(after);
  const double along = n.x * m.x + n.y * m.y;
  if (along > -0.3) return {moved(corner, {n.x + m.x, n.y + m.y}, aside / (1 + along))};
  return {moved(moved(corner, n, aside), before, aside), moved(moved(corner, m, aside), before, aside)};
}

void arrow_head(Sheet& sheet, Point from, Point to, double size, const Colour& colour) {
  if (std::hypot(to.x - from.x, to.y - from.y) < 1e-6) return;
  const Point way = direction(from, to);
  const Point middle = {(from.x + to.x) / 2, (from.y + to.y) / 2};
  const Point back = moved(middle, way, -size / 2);
  const std::array<Point, 3> head = {moved(middle, way, size / 2), moved(back, right_of(way), size * 0.45),
                                     moved(back, right_of(way), -size * 0.45)};
  sheet.polygon(head, colour);
}

/// The path without the steps that stay in place.
std::vector<int> moves_between(const GridView& view, std::span<const int> states) {
  const auto same_place = [&](int x, int y) {
    return view.box(x).x == view.box(y).x && view.box(x).y == view.box(y).y;
  };
  std::vector<int> route;
  for (const int x : states) {
    if (!view.has(x) || route.size() > kMostMoves) continue;
    if (route.empty() || !same_place(route.back(), x)) route.push_back(x);
  }
  return route;
}

bool goes_back(const std::vector<int>& route) {
  std::set<std::pair<int, int>> edges;
  for (std::size_t i = 1; i < route.size(); ++i) edges.insert({route[i - 1], route[i]});
  return std::ranges::any_of(edges, [&](const auto& e) { return edges.contains({e.second, e.first}); });
}

}  // namespace

bool GridView::fits(const Player& player) {
  const auto sound = [](int size) { return size >= 1 && size <= kMostCells; };
  if (!sound(player.rows) || !sound(player.columns)) return false;
  return std::ranges::any_of(player.cells, [&](const Cell& c) {
    return c.row >= 0 && c.row < player.rows && c.column >= 0 && c.column < player.columns;
  });
}

GridView::GridView(const Player& player, const Box& area, double largest_cell)
    : player_(player),
      cell_(std::min({area.width / player.columns, area.height / player.rows, largest_cell})) {
  const double width = cell_ * player.columns;
  frame_ = {area.x + (area.width - width) / 2, area.y, width, cell_ * player.rows};
}

int GridView::states() const { return static_cast<int>(player_.cells.size()); }

bool GridView::has(int state) const {
  if (state < 0 || state >= states()) return false;
  const Cell& c = player_.cells[static_cast<std::size_t>(state)];
  return c.row >= 0 && c.row < player_.rows && c.column >= 0 && c.column < player_.columns;
}

Box GridView::box(int state) const {
  const Cell& c = player_.cells[static_cast<std::size_t>(state)];
  return {frame_.x + cell_ * c.column, frame_.y + cell_ * c.row, cell_, cell_};
}

char GridView::landmark(int state) const {
  const auto i = static_cast<std::size_t>(state);
  return i < player_.landmarks.size() ? player_.landmarks[i] : '.';
}

double value_at(std::span<const double> values, int state) {
  const auto i = static_cast<std::size_t>(state);
  return state >= 0 && i < values.size() ? values[i] : std::numeric_limits<double>::quiet_NaN();
}

void draw_maze(Sheet& sheet, const GridView& view, std::span<const double> truth, Marks marks) {
  const bool corner = marks == Marks::kCorner;
  const double cell = view.cell();
  // In points: half of the cell's height for a capital letter, or a quarter in the corner.
  const double points = std::min(corner ? 5.0 : 9.0, cell * (corner ? 1 : 2));
  for (int x = 0; x < view.states(); ++x) {
    if (!view.has(x)) continue;
    const Box box = view.box(x);
    const double pays = value_at(truth, x);
    const Point at = corner ? Point{box.x + 0.17 * cell, box.y + 0.17 * cell} : box.centre();
    const Lettering letter{.points = points, .align = Align::kCentre};
    Lettering sign = letter;
    sign.colour = kWhite;
    sign.bold = true;
    if (pays > 0) sheet.rectangle(box, kGreen);
    if (pays < 0) sheet.rectangle(box, kVermilion);
    sheet.outline(box, {.colour = kGrey, .width = 0.15});
    if (pays > 0) sheet.text(at, "+", sign);
    if (pays < 0) sheet.text(at, "−", sign);
    if (view.landmark(x) == 'C') sheet.ring(box.centre(), 0.34 * cell, {.colour = kBlue, .width = 0.35});
    // Paths to a reward on the left do not use the other corner.
    const Point start = corner ? Point{box.right() - 0.16 * cell, at.y} : at;
    if (view.landmark(x) == 'S') sheet.text(start, "S", letter);
  }
}

void draw_path(Sheet& sheet, const GridView& view, std::span<const int> states, const Colour& colour) {
  const std::vector<int> route = moves_between(view, states);
  if (route.empty()) return;
  const double cell = view.cell();
  const double aside = goes_back(route) ? 0.15 * cell : 0;
  std::vector<Point> centres;
  for (const int x : route) centres.push_back(view.box(x).centre());
  std::vector<Point> line = {centres.front()};
  std::vector<std::pair<Point, Point>> legs;  // the parts of the line, from cell to cell
  for (std::size_t i = 1; i < centres.size(); ++i) {
    const Point leave =
        i == 1 ? moved(centres[0], right_of(direction(centres[0], centres[1])), aside) : line.back();
    const Point before = direction(centres[i - 1], centres[i]);
    std::vector<Point> corner = {moved(centres[i], right_of(before), aside)};
    if (i + 1 < centres.size())
      corner = bend(centres[i], before, direction(centres[i], centres[i + 1]), aside);
    if (i == 1) line.push_back(leave);
    legs.emplace_back(leave, corner.front());
    line.insert(line.end(), corner.begin(), corner.end());
  }
  line.push_back(centres.back());
  if (line.size() > 2) sheet.polyline(line, {.colour = colour, .width = 0.3});
  const double size = std::min(1.8, 0.34 * cell);
  for (const auto& [from, to] : legs) arrow_head(sheet, from, to, size, colour);
  const bool stays = states.size() < 2 || states[states.size() - 1] == states[states.size() - 2];
  if (stays) sheet.disc(centres.back(), std::min(1.0, 0.2 * cell), kInk);
}

std::vector<int> visited_states(const Trace& trace) {
  std::vector<int> states;
  for (const TraceStep& step : trace.steps) states.push_back(step.state);
  return states;
}

}  // namespace assay::figures
