// Where numbers lie on paper.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "report/drawing_sheet.hpp"

namespace assay::figures {

/// Neither NaN nor infinite, nor so large that arithmetic with it would be.
bool drawable(double value);

/// The least and the greatest of the drawable numbers.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value);
  void add(std::span<const double> values);
  /// All but the given share of the numbers at either end.
  void add_most(std::vector<double> values, double left_out);
  void add(const Range& other);
  [[nodiscard]] bool empty() const { return low > high; }
};

enum class Ends { kTicks, kValues };  // where the axis ends

/// A linear scale with ticks at 1, 2 or 5 times a power of ten.
class Axis {
 public:
  /// From `from` to `to` on paper; either may be the larger one. A range of one number is widened around it,
  /// an empty one is 0 to 1. About as many intervals between ticks as asked for.
  Axis(const Range& values, double from, double to, int intervals = 4, Ends ends = Ends::kTicks);

  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }
  [[nodiscard]] double at(double value) const;
  [[nodiscard]] const std::vector<double>& ticks() const { return ticks_; }
  [[nodiscard]] std::string label(double tick) const;

 private:
  [[nodiscard]] double multiple(long long count) const;
  [[nodiscard]] double step() const { return multiple(1); }

  double low_ = 0, high_ = 1, from_, to_;
  int mantissa_ = 1, exponent_ = 0;  // of the step
  std::vector<double> ticks_;
};

/// With a minus sign as in print.
std::string decimal(double value, int decimals);

/// The line through the points with fewer of them, not to be told apart: within each `width` of x the first,
/// the last and the extremes stay.
std::vector<Point> thinned(std::span<const Point> points, double width);

/// Means over windows of `width` values around each, fewer at the ends. Holes stay holes.
std::vector<double> running_mean(std::span<const double> values, std::size_t width);

}  // namespace assay::figures
