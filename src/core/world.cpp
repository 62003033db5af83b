#include "assay/core/world.hpp"

#include <fmt/format.h>

namespace assay::detail {

void throw_not_allowed(int action, int state, int actions, bool done) {
  if (done) throw UsageError("the episode is over; begin another before acting");
  throw UsageError(
      fmt::format("action {} is not allowed in state {} (actions are 0 to {})", action, state, actions - 1));
}

void throw_no_such_moment(int state, int step, std::size_t words) {
  throw UsageError(
      fmt::format("no moment of an episode: state {}, step {}, a belief of {} words; it has fewer steps or "
                  "states, or other beliefs",
                  state, step, words));
}

}  // namespace assay::detail
