#include "assay/core/detail/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <new>
#include <optional>
#include <string>

#include "assay/core/error.hpp"

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace assay {
namespace {

class LargeArrays final : public std::pmr::memory_resource {
  static constexpr std::size_t kHugePage = std::size_t{2} << 20U;

  static std::size_t alignment_for(std::size_t bytes, std::size_t alignment) {
    return bytes >= kHugePage ? kHugePage : alignment;
  }

  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* const block = ::operator new(bytes, std::align_val_t(alignment_for(bytes, alignment)));
#ifdef __linux__
    // This call only gives advice: ignoring it does no harm. The last, partial page is left out.
    if (bytes >= kHugePage) madvise(block, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
#endif
    return block;
  }

  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) override {
    ::operator delete(block, std::align_val_t(alignment_for(bytes, alignment)));
  }

  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }
};

/// The number at the beginning of a file; none if it is "max" or the file does not exist.
std::optional<std::size_t> number_in(const char* file) {
  std::ifstream in(file);
  std::size_t number = 0;
  if (in >> number) return number;
  return std::nullopt;
}

/// The memory that the system could provide without swapping.
std::optional<std::size_t> available_memory() {
  std::ifstream in("/proc/meminfo");
  std::size_t kilobytes = 0;
  for (std::string word; in >> word;) {
    if (word == "MemAvailable:" && in >> kilobytes) return kilobytes * 1024;
  }
  return std::nullopt;
}

}  // namespace

std::size_t resident_memory() {
#ifdef __linux__
  std::ifstream in("/proc/self/statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  if (in >> all >> resident) return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
#endif
  return 0;
}

std::size_t usable_memory() {
  constexpr std::size_t kUnknown = std::size_t{4} << 30U;  // assumed if the system does not report it
  std::size_t most = available_memory().value_or(kUnknown) + resident_memory();
  // Version 2 of control groups is tried first, then version 1, which writes a huge number for "no limit".
  for (const char* file : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    if (const std::optional<std::size_t> limit = number_in(file)) most = std::min(most, *limit);
  }
  return most / 4 * 3;
}

void need_memory(double bytes, const std::string& what, const std::string& instead) {
  constexpr double kGigabyte = 1e9;
  const double left = static_cast<double>(usable_memory()) - static_cast<double>(resident_memory());
  if (bytes <= left) return;
  throw LimitError(fmt::format("{} would take {:.1f} GB of memory, but {:.1f} GB can be used; {}", what,
                               bytes / kGigabyte, std::max(left, 0.0) / kGigabyte, instead));
}

std::pmr::memory_resource* large_arrays() {
  static LargeArrays resource;
  return &resource;
}

}  // namespace assay
