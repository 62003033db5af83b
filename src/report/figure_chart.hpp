// Lines as functions of a number: axes, bands, and curves with gaps.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/drawing_sheet.hpp"
#include "report/figure_scale.hpp"
#include "report/report.hpp"

namespace assay::figures {

struct LineStyle {
  Colour colour = kInk;
  Dash dash = Dash::kSolid;
};

struct LegendEntry {
  std::string label;
  LineStyle style;
};

/// The numbers below a plot whose rows are intervals, with a pale line upwards from each.
void axis_below(Sheet& sheet, const Box& plot, const Axis& axis);

class Chart {
 public:
  Chart(Sheet& sheet, const Box& plot, const Axis& across, const Axis& up)
      : sheet_(sheet), plot_(plot), across_(across), up_(up) {}

  /// An empty `x_label` also leaves out the numbers below the plot.
  void axes(std::string_view x_label, std::string_view y_label) const;
  /// A point with a missing coordinate, or with one that cannot be drawn, interrupts the line.
  void line(std::span<const double> x, std::span<const double> y, const Pen& pen) const;
  void band(std::span<const double> x, std::span<const double> low, std::span<const double> high,
            const Colour& colour) const;
  [[nodiscard]] const Box& plot() const { return plot_; }
  [[nodiscard]] double x_at(double value) const { return across_.at(value); }

 private:
  [[nodiscard]] std::vector<std::vector<Point>> pieces(std::span<const double> x,
                                                       std::span<const double> y) const;

  Sheet& sheet_;
  Box plot_;
  Axis across_, up_;
};

/// An axis for the width or the height of the plot.
Axis axis_across(const Box& plot, const Range& values, int intervals = 4);
Axis axis_up(const Box& plot, const Range& values, int intervals = 4, Ends ends = Ends::kTicks);
/// Widens the range, so that lines at the extremes do not lie on the frame.
Range with_margin(const Range& values);

/// Draws the entries one after the other, on further lines if one is full. Returns where the next line would
/// be.
double draw_legend(Sheet& sheet, Point at, double width, std::span<const LegendEntry> entries);

/// Is there a point of the return to draw?
bool has_curve(const CurveSeries& series);

}  // namespace assay::figures
