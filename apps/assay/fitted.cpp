#include "assay/fitted.hpp"

#include <algorithm>
#include <streambuf>

namespace assay::cli {
namespace {

/// The width of a text on the terminal: colours and the later bytes of a character have no width.
std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\033') {
      while (i < text.size() && text[i] != 'm' && text[i] != 'K' && text[i] != 'A') ++i;
    } else if ((static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80U) {
      ++columns;
    }
  }
  return columns;
}

/// The column where the continuation lines of this line begin.
std::size_t hanging_indent(std::string_view line, std::size_t width) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.find("  ", begin);
  if (gap != std::string_view::npos) {
    const std::size_t second = line.find_first_not_of(' ', gap);
    if (second != std::string_view::npos && second <= 2 * width / 3) return second;
  }
  return begin + 2 <= width / 2 ? begin + (begin == 0 ? 0 : 2) : 0;
}

}  // namespace

std::string fitted_line(std::string_view line, std::size_t width) {
  if (width == 0 || columns_of(line) <= width) return std::string(line);
  const std::string indent(hanging_indent(line, width), ' ');
  std::string out;
  std::size_t used = 0;
  bool fresh = true;  // only blanks on this line so far
  while (!line.empty()) {
    const std::size_t word = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t end = std::min(line.find(' ', word), line.size());
    const std::size_t columns = word + columns_of(line.substr(word, end - word));
    if (word == line.size()) break;  // blanks at the end
    if (!fresh && used + columns > width) {
      out += "\n" + indent;
      used = indent.size();
      line.remove_prefix(word);
      fresh = true;
      continue;
    }
    out += line.substr(0, end);
    used += columns;
    fresh = false;
    line.remove_prefix(end);
  }
  return out;
}

std::string fitted_text(std::string_view text, std::size_t width) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    out += fitted_line(text.substr(0, end), width);
    if (end == std::string_view::npos) break;
    out += '\n';
    text.remove_prefix(end + 1);
  }
  return out;
}

class FittedStream::Buffer final : public std::streambuf {
 public:
  Buffer(std::ostream& out, std::size_t width) : out_(out), width_(width) {}

  void finish() {
    if (line_.empty()) return;
    out_ << fitted_line(line_, width_);
    line_.clear();
  }

 private:
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    if (traits_type::to_char_type(c) != '\n') {
      line_ += traits_type::to_char_type(c);
    } else {
      out_ << fitted_line(line_, width_) << '\n';
      line_.clear();
    }
    return out_ ? c : traits_type::eof();
  }

  int sync() override {
    out_.flush();
    return out_ ? 0 : -1;
  }

  std::ostream& out_;
  std::size_t width_;
  std::string line_;
};

FittedStream::FittedStream(std::ostream& target, std::size_t width)
    : std::ostream(nullptr), buffer_(std::make_unique<Buffer>(target, width)) {
  rdbuf(buffer_.get());
}

FittedStream::~FittedStream() { buffer_->finish(); }

}  // namespace assay::cli
