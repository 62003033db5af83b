// What work may use of the machine. None of it changes a result that is reached.
#pragma once

#include <utility>

#include "assay/core/stop.hpp"

namespace assay {

struct Resources {
  // Implicit: a number of threads is all that most callers have to say.
  Resources(int thread_count = 0, Stop when = {})  // NOLINT(google-explicit-constructor)
      : threads(thread_count), stop(std::move(when)) {}

  int threads;  // 0: all cores
  Stop stop;    // when to give up
};

}  // namespace assay
