// The command line as a function, so that tests can call it in their own process.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace assay::cli {

/// Where a command writes. Answers go to `out`; progress and errors to `err`.
struct Streams {
  std::ostream& out;
  std::ostream& err;
  bool progress = false;        // err is a terminal on which lines can be redrawn
  bool colour = false;          // out is a terminal that shows colours
  bool animate = false;         // out is a terminal on which lines can be redrawn
  std::size_t width = 0;        // columns of the terminal; 0 if there is none
  std::size_t error_width = 0;  // the same for err
};

enum ExitCode { kOk = 0, kFailure = 1, kUsage = 2, kInterrupted = 130 };

/// Runs `assay args...` and returns its exit code: 0 if it succeeded, 1 if it failed, 2 if the request is
/// wrong, 130 if a signal stopped it and everything that was done is kept.
int run_cli(const std::vector<std::string>& args, const Streams& streams);

}  // namespace assay::cli
