#include "assay/core/memory.hpp"

#include <new>

#ifdef __linux__
#include <sys/mman.h>
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
    // Advice only: where it is not taken, nothing is lost. The last, partial page is left alone.
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

}  // namespace

std::pmr::memory_resource* large_arrays() {
  static LargeArrays resource;
  return &resource;
}

}  // namespace assay
