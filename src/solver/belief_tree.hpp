// A tree of beliefs: what a search among belief states has examined so far.
//
//   node       a belief state: an agent has arrived somewhere, believes something, and must act
//   choice     an action at a node
//   successor  a belief state that an action, with the arrival after it, may lead to: a node again
//   branch     one successor of a choice, with its probability
//
// Nodes, choices and branches lie in one pool each and refer to one another by their numbers there. The
// choices of a node lie one after the other, and so do the branches of a choice, so that a backup reads
// memory in order. A tree that is cleared keeps its memory for the next search. Several branches may lead to
// one node, because the value of a belief state does not depend on how it was reached.
//
// The searches differ in what they keep in the three, which are the arguments of the template, and in how
// they select, expand and back up:
//   BoundSearch   lists all successors of a node when it expands it, and backs up a lower and an upper bound;
//   CashedSearch  does the same, and also backs up a value between the two;
//   BAMCP         draws one successor at a time and averages returns; it has no probabilities to keep, so it
//                 chains the successors of a choice to one another and has no branches.
//
// NodeTable finds the node of a belief state by a 64-bit key, and view_tree makes the tree that people see.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "assay/core/detail/search_view.hpp"

namespace assay::detail {

using NodeId = std::uint32_t;
using ChoiceId = std::uint32_t;

/// Consecutive elements of a pool.
struct PoolRange {
  std::uint32_t first = 0, count = 0;
};

/// In the place of a branch, where a search keeps none.
struct NoBranch {};

/// A Node has a PoolRange `choices`, a Choice a PoolRange `branches`.
template <class Node, class Choice, class Branch = NoBranch>
class BeliefTree {
 public:
  void clear() {
    nodes_.clear();
    choices_.clear();
    branches_.clear();
  }

  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] Node& node(NodeId id) { return nodes_[id]; }
  [[nodiscard]] const Node& node(NodeId id) const { return nodes_[id]; }
  [[nodiscard]] Choice& choice(ChoiceId id) { return choices_[id]; }
  [[nodiscard]] const Choice& choice(ChoiceId id) const { return choices_[id]; }
  [[nodiscard]] bool expanded(NodeId id) const { return nodes_[id].choices.count > 0; }
  [[nodiscard]] std::span<const Choice> choices(const Node& node) const {
    return {choices_.data() + node.choices.first, node.choices.count};
  }
  [[nodiscard]] std::span<const Branch> branches(const Choice& choice) const {
    return {branches_.data() + choice.branches.first, choice.branches.count};
  }

  /// Adds a node without choices, which gets the number size().
  NodeId add_node(const Node& node) {
    nodes_.push_back(node);
    return static_cast<NodeId>(nodes_.size() - 1);
  }
  /// Adds all choices of a node at once. None of them has been tried.
  void add_choices(NodeId node, std::uint32_t count) {
    nodes_[node].choices = {static_cast<std::uint32_t>(choices_.size()), count};
    choices_.resize(choices_.size() + count);
  }
  /// Adds the next choice of a node with its branches, which are moved away. No choice of another node may
  /// be added in between.
  ChoiceId add_choice(NodeId node, const Choice& choice, std::vector<Branch>& branches) {
    const auto id = static_cast<ChoiceId>(choices_.size());
    if (nodes_[node].choices.count++ == 0) nodes_[node].choices.first = id;
    choices_.push_back(choice);
    choices_.back().branches = {static_cast<std::uint32_t>(branches_.size()),
                                static_cast<std::uint32_t>(branches.size())};
    for (Branch& branch : branches) branches_.push_back(std::move(branch));
    branches.clear();
    return id;
  }

  /// The memory in use, if a node takes this many bytes elsewhere as well.
  [[nodiscard]] std::size_t bytes(std::size_t elsewhere) const {
    return nodes_.capacity() * (sizeof(Node) + elsewhere) + choices_.capacity() * sizeof(Choice) +
           branches_.capacity() * sizeof(Branch);
  }

 private:
  std::vector<Node> nodes_;
  std::vector<Choice> choices_;
  std::vector<Branch> branches_;
};

/// Finds nodes by 64-bit keys, with open addressing and linear probing. Two belief states with the same key
/// are treated as one; among a million of them that happens once in 37 million searches if keys are as good
/// as random.
///
/// Every slot is stamped with the number of the search that filled it and counts as empty in all other
/// searches, so that clearing the table takes no time.
template <std::unsigned_integral SearchNumber>
class BasicNodeTable {
 public:
  void clear() {
    filled_ = 0;
    if (++search_ != 0) return;
    // When the numbers begin again, old stamps could be mistaken for new ones.
    std::ranges::fill(slots_, Slot{});
    search_ = 1;
  }

  /// The node of this key. If there is none, `fresh` becomes it.
  NodeId insert(std::uint64_t key, NodeId fresh) {
    Slot& slot = slots_[find(key)];
    if (slot.search == search_) return slot.node;
    slot = {key, fresh, search_};
    if (2 * ++filled_ > slots_.size()) grow();
    return fresh;
  }

  /// The table has at least twice as many slots as the largest search had nodes.
  [[nodiscard]] std::size_t slots() const { return slots_.size(); }

 private:
  static constexpr std::size_t kFewestSlots = 1024;
  struct Slot {
    std::uint64_t key = 0;
    NodeId node = 0;
    SearchNumber search = 0;
  };

  /// The slot of this key, or the empty slot where it belongs. The lowest bit of a key does not choose the
  /// slot, so that it may be the same in all keys.
  [[nodiscard]] std::size_t find(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>(key >> 1U) & mask;
    while (slots_[at].search == search_ && slots_[at].key != key) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.search == search_) slots_[find(slot.key)] = slot;
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(kFewestSlots);  // their number is a power of two
  SearchNumber search_ = 1;
  std::size_t filled_ = 0;
};
using NodeTable = BasicNodeTable<std::uint32_t>;

/// What people see of all successors of a choice, each with its place in the tree.
template <class Place>
using SeenSuccessors = std::vector<std::pair<ViewedSuccessor, Place>>;

/// The tree below a place as it is shown to people: `levels` levels of nodes, and at most `most` successors
/// of every choice, the most likely first. choices(place) returns the ViewedActions there, without
/// successors; successors(place, i, last) returns the SeenSuccessors of the i-th choice. `last` says that
/// nothing will be asked about their places.
template <class Place, class Choices, class Successors>
std::vector<ViewedAction> view_tree(const Place& place, int levels, std::size_t most, const Choices& choices,
                                    const Successors& successors) {
  std::vector<ViewedAction> all;
  if (levels == 0) return all;
  all = choices(place);
  for (std::size_t i = 0; i < all.size(); ++i) {
    SeenSuccessors<Place> seen = successors(place, i, levels == 1);
    std::ranges::stable_sort(seen, std::ranges::greater{}, [](const auto& s) { return s.first.probability; });
    const std::size_t shown = std::min(most, seen.size());
    all[i].more_successors = seen.size() - shown;
    for (std::size_t s = 0; s < shown; ++s) {
      seen[s].first.actions = view_tree(seen[s].second, levels - 1, most, choices, successors);
      all[i].successors.push_back(std::move(seen[s].first));
    }
  }
  return all;
}

}  // namespace assay::detail
