#include "core/cores.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>
#include <vector>

namespace assay {
namespace {

constexpr const char* kControlGroups = "/sys/fs/cgroup";

std::optional<std::string> contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// The number of cores in the CPU affinity; 0 if the system does not report it.
int affine_cores() {
  // A machine may have more processors than cpu_set_t can hold: the kernel then rejects the set as too
  // small.
  for (int most = CPU_SETSIZE; most <= 1 << 20; most *= 4) {
    cpu_set_t* const set = CPU_ALLOC(static_cast<std::size_t>(most));
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(most));
    const int cores = sched_getaffinity(0, bytes, set) == 0 ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (cores > 0) return cores;
  }
  return 0;
}

/// quota / period in cores, rounded up. None unless both are positive numbers ("max" and -1 mean "no
/// limit").
std::optional<int> cores_of(const std::string& quota, const std::string& period) {
  double time = 0;
  double of = 0;
  if (!(std::istringstream(quota) >> time) || !(std::istringstream(period) >> of)) return std::nullopt;
  if (!(time > 0 && of > 0)) return std::nullopt;
  constexpr double kMost = 1e6;
  return static_cast<int>(std::min(std::ceil(time / of), kMost));
}

std::optional<int> limit_of(const std::string& folder, bool second, const FileReader& read) {
  if (second) {
    const std::optional<std::string> both = read(folder + "/cpu.max");
    if (!both) return std::nullopt;
    std::istringstream words(*both);
    std::string quota;
    std::string period;
    words >> quota >> period;
    return cores_of(quota, period);
  }
  const std::optional<std::string> quota = read(folder + "/cpu.cfs_quota_us");
  const std::optional<std::string> period = read(folder + "/cpu.cfs_period_us");
  return quota && period ? cores_of(*quota, *period) : std::nullopt;
}

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == word) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

}  // namespace

std::optional<int> control_group_cores(const FileReader& read) {
  const std::optional<std::string> groups = read("/proc/self/cgroup");
  if (!groups) return std::nullopt;
  std::optional<int> least;
  std::istringstream lines(*groups);
  // The lines are "0::/a/b" for version 2 and "4:cpu,cpuacct:/a/b" for version 1.
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t next = first == std::string::npos ? first : line.find(':', first + 1);
    if (next == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, next - first - 1);
    const bool second = controllers.empty();
    if (!second && !has_word(controllers, "cpu")) continue;
    const std::string root = std::string(kControlGroups) + (second ? "" : "/" + controllers);
    // In a container the path may be that of the machine outside. Groups that cannot be read are ignored.
    for (std::string path = line.substr(next + 1);;) {
      while (path.ends_with('/')) path.pop_back();
      const std::optional<int> here = limit_of(root + path, second, read);
      if (here) least = std::min(*here, least.value_or(*here));
      if (path.empty()) break;
      path.resize(std::min(path.rfind('/'), path.size() - 1));
    }
  }
  return least;
}

int usable_cores() {
  static const int cores = [] {
    const int affine = affine_cores();
    const int all = affine > 0 ? affine : static_cast<int>(std::thread::hardware_concurrency());
    return std::max(1, std::min(all, control_group_cores(contents_of).value_or(all)));
  }();
  return cores;
}

}  // namespace assay
