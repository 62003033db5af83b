// An anytime search among beliefs, between two bounds.
//
// A node is (steps done, state, belief), arrived. Without search it is known from two sides: what can be
// collected with what is known there, and what it would be worth to be told everything. What further
// information will be worth lies in between,
//
//   value = lower + between * (upper - lower),
//
// or is what somebody learned, until the node is expanded; then all three follow from the nodes after it by
//
//   v(x,b) = max_a E[ r + gamma v(x',b') ].
//
// A walk goes from the root to a node that is not expanded yet: by the action whose value is best, with a
// bonus for those that were seldom tried and whose bounds are far apart, and to the end that has the largest
// share of the gap for the number of times it was gone to. Nothing is drawn on the way, so that values have
// no noise but that of the environments which the model drew. The search is over when no other action's upper
// bound exceeds the lower bound of the best.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assay/cashing/belief_model.hpp"
#include "assay/core/search_view.hpp"

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

  /// Makes what an agent in this world knows the root.
  void begin(const World& world, Rng rng);
  /// One walk, which expands one node more, if there is one left.
  void walk();
  /// Would more walks be in vain, because the best action is certain or there is no more room?
  [[nodiscard]] bool over() const { return nodes_.size() >= settings_.most_nodes || certain(); }
  /// Is the best action known to be the best? Where environments were drawn: by three standard errors.
  [[nodiscard]] bool certain() const;

  /// Actions whose values differ by no more than this are equally good.
  [[nodiscard]] double resolution() const { return model_->resolution(); }

  [[nodiscard]] std::uint64_t walks() const { return walks_; }
  [[nodiscard]] std::size_t nodes() const { return nodes_.size(); }
  /// Of the root, [choice].
  [[nodiscard]] std::vector<ViewedAction> root_actions() const { return actions_of(nodes_[0], 1, 0); }
  [[nodiscard]] RootBounds root_bounds() const;
  [[nodiscard]] SearchView view(int levels, std::size_t ends) const;

 private:
  using NodeId = std::uint32_t;
  static constexpr NodeId kNone = 0xffffffffU;

  struct Node {
    double lower, upper, value;
    std::uint32_t belief;
    int state;
    std::uint32_t visits = 0;
    std::uint32_t first_choice = kNone, choices = 0;  // not expanded
    std::uint64_t evidence = 0;
  };
  struct Branch {
    double probability;
    NodeId node;
    Outcome acted, arrived;
  };
  struct Choice {
    double reward;  // expected, that of the arrival included
    double lower = 0, upper = 0, value = 0;
    std::uint32_t first_branch, branches;
    std::uint32_t visits = 0;
    int action;
  };

  NodeId node_at(int depth, const Possible& end);
  [[nodiscard]] double unexpanded_value(const Node& node, int remaining) const;
  [[nodiscard]] std::vector<ViewedAction> actions_of(const Node& node, int levels, std::size_t ends) const;
  [[nodiscard]] std::vector<ViewedEnd> ends_of(const Choice& choice, int levels, std::size_t ends) const;
  void expand(NodeId node, int depth);
  void value_choice(Choice& choice) const;
  void back_up(Node& node) const;
  [[nodiscard]] std::uint32_t select(const Node& node) const;
  [[nodiscard]] NodeId follow(const Choice& choice) const;
  void grow_slots();
  [[nodiscard]] bool certifies() const { return model_->lower_holds() && model_->all_listed(); }

  BeliefModel* model_;
  CashedSearchSettings settings_;
  int remaining_ = 0;
  std::uint64_t learned_seed_ = 0;  // of this decision: what is drawn must not favour the same for ever
  double margin_ = 0;               // that bounds must be apart by
  std::uint64_t walks_ = 0;
  std::vector<Node> nodes_;
  std::vector<Choice> choices_;
  std::vector<Branch> branches_;
  std::vector<std::uint64_t> slot_keys_;
  std::vector<NodeId> slot_nodes_;
  struct Taken {
    NodeId node;
    std::uint32_t choice;
  };
  std::vector<Taken> path_;
  std::vector<Prospect> prospects_;
};

}  // namespace assay
