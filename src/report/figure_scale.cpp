#include "report/figure_scale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace assay::figures {
namespace {

constexpr double kLargestDrawn = 1e300;
constexpr double kSmallestDrawn = 1e-290;  // smaller ranges count as empty
constexpr double kSameRelatively = 1e-9;   // closer ticks would need labels that are too long

Range widened(const Range& values) {
  if (values.empty()) return {0, 1};
  const double size = std::max(std::abs(values.low), std::abs(values.high));
  if (values.high - values.low > std::max(size * kSameRelatively, kSmallestDrawn)) return values;
  const double middle = values.low / 2 + values.high / 2;
  const double margin = size > kSmallestDrawn * 1e10 ? size / 10 : 1;
  return {middle - margin, middle + margin};
}

}  // namespace

bool drawable(double value) { return std::isfinite(value) && std::abs(value) <= kLargestDrawn; }

void Range::add(double value) {
  if (!drawable(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

void Range::add(std::span<const double> values) {
  for (const double v : values) add(v);
}

void Range::add(const Range& other) {
  add(other.low);
  add(other.high);
}

void Range::add_most(std::vector<double> values, double left_out) {
  std::erase_if(values, [](double v) { return !drawable(v); });
  if (values.empty()) return;
  std::ranges::sort(values);
  const auto skip = static_cast<std::size_t>(left_out * static_cast<double>(values.size() - 1));
  add(values[skip]);
  add(values[values.size() - 1 - skip]);
}

Axis::Axis(const Range& values, double from, double to, int intervals, Ends ends) : from_(from), to_(to) {
  const Range range = widened(values);
  low_ = range.low;
  high_ = range.high;
  const double wanted = (high_ - low_) / std::max(intervals, 1);
  exponent_ = static_cast<int>(std::floor(std::log10(wanted)));
  for (const int mantissa : {1, 2, 5, 10}) {
    mantissa_ = mantissa;
    if (step() >= wanted * (1 - kSameRelatively)) break;
  }
  if (mantissa_ == 10) {
    mantissa_ = 1;
    ++exponent_;
  }
  // The multiples of the step around a number; the number itself if it is one up to rounding.
  const auto around = [&](double value, bool below) {
    const double count = value / step();
    const double whole = std::round(count);
    const double outer = below ? std::floor(count) : std::ceil(count);
    return static_cast<long long>(std::abs(count - whole) < 1e-6 ? whole : outer);
  };
  const bool at_ticks = ends == Ends::kTicks;
  const long long first = around(low_, at_ticks);
  const long long last = around(high_, !at_ticks);
  for (long long count = first; count <= last; ++count) ticks_.push_back(multiple(count));
  if (!at_ticks || ticks_.empty()) return;
  low_ = std::min(low_, ticks_.front());
  high_ = std::max(high_, ticks_.back());
}

double Axis::multiple(long long count) const {
  const auto whole = static_cast<double>(count * mantissa_);
  // A division rounds once: three tenths are 0.3, while three times 0.1 is not.
  return exponent_ < 0 ? whole / std::pow(10.0, -exponent_) : whole * std::pow(10.0, exponent_);
}

double Axis::at(double value) const { return from_ + (to_ - from_) * ((value - low_) / (high_ - low_)); }

std::string Axis::label(double tick) const {
  const double size = std::max(std::abs(low_), std::abs(high_));
  constexpr double kTooManyDigits = 1e6;
  if (size < kTooManyDigits && exponent_ >= -4) return decimal(tick, std::max(0, -exponent_));
  const int digits = std::clamp(static_cast<int>(std::floor(std::log10(size))) - exponent_ + 1, 1, 15);
  std::string text = fmt::format("{:.{}g}", std::abs(tick), digits);
  for (const std::string_view noise : {"e+0", "e+"}) {
    if (const std::size_t at = text.find(noise); at != std::string::npos) text.replace(at, noise.size(), "e");
  }
  return (tick < 0 ? "−" : "") + text;
}

std::string decimal(double value, int decimals) {
  const std::string text = fmt::format("{:.{}f}", std::abs(value), decimals);
  const bool is_zero = text.find_first_not_of("0.") == std::string::npos;
  return (value < 0 && !is_zero ? "−" : "") + text;
}

std::vector<Point> thinned(std::span<const Point> points, double width) {
  std::vector<Point> kept;
  for (std::size_t begin = 0; begin < points.size();) {
    const double column = std::floor(points[begin].x / width);
    std::size_t end = begin;
    while (end < points.size() && std::floor(points[end].x / width) == column) ++end;
    const auto lower = [&](std::size_t i, std::size_t j) { return points[i].y < points[j].y; };
    std::size_t lowest = begin;
    std::size_t highest = begin;
    for (std::size_t i = begin; i < end; ++i) {
      if (lower(i, lowest)) lowest = i;
      if (lower(highest, i)) highest = i;
    }
    std::array<std::size_t, 4> stay = {begin, lowest, highest, end - 1};
    std::ranges::sort(stay);
    const auto rest = std::unique(stay.begin(), stay.end());
    for (auto i = stay.begin(); i != rest; ++i) kept.push_back(points[*i]);
    begin = end;
  }
  // The points on a level piece between its ends.
  std::vector<Point> corners;
  for (const Point& p : kept) {
    const std::size_t n = corners.size();
    if (n >= 2 && corners[n - 1].y == p.y && corners[n - 2].y == p.y) corners.pop_back();
    corners.push_back(p);
  }
  return corners;
}

std::vector<double> running_mean(std::span<const double> values, std::size_t width) {
  const std::size_t others = std::max<std::size_t>(width, 1) - 1;
  const std::size_t before = others / 2;
  std::vector<double> means(values.begin(), values.end());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!drawable(values[i])) continue;
    const std::size_t begin = i - std::min(i, before);
    const std::size_t end = std::min(values.size(), i + (others - before) + 1);
    double sum = 0;
    int count = 0;
    for (std::size_t k = begin; k < end; ++k) {
      if (!drawable(values[k])) continue;
      sum += values[k];
      ++count;
    }
    means[i] = sum / count;
  }
  return means;
}

}  // namespace assay::figures
