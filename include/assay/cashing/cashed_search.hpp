// An anytime search among beliefs, between two bounds.
//
// A node is (steps done, state, belief), arrived. Without search it is known from two sides: what can be
// collected with what is known there, and what it would be worth to be told everything. What further
// information will be worth lies in between,
//
//   value = lower + between * (upper - lower),
//
// until the node is expanded; then all three follow from the nodes after it by
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

namespace assay {

struct CashedSearchSettings {
  double between = 0.5;
  double exploration = 1;
};

/// An action at a node, from the node on.
struct SearchedAction {
  int action = 0;
  std::uint64_t visits = 0;
  double lower = 0, upper = 0, value = 0;
};

class CashedSearch {
 public:
  CashedSearch(BeliefModel& model, const CashedSearchSettings& settings)
      : model_(&model), settings_(settings) {}

  /// Makes what an agent in this world knows the root.
  void begin(const World& world, Rng rng);
  /// One walk, and one node more that is expanded. False if there was nothing left to find out.
  bool walk();
  /// Is the best action known to be the best?
  [[nodiscard]] bool certain() const;

  [[nodiscard]] std::uint64_t walks() const { return walks_; }
  [[nodiscard]] std::size_t nodes() const { return nodes_.size(); }
  [[nodiscard]] std::vector<SearchedAction> root_actions() const;
  [[nodiscard]] ValueBounds root_bounds() const { return {nodes_[0].lower, nodes_[0].upper}; }

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
  };
  struct Choice {
    double reward;  // expected, of everything that is sure to come: arrivals and the unlisted ends too
    double rest_lower, rest_upper;
    double lower = 0, upper = 0, value = 0;
    std::uint32_t first_branch, branches;
    std::uint32_t visits = 0;
    int action;
  };

  NodeId node_at(int depth, const Possible& end);
  void expand(NodeId node, int depth);
  void value_choice(Choice& choice) const;
  void back_up(Node& node) const;
  [[nodiscard]] std::uint32_t select(const Node& node) const;
  [[nodiscard]] NodeId follow(const Choice& choice) const;
  void grow_slots();

  BeliefModel* model_;
  CashedSearchSettings settings_;
  int remaining_ = 0;
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
