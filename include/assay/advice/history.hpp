// A history in words, and the situation that it leads to.
//
//   start sees red; right; listen sees roar left; open left pays -100 to lobby
//
// A history is events, separated by semicolons. An event is what was done (`start` for the beginning, which
// may be left out), then as much of its outcome as tells it from others: `sees` what was seen, `pays` the
// reward, `to` the next state. The arrival at the next state belongs to the event that led there.
//
// What was seen is said as Problem::observation_text writes it, or by its plain numbers. Where a step has too
// many outcomes to list them, such as a look at a whole map, all that was seen and paid must be said, and
// Bayes' rule decides whether it is possible.
#pragma once

#include <string_view>

#include "assay/problem/problem.hpp"

namespace assay {

/// The agent has arrived. Throws UsageError that names the event, and what could have been said.
Situation situation_after(const Problem& problem, std::string_view history);

/// The same for those to whom only the belief and the clock matter. The history need not say where the
/// episode began, if that makes no difference to the belief; the state is then one of those that are
/// possible. After an empty history, what is seen at the start is left open unless it is certain.
Situation belief_after(const Problem& problem, std::string_view history);

/// The state of this name or number, or with this letter on the map. Throws UsageError.
int state_named(const Problem& problem, std::string_view name);

}  // namespace assay
