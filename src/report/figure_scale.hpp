// The places of numbers on paper.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "report/drawing_sheet.hpp"

namespace assay::figures {

/// Is the number neither NaN nor infinite, nor too large to compute with?
bool drawable(double value);

/// The smallest and the largest of the drawable numbers.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value);
  void add(std::span<const double> values);
  /// The range without the given share of the numbers at either end.
  void add_most(std::vector<double> values, double left_out);
  void add(const Range& other);
  [[nodiscard]] bool empty() const { return low > high; }
};

enum class Ends { kTicks, kValues };  // where the axis ends

/// A linear scale with ticks at 1, 2 or 5 times a power of ten.
class Axis {
 public:
  /// The scale from `from` to `to` on paper, either of which may be larger. A range of one number is widened
  /// around it; an empty one becomes 0 to 1. There are about as many intervals between ticks as requested.
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
  int mantissa_ = 1, exponent_ = 0;  // of the step between ticks
  std::vector<double> ticks_;
};

/// The number with a minus sign as in print.
std::string decimal(double value, int decimals);

/// The same line with fewer points, which looks the same: within each `width` of x, the first and the last
/// point and the extremes are kept.
std::vector<Point> thinned(std::span<const Point> points, double width);

/// Means over windows of `width` values around each value, with fewer values at the ends. Gaps remain gaps.
std::vector<double> running_mean(std::span<const double> values, std::size_t width);

}  // namespace assay::figures
