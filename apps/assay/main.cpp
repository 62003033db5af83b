#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

#include "assay/cli.hpp"

namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): there is one thread yet
  return value == nullptr ? "" : value;
}

std::size_t terminal_width(int file) {
  winsize size{};
  return ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const bool moves = variable("TERM") != "dumb";
  const bool out = isatty(STDOUT_FILENO) != 0;
  assay::cli::Streams streams{std::cout, std::cerr};
  streams.progress = moves && isatty(STDERR_FILENO) != 0;
  streams.colour = out && moves && variable("NO_COLOR").empty();
  streams.animate = out && moves;
  streams.error_width = isatty(STDERR_FILENO) != 0 ? terminal_width(STDERR_FILENO) : 0;
  streams.width = out ? terminal_width(STDOUT_FILENO) : streams.progress ? terminal_width(STDERR_FILENO) : 0;
  return assay::cli::run({argv + 1, argv + argc}, streams);
}
