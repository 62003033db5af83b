// The instruction sets that the fast solvers are compiled for, and the choice between them at run time.
//
// Every choice gives the same bits; a choice other than the best is for tests and for measuring.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay {

enum class Kernel { kScalar, kSsse3, kSse4, kAvx2, kAvx512 };

/// Those that this machine can run, the slowest first.
std::vector<Kernel> available_kernels();

/// "scalar", "ssse3", "sse4", "avx2", "avx512".
std::string kernel_name(Kernel kernel);

/// Throws UsageError for a name that is unknown or not available on this machine.
Kernel kernel_named(std::string_view name);

/// What the environment variable ASSAY_KERNEL names, else the best that the machine can run.
Kernel default_kernel();

}  // namespace assay
