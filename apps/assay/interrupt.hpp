// Ctrl-C and SIGTERM, for commands that must save their work first.
#pragma once

#include <csignal>

namespace assay::cli {

/// As long as the object exists, the first SIGINT or SIGTERM is only recorded; a second one ends the process
/// as usual. There can be only one object at a time.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  /// Any thread may call it.
  [[nodiscard]] static bool interrupted();

 private:
  struct sigaction before_int_ = {};
  struct sigaction before_term_ = {};
};

}  // namespace assay::cli
