#include "assay/core/detail/stop.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <utility>

#include "assay/core/detail/memory.hpp"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

std::int64_t ticks_now() { return Clock::now().time_since_epoch().count(); }

// Measuring the memory in use takes microseconds. In this time a fast loop allocates about 50 MB.
constexpr std::int64_t kBetweenLooks = Clock::duration(std::chrono::milliseconds(20)).count();

}  // namespace

const StopReasonWords& words_of(StopReason reason) {
  static const std::array<StopReasonWords, 4> words{{{"", "nothing stopped it"},
                                                     {"time", "the time limit was reached"},
                                                     {"signal", "it was asked to stop"},
                                                     {"memory", "the memory limit was reached"}}};
  return words.at(static_cast<std::size_t>(reason));
}

struct Stop::Shared {
  std::function<bool()> asked;
  std::size_t bytes = 0;
  std::atomic<std::int64_t> next_look = 0;
  std::atomic<bool> full = false;  // at the last measurement

  bool too_large(std::int64_t now) {
    if (bytes == 0) return false;
    std::int64_t due = next_look;
    // Of several threads that find a measurement due, one makes it.
    if (now >= due && next_look.compare_exchange_strong(due, now + kBetweenLooks))
      full = resident_memory() > bytes;
    return full;
  }
};

Stop::Stop(const StopLimits& limits) : shared_(std::make_shared<Shared>()) {
  shared_->asked = limits.asked;
  shared_->bytes = limits.bytes;
  *this = within(limits.seconds);
}

Stop Stop::within(double seconds) const {
  Stop sooner = *this;
  constexpr double kForever = 1e9;  // 30 years; the clock has no room for more
  if (seconds < kForever) {
    const auto wait =
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::max(0.0, seconds)));
    sooner.deadline_ = std::min(deadline_, ticks_now() + wait.count());
  }
  return sooner;
}

Stop Stop::without_deadline() const {
  Stop lasting = *this;
  lasting.deadline_ = kNever;
  return lasting;
}

StopReason Stop::reason() const {
  if (shared_ && shared_->asked && shared_->asked()) return StopReason::kAsked;
  if (!shared_ && deadline_ == kNever) return StopReason::kNone;
  const std::int64_t now = ticks_now();
  if (now >= deadline_) return StopReason::kTime;
  if (shared_ && shared_->too_large(now)) return StopReason::kMemory;
  return StopReason::kNone;
}

void Stop::check() const {
  const StopReason why = reason();
  if (why != StopReason::kNone) throw Stopped(why);
}

double Stop::seconds_left() const {
  if (deadline_ == kNever) return std::numeric_limits<double>::infinity();
  return std::max(0.0, std::chrono::duration<double>(Clock::duration(deadline_ - ticks_now())).count());
}

std::size_t Stop::bytes_left() const {
  if (!shared_ || shared_->bytes == 0) return std::numeric_limits<std::size_t>::max();
  const std::size_t used = resident_memory();
  return used < shared_->bytes ? shared_->bytes - used : 0;
}

}  // namespace assay
