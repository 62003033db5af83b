// Ctrl-C, for commands that have something to bring to safety first.
#pragma once

#include <csignal>

namespace assay::cli {

/// While it lives, the first SIGINT or SIGTERM is only noted; a second one ends the process as usual. One at
/// a time.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  /// May be asked from any thread.
  [[nodiscard]] static bool interrupted();

 private:
  struct sigaction before_int_ = {};
  struct sigaction before_term_ = {};
};

}  // namespace assay::cli
