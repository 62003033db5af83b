// How the library chooses its own vector code. Highway compiles a file once per instruction set. Its
// dispatch keeps the choice in a global variable; here the choice is an argument.
//
// A file of kernels defines `Table table()` in each target's namespace and, once, its own
//
//   const Table& table_of(Kernel kernel) {
//     static const std::array<Table, kKernels> tables = {ASSAY_TABLES(table)};
//     return tables[available_index(kernel)];
//   }
#pragma once

#include <hwy/highway.h>

#include <cstddef>

#include "assay/core/detail/kernel.hpp"

namespace assay {

inline constexpr std::size_t kKernels = 5;

/// The index of a kernel in a file's tables. Throws UsageError if this machine cannot run it.
std::size_t available_index(Kernel kernel);

}  // namespace assay

#if HWY_TARGETS & HWY_SCALAR
#define ASSAY_SCALAR_TABLE(table) N_SCALAR::table()
#else
#define ASSAY_SCALAR_TABLE(table) \
  {}
#endif
#if HWY_TARGETS & HWY_SSSE3
#define ASSAY_SSSE3_TABLE(table) N_SSSE3::table()
#else
#define ASSAY_SSSE3_TABLE(table) \
  {}
#endif
#if HWY_TARGETS & HWY_SSE4
#define ASSAY_SSE4_TABLE(table) N_SSE4::table()
#else
#define ASSAY_SSE4_TABLE(table) \
  {}
#endif
#if HWY_TARGETS & HWY_AVX2
#define ASSAY_AVX2_TABLE(table) N_AVX2::table()
#else
#define ASSAY_AVX2_TABLE(table) \
  {}
#endif
#if HWY_TARGETS & HWY_AVX3
#define ASSAY_AVX512_TABLE(table) N_AVX3::table()
#else
#define ASSAY_AVX512_TABLE(table) \
  {}
#endif
#define ASSAY_TABLES(table)                                                                              \
  ASSAY_SCALAR_TABLE(table), ASSAY_SSSE3_TABLE(table), ASSAY_SSE4_TABLE(table), ASSAY_AVX2_TABLE(table), \
      ASSAY_AVX512_TABLE(table)
