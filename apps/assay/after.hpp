// The option --after: the situation that a history in words leads to.
#pragma once

#include <string>

#include "assay/advice/explanation.hpp"
#include "assay/options.hpp"

namespace assay::cli {

/// The form of a history, for the help of commands that take one.
inline constexpr const char* kHistoryHelp =
    "A history is events, separated by semicolons. An event is the name of an action (or start), then as "
    "much of its outcome as is needed: 'sees' and what was seen, 'pays' and the reward, 'to' and the next "
    "state.";

void add_after(Options& options, std::string& history);

/// Error messages name the option. If the state does not matter, the history may leave open where the
/// episode began.
Situation situation_of_history(const Problem& problem, const std::string& history, bool state_matters);

}  // namespace assay::cli
