// What happens after each action of a situation, and what it is worth to go on with what is known.
#pragma once

#include <memory>
#include <vector>

#include "assay/advice/explanation.hpp"

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
std::vector<Ending> endings(const Situation& situation, int action, const ExplainOptions& options);

/// What one can collect with what is known: V of explanation.hpp.
class Outlook {
 public:
  virtual ~Outlook() = default;
  /// About to arrive at `state` in a world that is as `truth` says, with plans made from `known`.
  [[nodiscard]] virtual double value(int state, const Knowledge& truth, const Knowledge& known) = 0;
};

/// With `remaining` steps to go. Throws UsageError where there is no such number: infinitely many
/// environments that move differently.
std::unique_ptr<Outlook> outlook(const Knowledge& now, int remaining);

/// E[v^e] in every state, about to arrive there: told which environment it is. Drawn.
std::vector<double> told_values(const Knowledge& now, int remaining, const ExplainOptions& options);

}  // namespace assay::advice
