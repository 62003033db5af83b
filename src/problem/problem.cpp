#include "assay/problem/problem.hpp"

#include <fmt/ranges.h>

namespace assay {

std::string numbers_text(const Observation& observation) {
  return fmt::format("{}", fmt::join(observation, " "));
}

}  // namespace assay
