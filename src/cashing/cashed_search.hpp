// An anytime search among beliefs, between two bounds.
//
// A node is (steps done, state, belief), arrived. Without search it has a lower bound, the value of present
// information, and an upper one, the full-information value E[v^e]. Its own value lies in between,
//
//   value = lower + between * (upper - lower),
//
// or is what a network has learned, until the node is expanded; then all three are backed up from its
// successors:
//
//   v(x,b) = max_a E[ r + gamma v(x',b') ].
//
// A simulation goes from the root to a node that is not expanded yet. It takes the action whose value is
// best, with a bonus for those that were seldom tried and whose bounds are far apart, and then the successor
// that has the largest share of the gap for the number of its visits. Nothing is drawn on the way, so that
// values have no noise but that of the environments which the model drew. The search is over when no other
// action's upper bound exceeds the lower bound of the best.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/core/detail/search_view.hpp"
#include "cashing/belief_model.hpp"
#include "solver/belief_tree.hpp"

namespace assay {

struct CashedSearchSettings {
  double between = 0.3;
  double exploration = 1;
  LearnedValue learned = {};         // of nodes that are not expanded, in place of `between`
  std::size_t most_nodes = 300'000;  // a search that has grown to this is over
};

class CashedSearch {
 public:
  CashedSearch(BeliefModel& model, const CashedSearchSettings& settings)
      : model_(&model), settings_(settings) {}

  /// Makes this situation the root.
  void begin(const Situation& situation, Rng rng);
  /// Expands one node more, if there is one left that could change a value.
  void simulate();
  /// Would more simulations be in vain, because the best action is certain or there is no more room?
  [[nodiscard]] bool over() const { return tree_.size() >= settings_.most_nodes || certain(); }
  /// Is the best action known to be the best? Where environments were drawn: by three standard errors.
  [[nodiscard]] bool certain() const;

  /// Actions whose values differ by no more than this are equally good.
  [[nodiscard]] double resolution() const { return model_->resolution(); }

  [[nodiscard]] std::uint64_t simulations() const { return simulations_; }
  [[nodiscard]] std::size_t nodes() const { return tree_.size(); }
  /// Of the root, [choice].
  [[nodiscard]] std::vector<ViewedAction> root_actions() const { return choices_at(0); }
  [[nodiscard]] EstimatedBounds root_bounds() const;
  [[nodiscard]] SearchView view(int levels, std::size_t successors) const;

 private:
  using NodeId = detail::NodeId;
  static constexpr NodeId kNone = 0xffffffffU;

  struct Node {
    Bounds bounds;
    double value;
    std::uint32_t belief;
    int state;
    std::uint32_t visits;
    detail::PoolRange choices;
    std::uint64_t evidence;
  };
  struct Branch {
    double probability;
    NodeId node;
    Outcome acted, arrived;
  };
  struct Choice {
    double reward;  // expected, that of the arrival included
    Bounds bounds;
    double value;
    detail::PoolRange branches;
    std::uint32_t visits;
    int action;
  };
  struct Taken {
    NodeId node;
    detail::ChoiceId choice;
  };

  NodeId node_at(int depth, const BeliefModel::Successor& successor);
  [[nodiscard]] double unexpanded_value(const Node& node, int remaining) const;
  void expand(NodeId node, int depth);
  void back_up(Choice& choice) const;
  void back_up(Node& node) const;
  [[nodiscard]] detail::ChoiceId select(const Node& node) const;
  [[nodiscard]] NodeId follow(const Choice& choice) const;
  [[nodiscard]] std::vector<ViewedAction> choices_at(NodeId id) const;
  [[nodiscard]] detail::SeenSuccessors<NodeId> successors_of(NodeId id, std::size_t i) const;
  [[nodiscard]] bool certifies() const { return model_->lower_holds() && model_->all_listed(); }

  BeliefModel* model_;
  CashedSearchSettings settings_;
  int remaining_ = 0;
  std::uint64_t learned_seed_ = 0;  // of this decision: what is drawn must not favour the same for ever
  double margin_ = 0;               // that bounds must be apart by
  std::uint64_t simulations_ = 0;
  detail::BeliefTree<Node, Choice, Branch> tree_;
  detail::NodeTable table_;
  std::vector<Taken> path_;
  // What `expand` works in.
  std::vector<BeliefModel::Choice> ahead_;
  std::vector<Branch> new_branches_;
};

}  // namespace assay
