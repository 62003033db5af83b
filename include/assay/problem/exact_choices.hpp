// All decisions of an optimal policy, one after the other: there may be more than fit in memory as a list.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace assay {

/// What to do at a step, in a state, with a belief.
struct ExactChoice {
  int step = 0;
  int state = 0;
  int action = 0;
  double value = 0;             // of the action, from there on
  std::string belief;           // as text
  std::vector<double> numbers;  // the belief as numbers: World::features
};

/// What the results of Problem::exact are, too.
class ExactChoices {
 public:
  virtual ~ExactChoices() = default;
  /// Those that can be met, step by step, each once. Holds no more than the beliefs of one step.
  virtual void for_each_choice(const std::function<void(const ExactChoice&)>& visit) const = 0;
};

}  // namespace assay
