// Why an action: a history in words leads to a situation, and `explain` says what each action is worth in a
// situation, and how much of that is due to what the action shows.
//
// For an action a at x, with h steps to go and belief b:
//
//   current   E[ r ] + gamma max_plan E[ v^plan(x') ]: do a, then follow one plan that is made now
//   cashed    gamma E[ V(x'; b') ] less the second term above: the amount by which that term is expected to
//             rise if the plan is made after a and the arrival at x' have been seen; this is the expected
//             cashed reward
//   value     what a is worth if everything that is found out later is used, too
//
// V(x; b) is the value of the best plan that ignores what will be seen (src/solver/fixed_plan.hpp). The
// largest `current` of all actions is therefore V of the situation. If all environments move alike, V is the
// value of the mean environment, v^m. The paper's v^c plans for an environment that is drawn from the
// belief; V, unlike v^c, is convex in the belief, so `cashed` is never negative.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/core/detail/bounds.hpp"
#include "assay/core/detail/stop.hpp"
#include "assay/problem/problem.hpp"

namespace assay {

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

/// The situation after the history, in which the agent has arrived. Throws UsageError that names the wrong
/// event and says what would have been possible.
Situation situation_after(const Problem& problem, std::string_view history);

/// The same for callers that need only the belief and the clock. The history need not say where the episode
/// began if that makes no difference to the belief; the state is then one of those that are possible. After
/// an empty history, what is seen at the start stays open unless it is certain.
Situation belief_after(const Problem& problem, std::string_view history);

/// The state that has this name, this number or this letter on the map. Throws UsageError if there is none.
int state_named(const Problem& problem, std::string_view name);

struct ActionWorth {
  int action = 0;
  Bounds value;
  double current = 0;
  double cashed = 0;
  double delay = 0;  // how late the value is earned, where that is known: it decides among equal actions
  /// The environments in groups, by name: the action does not distinguish environments of one group. A
  /// single group means that it distinguishes none. Empty if there are infinitely many environments.
  std::vector<std::vector<std::string>> tells_apart;
  double guessed = 1;         // the probability that the right group is the likeliest one after the action
  double guessed_before = 1;  // the same probability before the action
  bool shows = false;         // can the action change the belief at all?

  /// What finding out adds, now and later. If the value is not known exactly, it adds at least this.
  [[nodiscard]] double future() const { return value.lower - current; }
};

struct Explanation {
  std::string state, belief;
  int remaining = 0;
  int decimals = 6;       // how many decimals can be certain, given the size of the values
  bool exact = false;     // do the bounds of every action agree in all `decimals`?
  bool certified = true;  // are the bounds free of sampling error?
  /// Are `current` and `cashed` computed from best plans? Otherwise `current` and `current + cashed` are
  /// lower bounds.
  bool plans_exact = true;
  std::vector<ActionWorth> actions;  // the allowed actions, the best first
  std::string words;
};

struct ExplainOptions {
  double seconds = 5;  // time for the whole explanation
  Stop stop = {};      // a request to stop and a memory limit; throws Stopped
  std::uint64_t max_states = 1'000'000;
  std::uint64_t seed = 0;
  int samples = 400;  // how many environments are drawn, where they must be drawn
  int threads = 0;
};

Explanation explain(const Problem& problem, const Situation& situation, const ExplainOptions& options);

}  // namespace assay
