// A solved problem: its value and its optimal policy.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "assay/core/world.hpp"

namespace assay {

/// What an agent in this belief should do, as far as belief and state can be reached together.
struct BeliefPolicy {
  struct Choice {
    int state = 0;
    int action = 0;
    int step = 0;      // the earliest step at which the state is met with this belief
    double value = 0;  // of the action, from there on
  };
  std::string belief;
  std::vector<Choice> choices;  // by state
};

struct BeliefPolicies {
  std::vector<BeliefPolicy> shown;
  std::size_t met = 0;    // beliefs met, shown or not
  bool complete = false;  // were all steps looked through?
};

/// What to do at a step, in a state, with a belief.
struct ExactChoice {
  int step = 0;
  int state = 0;
  int action = 0;
  double value = 0;             // of the action, from there on
  std::string belief;           // as text
  std::vector<double> numbers;  // the belief as numbers: World::features
};

class ExactResult {
 public:
  virtual ~ExactResult() = default;
  [[nodiscard]] virtual double bayes_optimal() const = 0;
  [[nodiscard]] virtual std::uint64_t states() const = 0;
  /// For a world of the same problem that has arrived and must choose.
  [[nodiscard]] virtual int best_action(const World& world) const = 0;
  [[nodiscard]] virtual std::vector<double> action_values(const World& world) const = 0;
  /// Of an agent that has arrived with this belief, as its key. Throws UsageError if it cannot come to that.
  [[nodiscard]] virtual std::vector<double> action_values(int state, std::span<const std::uint64_t> belief,
                                                          int remaining) const = 0;
  /// How late each of those values is earned: what decides among equal ones (first_best in solver/mdp.hpp).
  [[nodiscard]] virtual std::vector<double> action_delays(int state, std::span<const std::uint64_t> belief,
                                                          int remaining) const = 0;
  /// The beliefs in the order in which they can first be met, at most `most` of them.
  [[nodiscard]] virtual BeliefPolicies policy(std::size_t most) const = 0;
  /// All decisions that can be met, step by step, each once. Holds no more than the beliefs of one step:
  /// there may be more than fit in memory as a list.
  virtual void for_each_choice(const std::function<void(const ExactChoice&)>& visit) const = 0;
};

}  // namespace assay
