// A history in words, and the situation that it leads to. An example:
//
//   start sees red; right; listen sees roar left; open left pays -100 to lobby
//
// A history is a list of events, separated by semicolons. An event is what was done (`start` for the
// beginning of the episode, which may be left out), followed by as much of its outcome as distinguishes that
// outcome from others: `sees` and what was seen, `pays` and the reward, `to` and the next state. The arrival
// at the next state belongs to the event that led there.
//
// What was seen is written as Problem::observation_text writes it, or as its plain numbers. Some steps have
// too many outcomes to list, such as a look at a whole map. Then everything that was seen and paid must be
// said, and Bayes' rule decides whether it is possible.
#pragma once

#include <string_view>

#include "assay/problem/problem.hpp"

namespace assay {

/// The situation after the history, in which the agent has arrived. Throws UsageError that names the wrong
/// event and says what would have been possible.
Situation situation_after(const Problem& problem, std::string_view history);

/// The same for callers that need only the belief and the clock. The history need not say where the episode
/// began if that makes no difference to the belief; the state is then one of those that are possible. After
/// an empty history, what is seen at the start stays open unless it is certain.
Situation belief_after(const Problem& problem, std::string_view history);

/// The state that has this name, this number or this letter on the map. Throws UsageError if there is none.
int state_named(const Problem& problem, std::string_view name);

}  // namespace assay
