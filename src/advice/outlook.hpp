// What happens after each action of a situation, and what it is worth to go on with what is known.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "assay/advice/explanation.hpp"
#include "assay/solver/bounds.hpp"

namespace assay::advice {

/// One way in which an action can end, the arrival at the next state included.
struct Ending {
  double probability = 1;
  int next = 0;
  double reward = 0;   // of the action
  double arrival = 0;  // of the arrival
  std::unique_ptr<Knowledge> after;
};

/// Everything that can happen, or draws of it if that is too much to list.
std::vector<Ending> endings(const Situation& situation, int action, const ExplainOptions& options,
                            int samples);

/// What is collected from the endings of an action on, not discounted.
struct GoingOn {
  double kept = 0;     // with one plan, made before the action is done
  double changed = 0;  // with the plan that is best after what each ending shows
  bool exact = true;   // are both those of the best plans? If not, better ones may exist.
};

/// What one can collect with what is known: V of explanation.hpp.
class Outlook {
 public:
  virtual ~Outlook() = default;
  /// About to arrive at `state`: the best plan that ignores what will be seen.
  [[nodiscard]] virtual Bounds value(int state, const Knowledge& known) = 0;
  [[nodiscard]] virtual GoingOn go_on(const Knowledge& now, std::span<const Ending> endings) = 0;
};

/// With `remaining` steps to go, for beliefs that `now` can become. Throws UsageError where there is no such
/// number: infinitely many environments that move differently.
std::unique_ptr<Outlook> outlook(const Knowledge& now, int remaining, const Stop& stop = {});

/// E[v^e] in every state, about to arrive there: told which environment it is. Drawn.
std::vector<double> told_values(const Knowledge& now, int remaining, const ExplainOptions& options,
                                const Stop& stop);

}  // namespace assay::advice
