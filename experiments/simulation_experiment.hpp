// The part of the comparison at equal time that tests use.
#pragma once

#include <optional>
#include <span>

namespace assay::experiments {

/// Which of `others` to compare with at equal time: the fastest of those that take at least `seconds`, or
/// else the slowest. None if there are none. Unknown times do not count.
std::optional<std::size_t> equal_time_choice(double seconds, std::span<const std::optional<double>> others);

}  // namespace assay::experiments
