// Reads unknown rewards: `chance = { beta = [1, 3] }` and `reward = { normal = [0, 2], noise = 1 }`.
#pragma once

#include <optional>

#include "assay/families/builders.hpp"
#include "files/toml_reader.hpp"

namespace assay::files {

/// What a letter or an outcome pays. `unknown` replaces `reward` and `chance` if the agent does not know
/// them.
struct ReadReward {
  double reward = 0;
  double chance = 1;  // the probability that it is paid
  std::optional<UnknownReward> unknown;
  int looks = 0;  // further draws that are only seen

  [[nodiscard]] bool normal() const { return unknown && unknown->law == UnknownReward::Law::kNormal; }
};

/// Reads `reward`, `chance` and `looks`; a key that is absent leaves its value as it is.
void read_reward(TableReader& reader, ReadReward& reward);

}  // namespace assay::files
