// A learned policy, as it is kept.
#pragma once

#include <cstdint>
#include <string>

namespace assay {

struct PolicyFile {
  std::string family, method;  // canonical specs
  std::uint64_t seed = 0;
  int epochs = 0;
  std::string state;  // means something to the method only

  bool operator==(const PolicyFile&) const = default;
};

}  // namespace assay
