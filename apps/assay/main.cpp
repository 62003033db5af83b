#include <unistd.h>

#include <iostream>

#include "assay/cli.hpp"

int main(int argc, char** argv) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  return assay::cli::run({argv + 1, argv + argc}, {std::cout, std::cerr, terminal});
}
