#include "assay/core/world.hpp"

#include <fmt/format.h>

namespace assay::detail {

void throw_not_allowed(int action, int state, int actions, bool done) {
  if (done) throw UsageError("the episode is over; begin another before acting");
  throw UsageError(
      fmt::format("action {} is not allowed in state {} (actions are 0 to {})", action, state, actions - 1));
}

}  // namespace assay::detail
