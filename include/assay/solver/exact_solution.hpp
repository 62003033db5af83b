// A solved problem: the value of every belief state that can be reached, and the optimal policy.
//
// A belief state is (x, b): about to arrive at x, believing b. It is stored as a key, so that the solution
// needs no types: what an action is worth at a belief follows from what the belief predicts and from the
// stored values of the belief states that come after.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "assay/core/policy.hpp"
#include "assay/solver/detail/exact_options.hpp"

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
  std::vector<double> numbers;  // the belief as numbers: Belief::features
};

namespace detail {
struct ExactLayers;
struct ExactLayer;

/// What is still to come, and how late it comes: the delay of first_best (solver/mdp.hpp).
struct Worth {
  double value = 0, delay = 0;
};
}  // namespace detail

class ExactSolution {
 public:
  ExactSolution(std::unique_ptr<const Belief> prior, detail::ExactLayers layers, TailBounds tail = {});

  /// Bounds of v*(x_0, b_0), averaged over the starts. They are equal unless the problem is endless: then
  /// the lower one is the value() of the policy, and they differ by what is not known of the steps after the
  /// cut.
  [[nodiscard]] Bounds bounds() const;

  /// v*(x_0, b_0), averaged over the starts: the Bayes-optimal value.
  [[nodiscard]] double value() const;
  /// v*_h(x,b): about to arrive at x with belief b and `remaining` steps to go. Throws UsageError if no
  /// episode comes to that.
  [[nodiscard]] double value(int state, const Belief& belief, int remaining) const;
  /// Belief states in all.
  [[nodiscard]] std::uint64_t states() const;

  /// The best action in a situation after the arrival, ties by first_best.
  [[nodiscard]] int best_action(int state, const Belief& belief, int remaining) const;
  [[nodiscard]] int best_action(const Situation& situation) const {
    return best_action(situation.state(), situation.belief(), situation.remaining());
  }
  /// Bounds of the value of each action after the arrival, -infinity where it is not allowed.
  [[nodiscard]] std::vector<Bounds> action_bounds(int state, const Belief& belief, int remaining) const;
  /// The value of each action after the arrival, -infinity where it is not allowed.
  [[nodiscard]] std::vector<double> action_values(int state, const Belief& belief, int remaining) const {
    return choices(state, belief, remaining).values;
  }
  /// How late each of those values is earned: what decides among equal ones.
  [[nodiscard]] std::vector<double> action_delays(int state, const Belief& belief, int remaining) const {
    return choices(state, belief, remaining).delays;
  }

  /// Visits every belief state that can be reached in `step` steps.
  void for_each_state(int step, const std::function<void(int, const Belief&, double)>& visit) const;
  /// The beliefs in the order in which they can first be met, at most `most` of them.
  [[nodiscard]] BeliefPolicies policy(std::size_t most) const;
  /// All decisions that can be met, step by step, each once. Holds no more than the beliefs of one step:
  /// there may be more than fit in memory as a list.
  void for_each_choice(const std::function<void(const ExactChoice&)>& visit) const;

 private:
  struct Choices {
    std::vector<double> values, uppers, delays;  // [action]
  };
  struct Found {
    detail::Worth worth;
    double upper = 0;
  };
  struct Decision {
    int state = 0;
    std::unique_ptr<Belief> belief;
  };

  [[nodiscard]] const Outline& outline() const { return prior_->outline(); }
  [[nodiscard]] bool keeps_state() const { return outline().states > 1; }
  [[nodiscard]] const detail::ExactLayer& layer_of(int remaining) const;
  [[nodiscard]] Found find(int state, const Belief& belief, int remaining) const;
  [[nodiscard]] Choices choices(int state, const Belief& belief, int remaining) const;
  [[nodiscard]] std::vector<Decision> decisions_at(int step) const;
  void note_choice(BeliefPolicy& policy, const Decision& decision, int step) const;

  std::unique_ptr<const Belief> prior_;
  std::shared_ptr<const detail::ExactLayers> solved_;
  TailBounds tail_;
};

}  // namespace assay
