// The progress of long work: on a terminal one line that is redrawn, elsewhere a line now and then.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "assay/cli.hpp"
#include "lab/laboratory.hpp"

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
  double next_line_ = 0;   // seconds, if there is no terminal
  std::size_t last_ = 0;   // runs that were finished when a line was last printed
};

/// What is being done, and how far it is: one line that is redrawn and erased at the end; elsewhere a line
/// now and then. Any thread may call it.
class StatusLine {
 public:
  /// The seconds between lines that cannot be redrawn; without them no such line is printed.
  explicit StatusLine(const Streams& streams, std::optional<double> plain_seconds = {})
      : streams_(streams), plain_seconds_(plain_seconds) {}
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Calls for the line, with the seconds so far, if it is time for another one.
  void show(const std::function<std::string(double)>& line);

 private:
  using Clock = std::chrono::steady_clock;
  const Streams& streams_;
  std::optional<double> plain_seconds_;
  std::mutex mutex_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_ = begin_;
  bool shown_ = false;
};

/// A time as people read it: "1:05", "12 s".
std::string duration_text(double seconds);

}  // namespace assay::cli
