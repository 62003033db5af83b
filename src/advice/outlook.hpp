// The successors of each action in a situation, and the value of going on with what is known.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "assay/advice/explanation.hpp"
#include "assay/core/bounds.hpp"

namespace assay::advice {

/// A belief state that an action, with the arrival after it, may lead to.
struct Successor {
  double probability = 1;
  int next = 0;
  double reward = 0;   // of the action
  double arrival = 0;  // of the arrival
  std::unique_ptr<Belief> after;
};

/// All of them, or draws if there are too many to list.
std::vector<Successor> successors(const Situation& situation, int action, const ExplainOptions& options,
                                  int samples);

/// What is collected from the successors of an action on, not discounted.
struct GoingOn {
  double kept = 0;     // with one plan, made before the action is done
  double changed = 0;  // with the plan that is best in each successor
  bool exact = true;   // are both those of the best plans? If not, better ones may exist.
};

/// What one can collect with what is known: V of explanation.hpp.
class Outlook {
 public:
  virtual ~Outlook() = default;
  /// About to arrive at `state`: the best plan that ignores what will be seen.
  [[nodiscard]] virtual Bounds value(int state, const Belief& known) = 0;
  [[nodiscard]] virtual GoingOn go_on(const Belief& now, std::span<const Successor> successors) = 0;
};

/// With `remaining` steps to go, for beliefs that `now` can become. Throws UsageError where there is no such
/// number: infinitely many environments that move differently.
std::unique_ptr<Outlook> outlook(const Belief& now, int remaining, const Stop& stop = {});

/// The full-information value E[v^e] in every state, about to arrive there. Drawn.
std::vector<double> told_values(const Belief& now, int remaining, const ExplainOptions& options,
                                const Stop& stop);

}  // namespace assay::advice
