// Where an agent stands in an episode: at which state, how long before the end, knowing what.
//
// A history in words, events separated by semicolons, leads there:
//
//   start sees red; right; listen sees roar left; open left pays -100 to lobby
//
// An event is what was done (`start` for the beginning, which may be left out), then as much of what came of
// it as tells one outcome from the others: `sees` what was seen, `pays` the reward, `to` a state. The arrival
// at the next state belongs to the event that led there.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "assay/problem/problem.hpp"

namespace assay {

struct Situation {
  int state = 0;      // the agent has arrived there
  int remaining = 0;  // steps to go, the coming one included
  std::unique_ptr<Knowledge> knowledge;
};

/// Throws UsageError that names the event, and what could have been said.
Situation situation_after(const Problem& problem, std::string_view history);

/// A world of the problem in which an agent is in this situation, with an environment drawn from what it
/// knows.
std::unique_ptr<World> world_in(const Problem& problem, const Situation& situation, Rng rng);

/// A state by its name or number, or by the letter it is drawn with if there is only one of them. Throws
/// UsageError that names the nearest.
int state_named(const Problem& problem, std::string_view name);

}  // namespace assay
