// A learner: training as a sequence of epochs, so that it can be watched, stopped at any moment and resumed.
#pragma once

#include <string>
#include <string_view>

namespace assay {

/// The learning curve's point.
struct EpochReport {
  double mean_return = 0;  // undiscounted
  double loss = 0;
};

class Learner {
 public:
  virtual ~Learner() = default;
  /// How many epochs there are in all, and how many are over.
  [[nodiscard]] virtual int epochs() const = 0;
  [[nodiscard]] virtual int done() const = 0;
  virtual EpochReport advance() = 0;
  /// About how long an epoch takes on one core: long runs are begun first, and forecasts are made of it.
  [[nodiscard]] virtual double seconds_per_epoch() const = 0;
  /// All that the coming epochs depend on: a restored learner goes on to the same bits.
  [[nodiscard]] virtual std::string save() const = 0;
  /// Throws CorruptError if the state is not one that such a learner saves.
  virtual void restore(std::string_view state) = 0;
  /// What Method::policy makes the policy from.
  [[nodiscard]] virtual std::string policy_state() const = 0;
};

}  // namespace assay
