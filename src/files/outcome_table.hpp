// Outcomes of a written-out problem as a table of numbers, which is CSV with up to millions of lines.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/families/builders.hpp"

namespace assay::files {

/// What the names in a table refer to; the order is that of the builder.
struct OutcomeNames {
  const std::vector<std::string>* states;
  const std::vector<std::string>* actions;
  const std::vector<std::string>* environments;
};

/// Reads CSV lines into the builder; throws UsageError "WHERE:LINE: ...". The first line names the columns:
/// `state` and `action`, and where needed `environment` (empty or *: all), `next` (empty: the present
/// state), `probability` (empty: 1), `reward` (empty: 0) and `shows` (empty: nothing). All lines of a state,
/// action and environment form one distribution. Adds the texts that are shown to `signs` (the index of a
/// text is the observation) and returns the (state, action) pairs that show something.
std::vector<std::pair<int, int>> read_outcome_table(std::string_view text, const std::string& where,
                                                    const OutcomeNames& names,
                                                    std::vector<std::string>& signs, TableBuilder& builder);

}  // namespace assay::files
