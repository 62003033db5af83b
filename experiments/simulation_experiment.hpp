// What tests need of the comparison at equal time.
#pragma once

#include <optional>
#include <span>

namespace assay::experiments {

/// Which of `others` to compare with at equal time: the one that takes the least of those that take `seconds`
/// or more, else the one that takes the most. Nothing if there are none; times that nobody knows do not
/// count.
std::optional<std::size_t> equal_time_choice(double seconds, std::span<const std::optional<double>> others);

}  // namespace assay::experiments
