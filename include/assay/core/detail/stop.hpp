// When long work must end before it is finished: a deadline, a request from outside, or a memory limit.
//
// A command makes one Stop and passes copies of it to everything that may take long. Loops look at it now
// and then (`check` throws), parallel loops look between pieces of work (Workers), and short loops that run
// often use a StopPoll, which costs one addition in each round.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "assay/core/error.hpp"

namespace assay {

enum class StopReason { kNone, kTime, kAsked, kMemory };

struct StopReasonWords {
  std::string name;  // "time", "signal" or "memory"; empty for kNone
  std::string text;  // such as "the time limit was reached"
};
const StopReasonWords& words_of(StopReason reason);

/// Work was given up because its Stop said so.
class Stopped : public LimitError {
 public:
  explicit Stopped(StopReason reason) : LimitError(words_of(reason).text), reason_(reason) {}
  [[nodiscard]] StopReason reason() const { return reason_; }

 private:
  StopReason reason_;
};

struct StopLimits {
  double seconds = std::numeric_limits<double>::infinity();  // from now on
  std::function<bool()> asked = {};                          // has a signal come? called on any thread
  std::size_t bytes = 0;                                     // of the whole process; 0 for no limit
};

class Stop {
 public:
  /// Never stops.
  Stop() = default;
  explicit Stop(const StopLimits& limits);

  /// The same request and memory limit, with a deadline at most `seconds` from now.
  [[nodiscard]] Stop within(double seconds) const;
  /// The same request and memory limit, without a deadline.
  [[nodiscard]] Stop without_deadline() const;
  [[nodiscard]] StopReason reason() const;
  [[nodiscard]] bool now() const { return reason() != StopReason::kNone; }
  /// Throws Stopped if there is a reason to stop.
  void check() const;
  /// Seconds until the deadline: infinite without a deadline, 0 after it.
  [[nodiscard]] double seconds_left() const;
  /// How many bytes may still be taken; the largest number without a memory limit.
  [[nodiscard]] std::size_t bytes_left() const;

 private:
  struct Shared;
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  std::shared_ptr<Shared> shared_;
  std::int64_t deadline_ = kNever;  // of the steady clock, in its ticks
};

/// What work may use of the machine. None of it changes a result.
struct Resources {
  // Implicit, because most callers only give a number of threads.
  Resources(int thread_count = 0, Stop when = {})  // NOLINT(google-explicit-constructor)
      : threads(thread_count), stop(std::move(when)) {}

  int threads;  // 0: all cores
  Stop stop;    // when to give up
};

/// Looks at a Stop only once for a certain amount of work.
class StopPoll {
 public:
  explicit StopPoll(const Stop& stop) : stop_(stop) {}
  /// Counts work in units of about a nanosecond. Throws Stopped.
  void count(std::size_t work) {
    done_ += work;
    if (done_ < kBetween) return;
    done_ = 0;
    stop_.check();
  }

 private:
  static constexpr std::size_t kBetween = 200'000;
  const Stop& stop_;
  std::size_t done_ = 0;
};

}  // namespace assay
