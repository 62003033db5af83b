// The tree that searches among beliefs share: its table of nodes, its pools, and the picture of it for
// people.
#include "solver/belief_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "assay/core/rng.hpp"

namespace assay::test {
namespace {

using detail::BeliefTree;
using detail::ChoiceId;
using detail::NodeId;
using detail::NodeTable;
using detail::PoolRange;

std::size_t draw_below(Rng& rng, std::size_t n) { return static_cast<std::size_t>(uniform_index(rng, n)); }

/// Compares every answer of a table with that of a map, in searches of very different sizes.
template <class Table>
void expect_like_a_map(Rng rng, int searches) {
  Table table;
  for (int search = 0; search < searches; ++search) {
    std::unordered_map<std::uint64_t, NodeId> map;
    const std::size_t insertions = draw_below(rng, std::size_t{1} << (1 + draw_below(rng, 13)));
    const std::size_t keys = 1 + draw_below(rng, 2 * insertions + 1);
    for (std::size_t i = 0; i < insertions; ++i) {
      std::uint64_t key = draw_below(rng, keys);
      // Neighbours, keys that begin at the same slot, and keys that are spread over all slots.
      if (key % 3 == 1) key <<= 40U;
      if (key % 3 == 2) key *= 0x9e3779b97f4a7c15U;
      const auto fresh = static_cast<NodeId>(map.size());
      const NodeId expected = map.try_emplace(key, fresh).first->second;
      ASSERT_EQ(table.insert(key, fresh), expected) << "search " << search << ", key " << key;
    }
    table.clear();
  }
}

TEST(NodeTable, AnswersLikeAMapHoweverOftenItIsCleared) { expect_like_a_map<NodeTable>(Rng(1), 400); }

TEST(NodeTable, NumbersOfSearchesMayBeginAgain) {
  expect_like_a_map<detail::BasicNodeTable<std::uint8_t>>(Rng(2), 1000);
}

TEST(NodeTable, IsAsLargeAsTheLargestSearchNeeds) {
  NodeTable table;
  const std::size_t fewest = table.slots();
  for (int search = 0; search < 100; ++search, table.clear()) {
    for (std::uint64_t key = 0; key < fewest / 2; ++key) table.insert(key, 0);
    EXPECT_EQ(table.slots(), fewest);
  }
  for (std::uint64_t key = 0; key <= fewest / 2; ++key) table.insert(key, 0);
  EXPECT_EQ(table.slots(), 2 * fewest);
}

TEST(NodeTable, ZeroIsAKeyLikeAllOthers) {
  NodeTable table;
  EXPECT_EQ(table.insert(0, 5), 5U);
  EXPECT_EQ(table.insert(0, 6), 5U);
  table.clear();
  EXPECT_EQ(table.insert(0, 6), 6U);
}

struct TestNode {
  int name = 0;
  PoolRange choices;
};
struct TestBranch {
  double probability = 0;
  NodeId node = 0;
  std::string seen;  // that is moved, not copied
};
struct TestChoice {
  int name = 0;
  PoolRange branches;
};
using TestTree = BeliefTree<TestNode, TestChoice, TestBranch>;

/// The same tree as vectors of vectors.
struct PlainChoice {
  int name = 0;
  std::vector<TestBranch> branches;
};
struct ReferenceNode {
  int name = 0;
  std::vector<PlainChoice> choices;
};

void expect_same(const TestTree& tree, const std::vector<ReferenceNode>& plain) {
  ASSERT_EQ(tree.size(), plain.size());
  for (NodeId id = 0; id < plain.size(); ++id) {
    EXPECT_EQ(tree.node(id).name, plain[id].name);
    EXPECT_EQ(tree.expanded(id), !plain[id].choices.empty());
    const auto choices = tree.choices(tree.node(id));
    ASSERT_EQ(choices.size(), plain[id].choices.size());
    for (std::size_t c = 0; c < choices.size(); ++c) {
      EXPECT_EQ(choices[c].name, plain[id].choices[c].name);
      const auto branches = tree.branches(choices[c]);
      const std::vector<TestBranch>& expected = plain[id].choices[c].branches;
      ASSERT_EQ(branches.size(), expected.size());
      for (std::size_t b = 0; b < branches.size(); ++b) {
        EXPECT_EQ(branches[b].probability, expected[b].probability);
        EXPECT_EQ(branches[b].node, expected[b].node);
        EXPECT_EQ(branches[b].seen, expected[b].seen);
      }
    }
  }
}

/// Expands a node, with new nodes and old ones as successors, in both.
void expand(TestTree& tree, std::vector<ReferenceNode>& plain, NodeId id, Rng& rng) {
  const std::size_t choices = 1 + draw_below(rng, 4);
  for (std::size_t c = 0; c < choices; ++c) {
    const int name = static_cast<int>(draw_below(rng, 1000));
    std::vector<TestBranch> branches;
    for (std::size_t b = draw_below(rng, 4) + (c == 0 ? 1 : 0); b-- > 0;) {
      auto to = static_cast<NodeId>(draw_below(rng, plain.size()));
      if (c == 0 || draw_below(rng, 3) > 0) {
        plain.push_back({static_cast<int>(plain.size()), {}});
        to = tree.add_node({static_cast<int>(tree.size()), {}});
        EXPECT_EQ(to + 1, plain.size());
      }
      branches.push_back({uniform(rng), to, std::string(30, static_cast<char>('a' + b))});
    }
    plain[id].choices.push_back({name, branches});
    const char* const letters = branches.empty() ? nullptr : branches.front().seen.data();
    const ChoiceId added = tree.add_choice(id, {name, {}}, branches);
    EXPECT_TRUE(branches.empty());
    EXPECT_EQ(tree.choice(added).name, name);
    if (letters == nullptr) continue;
    EXPECT_EQ(tree.branches(tree.choice(added)).front().seen.data(), letters) << "moved, not copied";
  }
}

TEST(BeliefTree, KeepsNodesChoicesAndBranches) {
  TestTree tree;
  for (std::uint64_t search = 0; search < 20; ++search) {
    Rng rng(3, search);
    tree.clear();
    std::vector<ReferenceNode> plain = {{0, {}}};
    EXPECT_EQ(tree.add_node({0, {}}), 0U);
    for (int i = 0; i < 60; ++i) {
      const auto id = static_cast<NodeId>(draw_below(rng, plain.size()));
      if (!tree.expanded(id)) expand(tree, plain, id, rng);
    }
    EXPECT_GT(plain.size(), 20U);
    expect_same(tree, plain);
  }
}

TEST(BeliefTree, GivesANodeAllItsChoicesAtOnce) {
  BeliefTree<TestNode, TestChoice> tree;
  for (const std::uint32_t count : {3U, 1U, 4U}) {
    const NodeId id = tree.add_node({static_cast<int>(count), {}});
    tree.add_choices(id, count);
    for (const TestChoice& choice : tree.choices(tree.node(id))) EXPECT_EQ(choice.name, 0);
    tree.choice(tree.node(id).choices.first + count - 1).name = static_cast<int>(count);
  }
  for (NodeId id = 0; id < 3; ++id) {
    const auto choices = tree.choices(tree.node(id));
    ASSERT_EQ(choices.size(), static_cast<std::size_t>(tree.node(id).name));
    EXPECT_EQ(choices.back().name, tree.node(id).name);
  }
}

TEST(BeliefTree, CountsTheMemoryThatItKeeps) {
  constexpr std::size_t kElsewhere = 8;
  constexpr std::size_t kNeeded =
      100 * (sizeof(TestNode) + kElsewhere) + 50 * sizeof(TestChoice) + 500 * sizeof(TestBranch);
  TestTree tree;
  EXPECT_EQ(tree.bytes(kElsewhere), 0U);
  std::size_t bytes = 0;
  for (int search = 0; search < 5; ++search) {
    for (int i = 0; i < 100; ++i) tree.add_node({i, {}});
    for (int i = 0; i < 50; ++i) {
      std::vector<TestBranch> branches(10);
      tree.add_choice(3, {i, {}}, branches);
    }
    EXPECT_GE(tree.bytes(kElsewhere), kNeeded);
    EXPECT_GE(tree.bytes(kElsewhere), tree.bytes(0) + 100 * kElsewhere);
    EXPECT_LE(tree.bytes(kElsewhere), 2 * kNeeded);
    if (search == 0) bytes = tree.bytes(kElsewhere);
    EXPECT_EQ(tree.bytes(kElsewhere), bytes) << "a search uses the memory of the one before";
    tree.clear();
    EXPECT_EQ(tree.size(), 0U);
    EXPECT_EQ(tree.bytes(kElsewhere), bytes);
  }
}

/// A tree that is as deep as anybody asks: a place is the way there, and all else follows from it.
class EndlessTree {
 public:
  using Place = std::vector<std::size_t>;  // choice, successor, choice, ...

  static std::size_t choice_count(const Place& place) { return (size_of(place) + 1) % 3; }
  static std::size_t successor_count(const Place& place, std::size_t i) { return (size_of(place) + i) % 7; }
  /// With many that are equally likely.
  static double probability(const Place& place, std::size_t i, std::size_t s) {
    return static_cast<double>((size_of(place) * 5 + i * 3 + s * s) % 4) / 10;
  }
  static Place after(Place place, std::size_t i, std::size_t s) {
    place.insert(place.end(), {i, s});
    return place;
  }

  [[nodiscard]] std::vector<ViewedAction> choices(const Place& place) const {
    std::vector<ViewedAction> all(choice_count(place));
    for (std::size_t i = 0; i < all.size(); ++i) all[i].action = static_cast<int>(i);
    asked_.push_back(place);
    return all;
  }
  [[nodiscard]] detail::SeenSuccessors<Place> successors(const Place& place, std::size_t i, bool last) const {
    detail::SeenSuccessors<Place> all;
    for (std::size_t s = 0; s < successor_count(place, i); ++s) {
      ViewedSuccessor& one = all.emplace_back(ViewedSuccessor{}, after(place, i, s)).first;
      one.probability = probability(place, i, s);
      one.state = static_cast<int>(s);
      one.visits = last ? 1 : 0;
    }
    return all;
  }
  [[nodiscard]] std::vector<ViewedAction> view(const Place& root, int levels, std::size_t most) const {
    return detail::view_tree(
        root, levels, most, [&](const Place& place) { return choices(place); },
        [&](const Place& place, std::size_t i, bool last) { return successors(place, i, last); });
  }
  [[nodiscard]] const std::vector<Place>& asked() const { return asked_; }

 private:
  static std::size_t size_of(const Place& place) {
    std::size_t sum = 1;
    for (const std::size_t number : place) sum = sum * 5 + number;
    return sum;
  }
  mutable std::vector<Place> asked_;
};

/// The first of those that are left with the largest probability, one after the other.
std::vector<std::size_t> most_likely(const EndlessTree::Place& place, std::size_t i, std::size_t most) {
  std::vector<std::size_t> order;
  std::vector<bool> taken(EndlessTree::successor_count(place, i));
  while (order.size() < std::min(most, taken.size())) {
    std::size_t best = taken.size();
    for (std::size_t s = 0; s < taken.size(); ++s) {
      if (taken[s]) continue;
      if (best == taken.size() ||
          EndlessTree::probability(place, i, s) > EndlessTree::probability(place, i, best)) {
        best = s;
      }
    }
    taken[best] = true;
    order.push_back(best);
  }
  return order;
}

/// Returns the number of places that were looked at.
std::size_t expect_view(const std::vector<ViewedAction>& seen, const EndlessTree::Place& place, int levels,
                        std::size_t most) {
  if (levels == 0) {
    EXPECT_TRUE(seen.empty());
    return 0;
  }
  EXPECT_EQ(seen.size(), EndlessTree::choice_count(place));
  std::size_t places = 1;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].action, static_cast<int>(i));
    const std::vector<std::size_t> order = most_likely(place, i, most);
    EXPECT_EQ(seen[i].successors.size(), order.size());
    EXPECT_EQ(seen[i].successors.size() + seen[i].more_successors, EndlessTree::successor_count(place, i));
    for (std::size_t k = 0; k < std::min(order.size(), seen[i].successors.size()); ++k) {
      const ViewedSuccessor& one = seen[i].successors[k];
      EXPECT_EQ(one.state, static_cast<int>(order[k])) << "of equally likely ones the first";
      EXPECT_EQ(one.probability, EndlessTree::probability(place, i, order[k]));
      EXPECT_EQ(one.visits, levels == 1 ? 1U : 0U) << "only the last level is said to be the last";
      places += expect_view(one.actions, EndlessTree::after(place, i, order[k]), levels - 1, most);
    }
  }
  return places;
}

TEST(ViewTree, IsAsDeepAndAsWideAsAskedTheMostLikelyFirst) {
  std::size_t places = 0;
  for (std::size_t begin = 0; begin < 12; ++begin) {
    for (const int levels : {0, 1, 2, 4}) {
      for (const std::size_t most : {0U, 1U, 3U, 100U}) {
        const EndlessTree tree;
        const EndlessTree::Place root = {begin};
        const std::size_t seen = expect_view(tree.view(root, levels, most), root, levels, most);
        EXPECT_EQ(tree.asked().size(), seen) << "nothing is looked at that is not shown";
        places = std::max(places, seen);
      }
    }
  }
  EXPECT_GT(places, 100U);
}

}  // namespace
}  // namespace assay::test
