// What present knowledge is worth, and what more knowledge could add at most.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/core/detail/bounds.hpp"
#include "assay/core/detail/stop.hpp"

namespace assay {

/// How to average over environments that are too many for a sum.
struct Sampling {
  std::uint64_t seed = 0;
  int samples = 2000;
  int threads = 0;
  Stop stop = {};  // when to give up; throws Stopped
};

namespace detail {
/// Mean and standard error of the mean.
Estimate mean_of(const std::vector<double>& samples);
}  // namespace detail

/// The values with `remaining` steps to go (without an end if the problem has none), about to arrive at a
/// state drawn from `starts`. They are exact for finite beliefs and for models with a closed form
/// (`closed_form`). Otherwise they are estimated with standard errors, from as many samples as requested and
/// as time allows.
InformationValues information_values(const Belief& belief, const std::vector<Start>& starts, int remaining,
                                     const Sampling& sampling);

}  // namespace assay
