// Why: what each action is worth in a situation, and what of that is due to what it shows.
//
// For an action a at x, with h steps to go and belief b:
//
//   current   E[ r ] + gamma max_plan E[ v^plan(x') ]: do a, then follow one plan that is made now
//   cashed    gamma E[ V(x'; b') ] less the second part of that: by how much what a and the arrival at x'
//             show is expected to raise it if a plan is made afterwards, the expected cashed reward
//   value     what a is worth if all that is found out later is used, too
//
// V(x; b) is what the best plan collects that ignores what will be seen (solver/fixed_plan.hpp), so the
// largest `current` of all actions is V of the situation. If all environments move alike it is the value of
// the mean environment, v^m. Unlike the paper's v^c, which plans for an environment drawn from the belief, V
// is convex in the belief: what is cashed is never negative.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/advice/history.hpp"
#include "assay/core/bounds.hpp"
#include "assay/core/stop.hpp"

namespace assay {

struct ActionWorth {
  int action = 0;
  Bounds value;
  double current = 0;
  double cashed = 0;
  double delay = 0;  // how late it earns its value, as far as that is known: decides among equals
  /// Environments that do alike under the action, one group of names each; a single group: it tells nothing
  /// apart. Empty if there are infinitely many.
  std::vector<std::vector<std::string>> tells_apart;
  double guessed = 1;         // how often the right group is the likeliest, once the action is done
  double guessed_before = 1;  // and how often without it
  bool shows = false;         // can it change the belief at all?

  /// What finding out adds, now and later; at least, if the value is not known exactly.
  [[nodiscard]] double future() const { return value.lower - current; }
};

struct Explanation {
  std::string state, belief;
  int remaining = 0;
  int decimals = 6;                  // of the values that may be certain, given their size
  bool exact = false;                // do the bounds of every action agree in all `decimals`?
  bool certified = true;             // are they bounds for certain, or up to sampling?
  bool plans_exact = true;           // do `current` and `cashed` belong to best plans? If not, `current` and
                                     // `current + cashed` are at least what they say
  std::vector<ActionWorth> actions;  // allowed ones, the best first
  std::string words;
};

struct ExplainOptions {
  double seconds = 5;  // for everything
  Stop stop = {};      // a request to stop and a memory limit; throws Stopped
  std::uint64_t max_states = 1'000'000;
  std::uint64_t seed = 0;
  int samples = 400;  // environments, where they must be drawn
  int threads = 0;
};

Explanation explain(const Problem& problem, const Situation& situation, const ExplainOptions& options);

}  // namespace assay
