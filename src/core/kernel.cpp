#include "assay/core/detail/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "assay/core/detail/spec.hpp"
#include "assay/core/error.hpp"
#include "core/targets.hpp"

namespace assay {
namespace {

constexpr std::array<const char*, kKernels> kKernelNames = {"scalar", "ssse3", "sse4", "avx2", "avx512"};

bool compiled(Kernel kernel) {
  constexpr std::array<std::int64_t, kKernels> kTargets = {HWY_SCALAR, HWY_SSSE3, HWY_SSE4, HWY_AVX2,
                                                           HWY_AVX3};
  return (kTargets[static_cast<std::size_t>(kernel)] & HWY_TARGETS) != 0;
}

bool runs_here(Kernel kernel) {
  // Asking the processor takes microseconds under a hypervisor, so it is done once.
  static const std::int64_t supported = hwy::SupportedTargets();
  constexpr std::array<std::int64_t, kKernels> kTargets = {0, HWY_SSSE3, HWY_SSE4, HWY_AVX2, HWY_AVX3};
  const std::int64_t needs = kTargets[static_cast<std::size_t>(kernel)];
  return (supported & needs) == needs;
}

}  // namespace

std::size_t available_index(Kernel kernel) {
  if (!compiled(kernel) || !runs_here(kernel)) {
    throw UsageError(fmt::format("the kernel {} is not available on this machine", kernel_name(kernel)));
  }
  return static_cast<std::size_t>(kernel);
}

std::vector<Kernel> available_kernels() {
  std::vector<Kernel> all;
  for (std::size_t i = 0; i < kKernels; ++i) {
    const auto kernel = static_cast<Kernel>(i);
    if (compiled(kernel) && runs_here(kernel)) all.push_back(kernel);
  }
  return all;
}

std::string kernel_name(Kernel kernel) { return kKernelNames.at(static_cast<std::size_t>(kernel)); }

Kernel kernel_named(std::string_view name) {
  std::vector<std::string> known;
  for (const Kernel kernel : available_kernels()) {
    known.push_back(kernel_name(kernel));
    if (known.back() == name) return kernel;
  }
  throw UsageError(fmt::format("unknown kernel '{}': this machine runs {}", printable(std::string(name), 40),
                               fmt::join(known, ", ")));
}

Kernel default_kernel() {
  // The variable is read once, so that the kernel cannot change while a program runs.
  static const char* const forced = std::getenv("ASSAY_KERNEL");  // NOLINT(concurrency-mt-unsafe)
  if (forced != nullptr && *forced != '\0') return kernel_named(forced);
  static const Kernel best = available_kernels().back();
  return best;
}

}  // namespace assay
