#include "assay/interrupt.hpp"

#include <atomic>

namespace assay::cli {
namespace {

// A global variable, because a signal handler has no arguments.
std::atomic<bool> interrupt_noted = false;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
static_assert(std::atomic<bool>::is_always_lock_free);

void note_interrupt(int /*signal*/) { interrupt_noted = true; }

}  // namespace

InterruptWatch::InterruptWatch() {
  interrupt_noted = false;
  struct sigaction action = {};
  action.sa_handler = note_interrupt;
  // The handler is reset by the first signal, so that a second Ctrl-C ends the process.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, &before_int_);
  sigaction(SIGTERM, &action, &before_term_);
}

InterruptWatch::~InterruptWatch() {
  sigaction(SIGINT, &before_int_, nullptr);
  sigaction(SIGTERM, &before_term_, nullptr);
}

bool InterruptWatch::interrupted() { return interrupt_noted; }

}  // namespace assay::cli
