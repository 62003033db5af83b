#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "assay/cli.hpp"

int main(int argc, char** argv) {
  const bool progress = isatty(STDERR_FILENO) != 0;
  const bool colour =
      isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;  // NOLINT(concurrency-mt-unsafe)
  return assay::cli::run({argv + 1, argv + argc}, {std::cout, std::cerr, progress, colour});
}
