#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
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

/// Handles exceptions that nothing can catch, such as lack of memory in a destructor of a library: the
/// process ends with an error like any other. The next process that writes to the folder undoes what is
/// incomplete.
[[noreturn]] void end_with_error() {
  const char* why = "an error that cannot be handled";
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    why = "out of memory";
  } catch (const std::exception& error) {
    why = error.what();
  } catch (...) {  // its type is unknown
  }
  std::fputs("assay: ", stderr);
  std::fputs(why, stderr);
  std::fputs("\n", stderr);
  std::_Exit(assay::cli::kFailure);
}

}  // namespace

int main(int argc, char** argv) {
  std::set_terminate(end_with_error);
  // A write beyond the limit of a file's size is then an error of writing like any other.
  std::signal(SIGXFSZ, SIG_IGN);
  const bool moves = variable("TERM") != "dumb";
  const bool out = isatty(STDOUT_FILENO) != 0;
  assay::cli::Streams streams{std::cout, std::cerr};
  streams.progress = moves && isatty(STDERR_FILENO) != 0;
  streams.colour = out && moves && variable("NO_COLOR").empty();
  streams.animate = out && moves;
  streams.error_width = isatty(STDERR_FILENO) != 0 ? terminal_width(STDERR_FILENO) : 0;
  streams.width = out ? terminal_width(STDOUT_FILENO) : streams.progress ? terminal_width(STDERR_FILENO) : 0;
  return assay::cli::run_cli({argv + 1, argv + argc}, streams);
}
