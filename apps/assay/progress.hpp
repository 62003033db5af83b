// How far long work is, on a terminal as one line that is drawn over, elsewhere as a line now and then.
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
  double next_line_ = 0;   // seconds, elsewhere
  std::size_t last_ = 0;   // runs that were finished when a line was last printed
};

/// What is being done, and how far: one line that is drawn over, gone in the end; elsewhere a line now and
/// then. May be told from any thread.
class StatusLine {
 public:
  /// Seconds between lines that cannot be drawn over; without them there are none.
  explicit StatusLine(const Streams& streams, std::optional<double> plain_seconds = {})
      : streams_(streams), plain_seconds_(plain_seconds) {}
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Asks for the line, given the seconds so far, if it is time for another.
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

/// "1:05", "12 s": what a person wants to know of a time.
std::string duration_text(double seconds);

}  // namespace assay::cli
