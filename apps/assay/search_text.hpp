// What a planner looked at before it chose, as text and as data.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "assay/core/detail/search_view.hpp"
#include "assay/problem/problem.hpp"

namespace assay::cli {

/// Successors of an action that are shown, the most likely ones: a handful can be read.
inline constexpr std::size_t kShownSuccessors = 5;

/// A number as it is shown here: four digits that matter, "?" where there is none.
std::string searched_number(double value);

/// "1000 simulations, value 12.31, bounds 11.9 to 13.2 (gap 1.3), best action is certain".
std::string search_summary(const SearchView& view, int chosen);

/// Which action it takes, why as far as bounds can tell, and how much of that could be found again.
std::string search_reason(const Problem& problem, const SearchView& view, int chosen);

/// The tree below an agent at `state`: a line per action, below it how it can end, below that the actions
/// there.
std::vector<std::string> search_tree_lines(const Problem& problem, const SearchView& view, int state,
                                           int chosen);

nlohmann::ordered_json search_json(const Problem& problem, const SearchView& view);

}  // namespace assay::cli
