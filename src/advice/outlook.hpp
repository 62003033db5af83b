// The successors of each action in a situation, and the value of going on with what is known.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "assay/advice/explanation.hpp"
#include "assay/core/detail/bounds.hpp"

namespace assay::advice {

/// A belief state that an action, with the arrival after it, may lead to.
struct Successor {
  double probability = 1;
  int next = 0;
  double reward = 0;   // that the action pays
  double arrival = 0;  // that the arrival pays
  std::unique_ptr<Belief> after;
};

/// All successors, or drawn ones if there are too many to list.
std::vector<Successor> successors(const Situation& situation, int action, const ExplainOptions& options,
                                  int samples);

/// What is collected after an action from its successors on, not discounted to the time of the action.
struct GoingOn {
  double kept = 0;     // with one plan, made before the action
  double changed = 0;  // with the plan that is best in each successor
  bool exact = true;   // do both values belong to best plans? If not, better plans may exist.
};

/// What can be collected without learning more: V of explanation.hpp.
class Outlook {
 public:
  virtual ~Outlook() = default;
  /// The value of the best plan that ignores what will be seen, for an agent about to arrive at `state`.
  [[nodiscard]] virtual Bounds value(int state, const Belief& known) = 0;
  [[nodiscard]] virtual GoingOn go_on(const Belief& now, std::span<const Successor> successors) = 0;
};

/// With `remaining` steps to go (without an end if the problem has none; plans of environments that move
/// differently then have so many steps, and their bounds include what may follow), for every belief that
/// `now` can become. Throws UsageError if the value
/// cannot be computed, because infinitely many environments move differently.
std::unique_ptr<Outlook> outlook(const Belief& now, int remaining, const Stop& stop = {});

/// The full-information value E[v^e] in every state, for an agent about to arrive there, estimated from
/// draws.
std::vector<double> full_information_values(const Belief& now, int remaining, const ExplainOptions& options,
                                            const Stop& stop);

}  // namespace assay::advice
