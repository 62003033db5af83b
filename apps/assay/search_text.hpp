// What a planner searched before it chose, as text and as data.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "assay/core/detail/search_view.hpp"
#include "assay/problem/problem.hpp"

namespace assay::cli {

/// How many successors of an action are shown, the most likely ones first.
inline constexpr std::size_t kShownSuccessors = 5;

/// A number with four significant digits; "?" if it is unknown.
std::string searched_number(double value);

/// A text like "1000 simulations, value 12.31, bounds 11.9 to 13.2 (gap 1.3), best action is certain".
std::string search_summary(const SearchView& view, int chosen);

/// Which action the planner takes, why (as far as bounds show it), and how much of the search could be
/// reused.
std::string search_reason(const Problem& problem, const SearchView& view, int chosen);

/// The tree below an agent at `state`: a line for each action, below it the action's successors, and below
/// those the actions there.
std::vector<std::string> search_tree_lines(const Problem& problem, const SearchView& view, int state,
                                           int chosen);

nlohmann::ordered_json search_json(const Problem& problem, const SearchView& view);

}  // namespace assay::cli
