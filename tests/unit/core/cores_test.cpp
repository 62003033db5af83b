// The default number of threads: what control groups allow, tested with invented files.
#include "core/cores.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <map>
#include <thread>

namespace assay {
namespace {

using Files = std::map<std::string, std::string>;

std::optional<int> cores_in(const Files& files) {
  return control_group_cores([&](const std::string& path) -> std::optional<std::string> {
    const auto found = files.find(path);
    return found == files.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(Cores, ASecondVersionGroupGrantsItsQuota) {
  const Files two = {{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "200000 100000\n"}};
  EXPECT_EQ(cores_in(two), 2);
  // A part of a core is worth a thread.
  EXPECT_EQ(cores_in({{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "150000 100000\n"}}), 2);
  EXPECT_EQ(cores_in({{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "1000 100000\n"}}), 1);
}

TEST(Cores, TheTightestOfTheGroupsAboveCounts) {
  const Files nested = {{"/proc/self/cgroup", "0::/user.slice/job\n"},
                        {"/sys/fs/cgroup/user.slice/job/cpu.max", "800000 100000\n"},
                        {"/sys/fs/cgroup/user.slice/cpu.max", "300000 100000\n"},
                        {"/sys/fs/cgroup/cpu.max", "max 100000\n"}};
  EXPECT_EQ(cores_in(nested), 3);
}

TEST(Cores, AFirstVersionGroupGrantsItsQuota) {
  const Files first = {{"/proc/self/cgroup", "9:memory:/m\n4:cpu,cpuacct:/docker/0123\n1:cpuset:/c\n"},
                       {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "400000\n"},
                       {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n"},
                       {"/sys/fs/cgroup/cpuset/c/cpu.cfs_quota_us", "100000\n"},
                       {"/sys/fs/cgroup/cpuset/c/cpu.cfs_period_us", "100000\n"}};
  EXPECT_EQ(cores_in(first), 4);  // the path is that of the machine outside the container
}

TEST(Cores, NoLimitIsNone) {
  EXPECT_EQ(cores_in({}), std::nullopt);
  EXPECT_EQ(cores_in({{"/proc/self/cgroup", "0::/a/b\n"}}), std::nullopt);
  EXPECT_EQ(cores_in({{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "max 100000\n"}}),
            std::nullopt);
  EXPECT_EQ(cores_in({{"/proc/self/cgroup", "4:cpu:/\n"},
                      {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"},
                      {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}}),
            std::nullopt);
}

TEST(Cores, WhatIsNotANumberIsNoLimit) {
  for (const char* text : {"", "\n", "x y\n", "100000\n", "100000 0\n", "-5 100000\n", "nan nan\n"}) {
    EXPECT_EQ(cores_in({{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", text}}), std::nullopt)
        << text;
  }
  EXPECT_EQ(cores_in({{"/proc/self/cgroup", "no colons\n:\n0:\n"}}), std::nullopt);
}

TEST(Cores, NoMoreThanTheAffinityAllows) {
  cpu_set_t set;
  ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  EXPECT_GE(usable_cores(), 1);
  EXPECT_LE(usable_cores(), CPU_COUNT(&set));
}

}  // namespace
}  // namespace assay
