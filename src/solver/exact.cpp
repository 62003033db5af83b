#include "assay/solver/detail/exact.hpp"

#include <fmt/format.h>

namespace assay::detail {

void throw_too_many_states(std::uint64_t reached, std::uint64_t limit, std::size_t words, int step,
                           int horizon) {
  throw LimitError(fmt::format(
      "exact solution needs more than {} belief states: {} were reached at step {} of {}, {} bytes each and "
      "more; raise max_states, shorten the horizon or shrink the problem",
      limit, reached, step, horizon, 8 * words));
}

void throw_too_many_successors(std::uint64_t arcs, int step, int horizon) {
  throw LimitError(
      fmt::format("exact solution meets too many outcomes: a few belief states have {} successors and more "
                  "at step {} of {}; "
                  "shrink the problem",
                  arcs, step, horizon));
}

}  // namespace assay::detail
