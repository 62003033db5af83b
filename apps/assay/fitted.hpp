// Lines that fit a terminal. They are broken between words.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <string_view>

namespace assay::cli {

/// One line as several lines of at most `width` columns. If the line has columns of its own (a name, then
/// its meaning), the following lines begin below the second column; otherwise they are indented a little
/// more than the first. Colours have no width. A word that is longer than a line is not broken.
std::string fitted_line(std::string_view line, std::size_t width);

/// The same for each line of a text.
std::string fitted_text(std::string_view text, std::size_t width);

/// A stream that fits each line written to it and passes it on. An incomplete line is passed on at the end.
class FittedStream final : public std::ostream {
 public:
  FittedStream(std::ostream& target, std::size_t width);
  FittedStream(const FittedStream&) = delete;
  FittedStream& operator=(const FittedStream&) = delete;
  ~FittedStream() override;

 private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
};

}  // namespace assay::cli
