#include "assay/progress.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "assay/draw.hpp"

namespace assay::cli {

std::string duration_text(double seconds) {
  const int whole = static_cast<int>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

StatusLine::~StatusLine() {
  if (shown_) fmt::print(streams_.err, "\r\033[K");
}

void StatusLine::show(const std::function<std::string(double)>& line) {
  constexpr double kDrawnSeconds = 0.2;
  if (!streams_.progress && !plain_seconds_) return;
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  const double wait = streams_.progress ? kDrawnSeconds : *plain_seconds_;
  if (std::chrono::duration<double>(now - last_).count() < wait) return;
  last_ = now;
  const std::string text = line(std::chrono::duration<double>(now - begin_).count());
  if (streams_.progress) {
    shown_ = true;
    // A line that the terminal breaks cannot be redrawn.
    fmt::print(streams_.err, "\r\033[K{}", streams_.width > 1 ? shortened(text, streams_.width - 1) : text);
  } else {
    fmt::print(streams_.err, "{}\n", text);
  }
  streams_.err.flush();
}

ProgressLine::~ProgressLine() {
  if (shown_ > 0) fmt::print(streams_.err, "\r{:{}}\r", "", shown_);
}

void ProgressLine::show(const LabProgress& p) {
  // The first seconds do not predict the rest.
  const bool foreseeable = p.share > 0.01 && p.seconds > 1;
  const std::string left = foreseeable ? ", " + duration_text(p.seconds / p.share - p.seconds) + " left" : "";
  std::string line = fmt::format("{}/{} runs, {:.0f} %, {:.0f} epochs/s{}", p.finished, p.runs, 100 * p.share,
                                 p.epoch_rate, left);
  if (streams_.progress) {
    // A line that the terminal breaks cannot be redrawn.
    if (streams_.width > 1) line = shortened(line, streams_.width - 1);
    fmt::print(streams_.err, "\r{:{}}", line, shown_);
    streams_.err.flush();
    shown_ = line.size();
    return;
  }
  constexpr double kSecondsBetweenLines = 10;
  if (p.seconds < next_line_ && (p.finished < p.runs || last_ == p.finished)) return;
  fmt::print(streams_.err, "{}\n", line);
  next_line_ = p.seconds + kSecondsBetweenLines;
  last_ = p.finished;
}

}  // namespace assay::cli
