// Lines that fit a terminal: broken between words, never inside one.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <string_view>

namespace assay::cli {

/// One line as several of at most `width` columns. Where it has columns of its own (a name, then what it
/// stands for), those that follow begin below the second, else a little further in than the first. Colours
/// take no room. A word that is longer than a line is left whole.
std::string fitted_line(std::string_view line, std::size_t width);

/// That, for each line of a text.
std::string fitted_text(std::string_view text, std::size_t width);

/// Passes on what is written to it, line by line, fitted. What has no line end yet is kept until the end.
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
