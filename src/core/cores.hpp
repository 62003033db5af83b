// How many threads this process can use.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace assay {

/// The contents of a file; none if it cannot be read.
using FileReader = std::function<std::optional<std::string>(const std::string& path)>;

/// The number of threads that the scheduler lets this process run at once (its CPU affinity) and for which
/// its control groups grant it time, at least 1. It is determined once.
int usable_cores();

/// The smallest number of cores that the control groups of this process allow, where a fraction counts as a
/// core; none if they set no limit. It is read from /proc/self/cgroup, then from cpu.max (version 2) or
/// cpu.cfs_quota_us and cpu.cfs_period_us (version 1) of the group and of all groups above it.
std::optional<int> control_group_cores(const FileReader& read);

}  // namespace assay
