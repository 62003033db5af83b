// How many threads this process can usefully run.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace assay {

/// The contents of a file; none if it cannot be read.
using FileReader = std::function<std::optional<std::string>(const std::string& path)>;

/// As many as the scheduler lets this process run on (its CPU affinity) and its control groups grant it time
/// for, at least 1. Looked up once.
int usable_cores();

/// The least number of cores that the control groups of this process allow, a part of one counting as one;
/// none if they set no limit. Reads /proc/self/cgroup, then cpu.max (version 2) or cpu.cfs_quota_us and
/// cpu.cfs_period_us (version 1) of the group and of all groups above it.
std::optional<int> control_group_cores(const FileReader& read);

}  // namespace assay
