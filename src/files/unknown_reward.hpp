// Rewards that nobody knows: `chance = { beta = [1, 3] }` and `reward = { normal = [0, 2], noise = 1 }`.
#pragma once

#include <optional>

#include "assay/families/cell_family.hpp"
#include "files/toml_reader.hpp"

namespace assay::files {

/// What a letter or an outcome pays; `unknown` in place of `reward` and `chance` if these are to be found
/// out.
struct ReadReward {
  double reward = 0;
  double chance = 1;  // of being paid
  std::optional<UnknownReward> unknown;
  int looks = 0;  // further draws that are only seen

  [[nodiscard]] bool normal() const { return unknown && unknown->law == UnknownReward::Law::kNormal; }
};

/// Reads `reward`, `chance` and `looks`; what is not said stays.
void read_reward(TableReader& reader, ReadReward& reward);

}  // namespace assay::files
