// How far long work is, on a terminal as one line that is drawn over, elsewhere as a line now and then.
#pragma once

#include <string>

#include "assay/cli.hpp"
#include "assay/lab/laboratory.hpp"

namespace assay::cli {

class ProgressLine {
 public:
  explicit ProgressLine(const Streams& streams) : streams_(streams) {}
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const LabProgress& progress);

 private:
  const Streams& streams_;
  std::size_t shown_ = 0;  // characters of the line on the terminal
  double next_line_ = 0;   // seconds, elsewhere
  std::size_t last_ = 0;   // runs that were finished when a line was last printed
};

/// "1:05", "12 s": what a person wants to know of a time.
std::string duration_text(double seconds);

}  // namespace assay::cli
