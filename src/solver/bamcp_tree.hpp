// One tree of BAMCP (assay/solver/bamcp.hpp), which is reused from search to search.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/core/detail/portable_math.hpp"
#include "assay/core/rng.hpp"
#include "solver/bamcp.hpp"
#include "solver/belief_tree.hpp"
#include "solver/rollout_values.hpp"

namespace assay::detail {

/// The functions of a number of visits that UCB1 needs, looked up for all but the largest numbers: a search
/// spends most of its time among nodes that were visited a few times.
class VisitTable {
 public:
  struct Entry {
    double inverse = 0;       // 1 / n
    double inverse_root = 0;  // 1 / sqrt n
    double root_log = 0;      // sqrt(log n)
  };
  VisitTable() {
    for (std::size_t n = 0; n < kCounts; ++n) entries_[n] = compute(static_cast<double>(n));
  }
  [[nodiscard]] Entry at(std::uint32_t visits) const {
    return visits < kCounts ? entries_[visits] : compute(static_cast<double>(visits));
  }

 private:
  static constexpr std::size_t kCounts = 4096;
  static Entry compute(double n) {
    if (n < 1) return {};
    return {1 / n, 1 / std::sqrt(n), std::sqrt(portable::log(n))};
  }
  std::array<Entry, kCounts> entries_;
};

/// Aligned, so that trees that several threads search share no cache line.
class alignas(64) BamcpTree {
 public:
  struct Node {
    int state = 0;
    std::uint32_t visits = 0;
    PoolRange choices;           // one for every allowed action, in their order
    std::uint64_t evidence = 0;  // of the step that led here
    NodeId sibling = 0;          // another successor of the same choice; 0 if there is none
  };
  struct Choice {
    double total = 0;  // the sum of the returns
    std::uint32_t visits = 0;
    NodeId successor = 0;   // the first one, 0 if there is none; the table has the others
    std::uint64_t key = 0;  // of the first successor
  };
  using Tree = BeliefTree<Node, Choice>;

  BamcpTree(std::unique_ptr<Environment> environment, std::shared_ptr<const AllowedActions> allowed,
            std::shared_ptr<const RolloutValues> rollouts, const BamcpSettings& settings)
      : environment_(std::move(environment)),
        allowed_(std::move(allowed)),
        rollouts_(std::move(rollouts)),
        settings_(settings) {}

  [[nodiscard]] const Environment& environment() const { return *environment_; }
  [[nodiscard]] const Tree& tree() const { return tree_; }
  [[nodiscard]] std::uint64_t simulations() const { return simulations_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

  /// Makes the situation's state and belief the root and forgets everything else.
  void begin(const Situation& situation) {
    environment_->draw_from(situation.belief());
    remaining_ = situation.remaining();
    depth_ = 0;
    for (double weight = 1; depth_ < remaining_ && weight >= settings_.precision;
         weight *= settings_.discount) {
      ++depth_;
    }
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    ranges_.assign(static_cast<std::size_t>(depth_), {kInfinity, -kInfinity});
    path_.resize(static_cast<std::size_t>(depth_));
    tree_.clear();
    table_.clear();
    simulations_ = steps_ = 0;
    add_node({.next = situation.state()}, 0);
  }

  void simulate(const Rng& rng) {
    Rng luck = rng.split(0);
    environment_->draw(rng.split(1));
    ++simulations_;
    if (depth_ == 0) return;
    NodeId node = 0;
    for (int depth = 0;; ++depth) {
      const Node& here = tree_.node(node);
      const std::uint32_t first = allowed_->first(here.state);
      const bool met_first = here.visits == 0;
      const std::uint32_t action =
          met_first ? rollouts_->choice(here.state, luck) : first + select(here, depth, luck);
      const ChoiceId choice = here.choices.first + (action - first);
      const SimulatedStep step = take(here.state, action, depth);
      path_[static_cast<std::size_t>(depth)] = {node, choice,
                                                step.reward + settings_.discount * step.arrival};
      const bool deepest = depth + 1 == depth_;
      if (met_first || deepest) {
        const double beyond = deepest ? 0 : rollout(step.next, depth + 1, luck);
        return back_up(static_cast<std::size_t>(depth) + 1, beyond);
      }
      node = successor(choice, step);
    }
  }

 private:
  struct Taken {
    NodeId node = 0;
    ChoiceId choice = 0;
    double reward = 0;
  };
  struct Range {
    double low = 0, high = 0;
  };

  SimulatedStep take(int state, std::uint32_t action, int depth) {
    ++steps_;
    return environment_->step(state, allowed_->action(action), depth + 1 == remaining_);
  }

  /// UCB1 (Auer et al. 2002) tries every action once before any of them again, and takes any of equally good
  /// actions. Returns the number of the action among the allowed ones.
  [[nodiscard]] std::uint32_t select(const Node& node, int depth, Rng& luck) const {
    static const VisitTable table;
    const std::span<const Choice> choices = tree_.choices(node);
    const std::uint32_t count = node.choices.count;
    if (count == 1) return 0;
    std::uint32_t untried = 0;
    for (std::uint32_t i = 0; i < count; ++i) untried += choices[i].visits == 0 ? 1 : 0;
    if (untried > 0) {
      std::uint32_t skip = below(luck.next64(), untried);
      for (std::uint32_t i = 0;; ++i) {
        if (choices[i].visits == 0 && skip-- == 0) return i;
      }
    }
    const Range& range = ranges_[static_cast<std::size_t>(depth)];
    // As long as no returns have differed, actions are tried in turn.
    const double unit = range.high > range.low ? range.high - range.low : 1;
    const double wide = settings_.exploration * unit * table.at(node.visits).root_log;
    std::uint32_t best = 0;
    std::uint32_t equals = 0;
    double highest = -std::numeric_limits<double>::infinity();
    for (std::uint32_t i = 0; i < count; ++i) {
      const VisitTable::Entry of = table.at(choices[i].visits);
      const double bound = choices[i].total * of.inverse + wide * of.inverse_root;
      if (bound < highest) continue;
      equals = bound > highest ? 1 : equals + 1;
      highest = bound;
      if (equals == 1 || below(luck.next64(), equals) == 0) best = i;
    }
    return best;
  }

  double rollout(int state, int depth, Rng& luck) {
    double value = 0;
    double weight = 1;
    for (; depth < depth_; ++depth) {
      const SimulatedStep step = take(state, rollouts_->choice(state, luck), depth);
      value += weight * (step.reward + settings_.discount * step.arrival);
      weight *= settings_.discount;
      state = step.next;
    }
    return value;
  }

  void back_up(std::size_t length, double value) {
    for (std::size_t depth = length; depth-- > 0;) {
      const Taken& taken = path_[depth];
      value = taken.reward + settings_.discount * value;
      ++tree_.node(taken.node).visits;
      Choice& choice = tree_.choice(taken.choice);
      ++choice.visits;
      choice.total += value;
      Range& range = ranges_[depth];
      range.low = std::min(range.low, value);
      range.high = std::max(range.high, value);
    }
  }

  /// The node after a step. Its key is never 0, because the lowest bit of a key is set.
  NodeId successor(ChoiceId choice, const SimulatedStep& step) {
    const auto next = static_cast<std::uint64_t>(static_cast<std::uint32_t>(step.next));
    const std::uint64_t key =
        spread(step.evidence + choice * 0x9e3779b97f4a7c15U + next * 0xd6e8feb86659fd93U) | 1U;
    Choice& taken = tree_.choice(choice);
    if (taken.key == key) return taken.successor;
    const auto fresh = static_cast<NodeId>(tree_.size());
    if (taken.key == 0) {
      taken.key = key;
      taken.successor = fresh;
      return add_node(step, 0);
    }
    const NodeId id = table_.insert(key, fresh);
    if (id != fresh) return id;
    const NodeId first = taken.successor;
    add_node(step, tree_.node(first).sibling);
    return tree_.node(first).sibling = id;
  }

  NodeId add_node(const SimulatedStep& step, NodeId sibling) {
    const NodeId id =
        tree_.add_node({.state = step.next, .choices = {}, .evidence = step.evidence, .sibling = sibling});
    tree_.add_choices(id, allowed_->count(step.next));
    return id;
  }

  std::unique_ptr<Environment> environment_;
  std::shared_ptr<const AllowedActions> allowed_;
  std::shared_ptr<const RolloutValues> rollouts_;
  BamcpSettings settings_;

  Tree tree_;
  NodeTable table_;
  std::vector<Taken> path_;    // [depth], of the present simulation
  std::vector<Range> ranges_;  // [depth]: of the returns from there on
  int remaining_ = 0;          // steps left in the episode
  int depth_ = 0;              // steps that are simulated: deeper ones count for less than the precision
  std::uint64_t simulations_ = 0;
  std::uint64_t steps_ = 0;
};

}  // namespace assay::detail
