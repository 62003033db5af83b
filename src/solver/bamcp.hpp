// Bayes-Adaptive Monte-Carlo Planning (Guez, Silver and Dayan 2012, 2013): upper confidence search in a tree
// of beliefs, each simulation through an environment of its own that is drawn from the belief at the root.
//
// A simulation descends by UCB1 to the first belief state that was not met before, adds that one to the tree,
// and goes on by an epsilon-greedy policy in state-action values Q(x,a) that are learned from the steps that
// the agent really took. The return is averaged into every action on the way down. The defaults are those of
// the authors' program. What differs from it:
//   - The exploration constant is in units of the range of the returns seen so far from that depth on, so
//   that
//     the same constant does for a bandit of 20 pulls and for a goal that pays 1 once. The program's constant
//     is 3, whatever is paid; 0.4 of the range is that much in the double loop.
//   - A node is added to the tree, and its first action chosen by the rollout policy, as the paper has it.
//   The
//     program adds it when the action before it is tried for the second time, and takes any action there.
//   - Histories after one action that are the same to the belief (SimulatedStep::evidence) are one node.
//   - Several trees can be summed at the root (`trees`): independent searches for several threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "assay/core/detail/search_view.hpp"
#include "assay/core/environment.hpp"
#include "assay/core/rng.hpp"
#include "assay/core/situation.hpp"
#include "assay/core/stop.hpp"

namespace assay {

/// The actions of every state, in rising order. A choice is a pair (state, action), numbered throughout.
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
  double epsilon = 0.5;      // how often rollouts act at random
  double rate = 0.2;         // at which Q is learned
  double precision = 0.01;   // deeper than where the discount comes to less, nothing is simulated
  int trees = 1;
};

/// For one decision, over all trees.
struct BamcpBudget {
  std::uint64_t simulations = 1000;
  double seconds = 0;  // if positive, counts instead of the simulations
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
  /// Another that has learned nothing yet.
  [[nodiscard]] std::unique_ptr<Bamcp> fresh() const;

  /// Learns Q from a step that the agent has taken and that led to `next`.
  void learn(const LastStep& step, int next);
  /// Forgets Q, which is kept from run to run otherwise.
  void forget();
  /// Searches anew for an agent that has arrived and must choose. The result depends on the situation, `rng`,
  /// the number of simulations and Q, and not on `threads` (0: all cores); with a budget of seconds it also
  /// depends on the machine.
  void run(const Situation& situation, const Rng& rng, const BamcpBudget& budget,
           const Resources& resources = 1);

  // Of the last run.
  /// By the largest mean return; of equals any, by the random numbers of the run.
  [[nodiscard]] int best_action() const;
  /// The choices of the root and of up to `levels - 1` nodes after it, over all trees, with at most `most`
  /// successors of every choice but the last. Values are mean returns; what was observed on the way is not
  /// kept.
  [[nodiscard]] std::vector<ViewedAction> view(int levels, std::size_t most) const;
  [[nodiscard]] std::uint64_t simulations() const;
  [[nodiscard]] std::uint64_t steps() const;  // simulated, in the tree or not
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
