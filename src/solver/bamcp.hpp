// Bayes-Adaptive Monte-Carlo Planning (Guez, Silver and Dayan 2012, 2013): upper confidence search in a tree
// of beliefs. Each simulation uses an environment of its own, drawn from the belief at the root.
//
// A simulation descends by UCB1 to the first belief state that has no node, adds a node for it, and
// continues with an epsilon-greedy policy in state-action values Q(x,a), which are learned from the agent's
// real steps. The return is averaged into every action on the way down. The defaults are those of the
// authors' program, from which this implementation differs in the following:
//   - The exploration constant is in units of the range of the returns seen so far from that depth on. The
//     same constant then suits a bandit of 20 pulls and a goal that pays 1 once. The program's constant is 3,
//     whatever is paid; 0.4 of the range is as much in the double loop.
//   - A node is added to the tree, and its first action chosen by the rollout policy, as in the paper. The
//     program adds it when the action before it is tried for the second time, and takes any action there.
//   - Histories after one action that are the same to the belief (SimulatedStep::evidence) are one node.
//   - Several trees can be summed at the root (`trees`): independent searches for several threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/core/detail/search_view.hpp"
#include "assay/core/detail/stop.hpp"
#include "assay/core/policy.hpp"
#include "assay/core/rng.hpp"

namespace assay {

/// The actions of every state, in rising order. A choice is a pair (state, action); all choices are
/// numbered.
class AllowedActions {
 public:
  explicit AllowedActions(const Outline& outline);

  [[nodiscard]] std::uint32_t first(int state) const { return first_[static_cast<std::size_t>(state)]; }
  [[nodiscard]] std::uint32_t count(int state) const {
    return first_[static_cast<std::size_t>(state) + 1] - first(state);
  }
  [[nodiscard]] int action(std::uint32_t choice) const { return action_[choice]; }
  [[nodiscard]] std::size_t choices() const { return action_.size(); }
  [[nodiscard]] std::size_t states() const { return first_.size() - 1; }

 private:
  std::vector<std::uint32_t> first_;  // [state + 1]
  std::vector<int> action_;           // [choice]
};

struct BamcpSettings {
  double discount = 1;
  double exploration = 0.4;  // of UCB1, in units of the range of returns
  double epsilon = 0.5;      // the probability with which rollouts act at random
  double rate = 0.2;         // the learning rate of Q
  double precision = 0.01;   // depths where the discount is below this are not simulated
  int trees = 1;
};

/// The budget of one decision, over all trees.
struct BamcpBudget {
  std::uint64_t simulations = 1000;
  double seconds = 0;  // if positive, it replaces the number of simulations
};

namespace detail {
class BamcpTree;
class RolloutValues;
}  // namespace detail

class Bamcp {
 public:
  Bamcp(const Belief& prior, const BamcpSettings& settings);
  ~Bamcp();
  Bamcp(const Bamcp&) = delete;
  Bamcp& operator=(const Bamcp&) = delete;
  /// A new planner of the same kind, which has learned nothing yet.
  [[nodiscard]] std::unique_ptr<Bamcp> fresh() const;

  /// Learns Q from a step that the agent has taken and that led to `next`.
  void learn(const LastStep& step, int next);
  /// Forgets Q, which is otherwise kept from run to run.
  void forget();
  /// Searches anew for an agent that has arrived and must choose. The result depends on the situation,
  /// `rng`, the number of simulations and Q, and not on `threads` (0: all cores). With a budget of seconds
  /// it also depends on the machine.
  void run(const Situation& situation, const Rng& rng, const BamcpBudget& budget,
           const Resources& resources = 1);

  // The results of the last run:
  /// The action with the largest mean return. The random numbers of the run decide among equal ones.
  [[nodiscard]] int best_action() const;
  /// The choices of the root and of up to `levels - 1` nodes after it, over all trees, with at most `most`
  /// successors of every choice except the last. Values are mean returns. What was observed on the way is
  /// not kept.
  [[nodiscard]] std::vector<ViewedAction> view(int levels, std::size_t most) const;
  [[nodiscard]] std::uint64_t simulations() const;
  [[nodiscard]] std::uint64_t steps() const;  // simulated, in the tree or below it
  [[nodiscard]] std::uint64_t nodes() const;

 private:
  Bamcp(const Environment& environment, std::shared_ptr<const AllowedActions> allowed,
        const BamcpSettings& settings);

  std::shared_ptr<const AllowedActions> allowed_;
  BamcpSettings settings_;
  std::shared_ptr<detail::RolloutValues> rollouts_;
  Rng choosing_{0};
  std::vector<std::unique_ptr<detail::BamcpTree>> trees_;
};

}  // namespace assay
