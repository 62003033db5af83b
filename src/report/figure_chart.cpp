#include "report/figure_chart.hpp"

#include <algorithm>

namespace assay::figures {
namespace {

constexpr double kTickLength = 0.8;
constexpr double kThinning = 0.06;  // in millimetres along x; within this, a line needs few points
constexpr Lettering kTickLettering{.points = 6.5};
constexpr double kLegendSample = 6;
constexpr double kLegendLine = 3.8;

}  // namespace

Axis axis_across(const Box& plot, const Range& values, int intervals) {
  return {values, plot.x, plot.right(), intervals, Ends::kValues};
}

Axis axis_up(const Box& plot, const Range& values, int intervals, Ends ends) {
  return {values, plot.bottom(), plot.y, intervals, ends};
}

Range with_margin(const Range& values) {
  if (values.empty()) return values;
  const double margin = 0.03 * (values.high - values.low);
  return {values.low - margin, values.high + margin};
}

void axis_below(Sheet& sheet, const Box& plot, const Axis& axis) {
  const Pen thin{.colour = kInk, .width = 0.18};
  for (const double tick : axis.ticks()) {
    const double x = axis.at(tick);
    sheet.line({x, plot.y}, {x, plot.bottom()}, {.colour = kPale, .width = 0.12});
    sheet.line({x, plot.bottom()}, {x, plot.bottom() + 0.8}, thin);
    sheet.text({x, plot.bottom() + 2.6}, axis.label(tick), {.points = 6.5, .align = Align::kCentre});
  }
  sheet.line({plot.x, plot.bottom()}, {plot.right(), plot.bottom()}, thin);
}

void Chart::axes(std::string_view x_label, std::string_view y_label) const {
  const Pen pen{.colour = kInk, .width = 0.18};
  Lettering how = kTickLettering;
  sheet_.line({plot_.x, plot_.y}, {plot_.x, plot_.bottom()}, pen);
  sheet_.line({plot_.x, plot_.bottom()}, {plot_.right(), plot_.bottom()}, pen);
  how.align = Align::kRight;
  double widest = 0;
  for (const double tick : up_.ticks()) {
    const double y = up_.at(tick);
    sheet_.line({plot_.x - kTickLength, y}, {plot_.x, y}, pen);
    sheet_.text({plot_.x - kTickLength - 0.6, y}, up_.label(tick), how);
    widest = std::max(widest, sheet_.text_width(up_.label(tick), how));
  }
  how.align = Align::kCentre;
  for (const double tick : across_.ticks()) {
    const double x = across_.at(tick);
    sheet_.line({x, plot_.bottom()}, {x, plot_.bottom() + kTickLength}, pen);
    if (!x_label.empty()) sheet_.text({x, plot_.bottom() + 2.6}, across_.label(tick), how);
  }
  sheet_.text({plot_.x + plot_.width / 2, plot_.bottom() + 6}, x_label, {.align = Align::kCentre});
  sheet_.text({plot_.x - kTickLength - widest - 2.4, plot_.y + plot_.height / 2}, y_label,
              {.align = Align::kCentre, .upwards = true});
}

std::vector<std::vector<Point>> Chart::pieces(std::span<const double> x, std::span<const double> y) const {
  std::vector<std::vector<Point>> all(1);
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    if (drawable(x[i]) && drawable(y[i])) {
      // Points far outside the frame are moved nearer to it, because cairo's coordinates are small integers.
      const double far = 10 * plot_.height;
      const double height = std::clamp(up_.at(y[i]), plot_.y - far, plot_.bottom() + far);
      all.back().push_back({across_.at(x[i]), height});
    } else if (!all.back().empty()) {
      all.emplace_back();
    }
  }
  if (all.back().empty()) all.pop_back();
  return all;
}

void Chart::line(std::span<const double> x, std::span<const double> y, const Pen& pen) const {
  sheet_.clipped({plot_.x, plot_.y - pen.width, plot_.width + pen.width, plot_.height + 2 * pen.width}, [&] {
    for (const std::vector<Point>& piece : pieces(x, y)) {
      if (piece.size() == 1) {
        sheet_.disc(piece.front(), pen.width, pen.colour);
      } else {
        sheet_.polyline(thinned(piece, kThinning), pen);
      }
    }
  });
}

void Chart::band(std::span<const double> x, std::span<const double> low, std::span<const double> high,
                 const Colour& colour) const {
  const std::size_t count = std::min({x.size(), low.size(), high.size()});
  // Without one of its limits a band is not drawn.
  std::vector<double> lows(low.begin(), low.begin() + static_cast<std::ptrdiff_t>(count));
  std::vector<double> highs(high.begin(), high.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    if (!drawable(lows[i])) highs[i] = lows[i];
    if (!drawable(highs[i])) lows[i] = highs[i];
  }
  const std::vector<std::vector<Point>> below = pieces(x, lows);
  const std::vector<std::vector<Point>> above = pieces(x, highs);
  sheet_.clipped(plot_, [&] {
    for (std::size_t i = 0; i < below.size(); ++i) {
      std::vector<Point> around = thinned(below[i], kThinning);
      const std::vector<Point> top = thinned(above[i], kThinning);
      around.insert(around.end(), top.rbegin(), top.rend());
      sheet_.polygon(around, colour);
    }
  });
}

double draw_legend(Sheet& sheet, Point at, double width, std::span<const LegendEntry> entries) {
  double x = at.x;
  double y = at.y;
  for (const LegendEntry& entry : entries) {
    const std::string label = sheet.shortened(entry.label, width - kLegendSample - 1);
    const double taken = kLegendSample + 1 + sheet.text_width(label);
    if (x > at.x && x + taken > at.x + width) {
      x = at.x;
      y += kLegendLine;
    }
    sheet.line({x, y}, {x + kLegendSample, y},
               {.colour = entry.style.colour, .width = 0.4, .dash = entry.style.dash});
    sheet.text({x + kLegendSample + 1, y}, label);
    x += taken + 5;
  }
  return y + kLegendLine;
}

bool has_curve(const CurveSeries& series) {
  const std::size_t count = std::min(series.epoch.size(), series.middle.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (drawable(series.epoch[i]) && drawable(series.middle[i])) return true;
  }
  return false;
}

}  // namespace assay::figures
