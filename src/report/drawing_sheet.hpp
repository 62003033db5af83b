// A page to draw on, in millimetres, that becomes an SVG or a PDF file. No other header includes cairo.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace assay::figures {

struct Colour {
  double red = 0, green = 0, blue = 0, alpha = 1;

  [[nodiscard]] Colour faded(double opacity) const { return {red, green, blue, opacity}; }
};

// The palette of Okabe and Ito, whose colours everyone can distinguish.
constexpr Colour kInk{0.1, 0.1, 0.1};
constexpr Colour kGrey{0.45, 0.45, 0.45};
constexpr Colour kPale{0.8, 0.8, 0.8};
constexpr Colour kWhite{1, 1, 1};
constexpr Colour kOrange{0.902, 0.624, 0};
constexpr Colour kSky{0.337, 0.706, 0.914};
constexpr Colour kGreen{0, 0.620, 0.451};
constexpr Colour kBlue{0, 0.447, 0.698};
constexpr Colour kVermilion{0.835, 0.369, 0};
constexpr Colour kPurple{0.800, 0.475, 0.655};

enum class Dash { kSolid, kDashed, kDotted, kDashDot };

struct Pen {
  Colour colour = kInk;
  double width = 0.2;
  Dash dash = Dash::kSolid;
};

/// A point in millimetres; y grows downwards.
struct Point {
  double x = 0, y = 0;
};

struct Box {
  double x = 0, y = 0, width = 0, height = 0;

  [[nodiscard]] double right() const { return x + width; }
  [[nodiscard]] double bottom() const { return y + height; }
  [[nodiscard]] Point centre() const { return {x + width / 2, y + height / 2}; }
};

enum class Align { kLeft, kCentre, kRight };

struct Lettering {
  double points = 7;
  Align align = Align::kLeft;
  Colour colour = kInk;
  bool bold = false;
  bool upwards = false;  // is it read from below?
};

/// The text as cairo accepts it: valid UTF-8 without control characters. Other bytes become U+FFFD or a
/// space.
std::string printable(std::string_view text);

class Sheet {
 public:
  enum class Format { kSvg, kPdf };

  Sheet(Format format, std::string_view title, double width, double height);
  Sheet(const Sheet&) = delete;
  Sheet& operator=(const Sheet&) = delete;
  ~Sheet();

  void line(Point from, Point to, const Pen& pen);
  void polyline(std::span<const Point> points, const Pen& pen);
  void polygon(std::span<const Point> points, const Colour& fill);
  void rectangle(const Box& box, const Colour& fill);
  void outline(const Box& box, const Pen& pen);
  void disc(Point centre, double radius, const Colour& fill);
  void ring(Point centre, double radius, const Pen& pen);
  /// Draws what `draw` draws, inside the box only.
  void clipped(const Box& box, const std::function<void()>& draw);

  /// The text may hold any bytes. A letter or star after ^ is written raised. `at` is at half the height of
  /// the capitals.
  void text(Point at, std::string_view text, const Lettering& how = {});
  [[nodiscard]] double text_width(std::string_view text, const Lettering& how = {}) const;
  /// As much of the text as fits, with an ellipsis if it does not fit completely.
  [[nodiscard]] std::string shortened(std::string_view text, double width, const Lettering& how = {}) const;
  /// The text in at most `most` lines, broken at spaces; what does not fit is shortened.
  [[nodiscard]] std::vector<std::string> wrapped(std::string_view text, double width, std::size_t most,
                                                 const Lettering& how = {}) const;

  /// The contents of the file. Nothing can be drawn after this call.
  [[nodiscard]] std::string finish();

 private:
  struct Canvas;

  void path(std::span<const Point> points);
  void stroke(const Pen& pen);
  void fill(const Colour& colour);

  Format format_;
  std::unique_ptr<Canvas> canvas_;
};

}  // namespace assay::figures
