#include "report/drawing_sheet.hpp"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numbers>
#include <utility>

#include "assay/core/error.hpp"
#include "core/utf8.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASSAY_LEAKS_ARE_COUNTED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define ASSAY_LEAKS_ARE_COUNTED
#endif
#ifdef ASSAY_LEAKS_ARE_COUNTED
#include <sanitizer/lsan_interface.h>
#endif

namespace assay::figures {

struct CairoDeleter {
  void operator()(cairo_t* p) const { cairo_destroy(p); }
  void operator()(cairo_surface_t* p) const { cairo_surface_destroy(p); }
  void operator()(cairo_font_options_t* p) const { cairo_font_options_destroy(p); }
  void operator()(cairo_font_face_t* p) const { cairo_font_face_destroy(p); }
};

namespace {

constexpr double kPointsPerMillimetre = 72 / 25.4;
constexpr double kCapitalHeight = 0.729;  // relative to the size of the font, in DejaVu Sans
constexpr double kRaisedSize = 0.72;
constexpr double kRaisedBy = 0.36;
constexpr std::size_t kLongestText = 600;  // in bytes; no page has room for more
constexpr const char* kFontFamily = "DejaVu Sans";

using FontFace = std::unique_ptr<cairo_font_face_t, CairoDeleter>;

/// The font is found and loaded here, not when the first letter is drawn.
FontFace load_face(cairo_t* context, cairo_font_weight_t weight) {
#ifdef ASSAY_LEAKS_ARE_COUNTED
  // Fontconfig keeps what it has read for the life of the process, at offsets that the sanitizer mistakes
  // for leaks.
  const __lsan::ScopedDisabler kept;
#endif
  FontFace face(cairo_toy_font_face_create(kFontFamily, CAIRO_FONT_SLANT_NORMAL, weight));
  cairo_set_font_face(context, face.get());
  cairo_text_extents_t extents;
  cairo_text_extents(context, "x", &extents);
  return face;
}

void check_cairo(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw Error(fmt::format("cannot draw the figure: {}", cairo_status_to_string(status)));
}

cairo_status_t append_bytes(void* bytes, const unsigned char* data, unsigned int size) {
  try {  // cairo is written in C, so no exception may pass through it
    static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), size);
    return CAIRO_STATUS_SUCCESS;
  } catch (...) {
    return CAIRO_STATUS_WRITE_ERROR;
  }
}

/// Cairo numbers the surfaces of an SVG by how many the process has made before. The same drawing must give
/// the same bytes, so the surfaces are renumbered by their places in the file.
std::string with_own_numbers(const std::string& svg) {
  constexpr std::string_view kWord = "surface";
  std::vector<std::string> met;
  std::string out;
  out.reserve(svg.size());
  for (std::size_t at = 0; at < svg.size();) {
    const std::size_t word = svg.find(kWord, at);
    if (word == std::string::npos) return out.append(svg, at);
    const std::size_t first = word + kWord.size();
    const std::size_t end = std::min(svg.find_first_not_of("0123456789", first), svg.size());
    const std::string number = svg.substr(first, end - first);
    const auto found = std::ranges::find(met, number);
    out.append(svg, at, first - at);
    if (!number.empty()) out += std::to_string(found - met.begin());
    if (found == met.end() && !number.empty()) met.push_back(number);
    at = end;
  }
  return out;
}

/// Like first_character, but without codes that are no characters, which the title of a PDF must not
/// contain.
Character shown_character(std::string_view text) {
  const Character first = first_character(text);
  const bool none = (first.code >= 0xFDD0 && first.code <= 0xFDEF) || (first.code & 0xFFFEU) == 0xFFFE;
  return none ? Character{} : first;
}

/// At most `bytes` of printable text, which ends after a whole character.
std::string_view head_of(std::string_view text, std::size_t bytes) {
  if (bytes >= text.size()) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80) --bytes;
  return text.substr(0, bytes);
}

struct TextPiece {
  std::string text;
  bool raised = false;
};

std::vector<TextPiece> text_pieces(std::string_view text) {
  std::vector<TextPiece> pieces;
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    const bool raises = next == '*' || (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
    if (text[i] != '^' || !raises) {
      plain += text[i];
      continue;
    }
    if (!plain.empty()) pieces.push_back({std::exchange(plain, {}), false});
    pieces.push_back({std::string(1, next), true});
    ++i;
  }
  if (!plain.empty()) pieces.push_back({plain, false});
  return pieces;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  text = text.substr(0, kLongestText);
  while (!text.empty()) {
    const Character first = shown_character(text);
    const bool control = first.code < 0x20 || (first.code >= 0x7F && first.code < 0xA0);
    if (first.length == 0) {
      out += "\uFFFD";
    } else if (control) {
      out += ' ';
    } else {
      out.append(text.substr(0, first.length));
    }
    text.remove_prefix(std::max<std::size_t>(first.length, 1));
  }
  return out;
}

struct Sheet::Canvas {
  std::string bytes;  // declared before the surface, which writes to it in its destructor
  std::unique_ptr<cairo_surface_t, CairoDeleter> surface;
  std::unique_ptr<cairo_t, CairoDeleter> context;
  FontFace regular, bold;

  void select(const Lettering& how, bool raised) const {
    cairo_set_font_face(context.get(), (how.bold ? bold : regular).get());
    cairo_set_font_size(context.get(), how.points / kPointsPerMillimetre * (raised ? kRaisedSize : 1));
  }

  [[nodiscard]] double advance(const TextPiece& piece, const Lettering& how) const {
    select(how, piece.raised);
    cairo_text_extents_t extents;
    cairo_text_extents(context.get(), piece.text.c_str(), &extents);
    return extents.x_advance;
  }
};

Sheet::Sheet(Format format, std::string_view title, double width, double height)
    : format_(format), canvas_(std::make_unique<Canvas>()) {
  const double across = width * kPointsPerMillimetre;
  const double down = height * kPointsPerMillimetre;
  canvas_->surface.reset(
      format == Format::kSvg
          ? cairo_svg_surface_create_for_stream(append_bytes, &canvas_->bytes, across, down)
          : cairo_pdf_surface_create_for_stream(append_bytes, &canvas_->bytes, across, down));
  cairo_surface_t* surface = canvas_->surface.get();
  check_cairo(cairo_surface_status(surface));
  if (format == Format::kPdf) {
    // The time of writing would make every file different.
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, printable(title).c_str());
  } else {
    cairo_svg_surface_restrict_to_version(surface, CAIRO_SVG_VERSION_1_1);
  }
  canvas_->context.reset(cairo_create(surface));
  cairo_t* context = canvas_->context.get();
  cairo_scale(context, kPointsPerMillimetre, kPointsPerMillimetre);
  cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
  const std::unique_ptr<cairo_font_options_t, CairoDeleter> options(cairo_font_options_create());
  // Hints are meant for screens; here they would space the letters unevenly.
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options(context, options.get());
  canvas_->regular = load_face(context, CAIRO_FONT_WEIGHT_NORMAL);
  canvas_->bold = load_face(context, CAIRO_FONT_WEIGHT_BOLD);
  check_cairo(cairo_status(context));
}

Sheet::~Sheet() = default;

void Sheet::path(std::span<const Point> points) {
  cairo_new_path(canvas_->context.get());
  for (const Point& p : points) cairo_line_to(canvas_->context.get(), p.x, p.y);
}

void Sheet::stroke(const Pen& pen) {
  cairo_t* context = canvas_->context.get();
  std::vector<double> dashes;
  const double w = pen.width;
  if (pen.dash == Dash::kDashed) dashes = {5 * w, 2.5 * w};
  if (pen.dash == Dash::kDotted) dashes = {1.2 * w, 1.8 * w};
  if (pen.dash == Dash::kDashDot) dashes = {6 * w, 2 * w, 1.2 * w, 2 * w};
  cairo_set_dash(context, dashes.data(), static_cast<int>(dashes.size()), 0);
  cairo_set_line_width(context, w);
  cairo_set_source_rgba(context, pen.colour.red, pen.colour.green, pen.colour.blue, pen.colour.alpha);
  cairo_stroke(context);
}

void Sheet::fill(const Colour& colour) {
  cairo_t* context = canvas_->context.get();
  cairo_set_source_rgba(context, colour.red, colour.green, colour.blue, colour.alpha);
  cairo_fill(context);
}

void Sheet::line(Point from, Point to, const Pen& pen) {
  const Point ends[] = {from, to};
  polyline(ends, pen);
}

void Sheet::polyline(std::span<const Point> points, const Pen& pen) {
  path(points);
  stroke(pen);
}

void Sheet::polygon(std::span<const Point> points, const Colour& colour) {
  path(points);
  cairo_close_path(canvas_->context.get());
  fill(colour);
}

void Sheet::rectangle(const Box& box, const Colour& colour) {
  cairo_new_path(canvas_->context.get());
  cairo_rectangle(canvas_->context.get(), box.x, box.y, box.width, box.height);
  fill(colour);
}

void Sheet::outline(const Box& box, const Pen& pen) {
  cairo_new_path(canvas_->context.get());
  cairo_rectangle(canvas_->context.get(), box.x, box.y, box.width, box.height);
  stroke(pen);
}

void Sheet::disc(Point centre, double radius, const Colour& colour) {
  cairo_new_path(canvas_->context.get());
  cairo_arc(canvas_->context.get(), centre.x, centre.y, radius, 0, 2 * std::numbers::pi);
  fill(colour);
}

void Sheet::ring(Point centre, double radius, const Pen& pen) {
  cairo_new_path(canvas_->context.get());
  cairo_arc(canvas_->context.get(), centre.x, centre.y, radius, 0, 2 * std::numbers::pi);
  cairo_close_path(canvas_->context.get());
  stroke(pen);
}

void Sheet::clipped(const Box& box, const std::function<void()>& draw) {
  cairo_t* context = canvas_->context.get();
  cairo_save(context);
  cairo_new_path(context);
  cairo_rectangle(context, box.x, box.y, box.width, box.height);
  cairo_clip(context);
  draw();
  cairo_restore(context);
}

void Sheet::text(Point at, std::string_view text, const Lettering& how) {
  const std::vector<TextPiece> pieces = text_pieces(printable(text));
  double width = 0;
  for (const TextPiece& piece : pieces) width += canvas_->advance(piece, how);
  const double size = how.points / kPointsPerMillimetre;
  cairo_t* context = canvas_->context.get();
  cairo_save(context);
  cairo_translate(context, at.x, at.y);
  if (how.upwards) cairo_rotate(context, -std::numbers::pi / 2);
  cairo_set_source_rgba(context, how.colour.red, how.colour.green, how.colour.blue, how.colour.alpha);
  double x = how.align == Align::kLeft ? 0 : how.align == Align::kRight ? -width : -width / 2;
  for (const TextPiece& piece : pieces) {
    const double advance = canvas_->advance(piece, how);  // also selects the font
    cairo_move_to(context, x, size * (kCapitalHeight / 2 - (piece.raised ? kRaisedBy : 0)));
    cairo_show_text(context, piece.text.c_str());
    x += advance;
  }
  cairo_restore(context);
}

double Sheet::text_width(std::string_view text, const Lettering& how) const {
  double width = 0;
  for (const TextPiece& piece : text_pieces(printable(text))) width += canvas_->advance(piece, how);
  return width;
}

std::string Sheet::shortened(std::string_view text, double width, const Lettering& how) const {
  const std::string whole = printable(text);
  if (text_width(whole, how) <= width) return whole;
  const auto cut = [&](std::size_t bytes) { return std::string(head_of(whole, bytes)) + "…"; };
  std::size_t fits = 0;
  std::size_t too_long = whole.size();
  while (too_long - fits > 1) {
    const std::size_t middle = (fits + too_long) / 2;
    (text_width(cut(middle), how) <= width ? fits : too_long) = middle;
  }
  return fits == 0 ? std::string() : cut(fits);
}

std::vector<std::string> Sheet::wrapped(std::string_view text, double width, std::size_t most,
                                        const Lettering& how) const {
  std::vector<std::string> lines;
  std::string rest = printable(text);
  while (!rest.empty() && lines.size() + 1 < most && text_width(rest, how) > width) {
    std::size_t best = std::string::npos;
    for (std::size_t space = rest.find(' ', 1); space != std::string::npos;
         space = rest.find(' ', space + 1)) {
      if (text_width(rest.substr(0, space), how) <= width) best = space;
    }
    if (best == std::string::npos) break;
    lines.push_back(rest.substr(0, best));
    rest.erase(0, best + 1);
  }
  if (!rest.empty()) lines.push_back(shortened(rest, width, how));
  return lines;
}

std::string Sheet::finish() {
  check_cairo(cairo_status(canvas_->context.get()));
  cairo_show_page(canvas_->context.get());
  canvas_->context.reset();
  cairo_surface_finish(canvas_->surface.get());
  check_cairo(cairo_surface_status(canvas_->surface.get()));
  return format_ == Format::kSvg ? with_own_numbers(canvas_->bytes) : canvas_->bytes;
}

}  // namespace assay::figures
