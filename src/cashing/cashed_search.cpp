#include "assay/cashing/cashed_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/core/portable_math.hpp"
#include "assay/solver/simulator.hpp"

namespace assay {
namespace {

/// Far from those that models draw their environments from.
constexpr std::uint64_t kLearnedStream = ~std::uint64_t{0};

}  // namespace

void CashedSearch::begin(const World& world, Rng rng) {
  remaining_ = world.remaining();
  learned_seed_ = rng.split(kLearnedStream).next64();
  walks_ = 0;
  nodes_.clear();
  choices_.clear();
  branches_.clear();
  slot_keys_.assign(1024, 0);
  slot_nodes_.assign(1024, kNone);
  const std::uint32_t belief = model_->begin(world, rng);
  Possible root;
  root.state = world.state();
  root.belief = belief;
  root.bounds = model_->bounds(belief, world.state(), remaining_);
  margin_ = certifies() ? 3 * model_->root_bounds(root.state, remaining_).upper_error : 0;
  node_at(0, root);
  expand(0, 0);
  back_up(nodes_[0]);
}

void CashedSearch::grow_slots() {
  std::vector<std::uint64_t> keys(slot_keys_.size() * 2);
  std::vector<NodeId> ids(slot_keys_.size() * 2, kNone);
  const std::size_t mask = keys.size() - 1;
  for (std::size_t i = 0; i < slot_keys_.size(); ++i) {
    if (slot_nodes_[i] == kNone) continue;
    std::size_t at = slot_keys_[i] & mask;
    while (ids[at] != kNone) at = (at + 1) & mask;
    keys[at] = slot_keys_[i];
    ids[at] = slot_nodes_[i];
  }
  slot_keys_ = std::move(keys);
  slot_nodes_ = std::move(ids);
}

CashedSearch::NodeId CashedSearch::node_at(int depth, const Possible& end) {
  if (2 * nodes_.size() >= slot_keys_.size()) grow_slots();
  const std::uint64_t key =
      detail::spread(end.evidence ^ detail::spread(static_cast<std::uint64_t>(depth) << 32U |
                                                   static_cast<std::uint32_t>(end.state)));
  const std::size_t mask = slot_keys_.size() - 1;
  std::size_t at = key & mask;
  while (slot_nodes_[at] != kNone) {
    if (slot_keys_[at] == key) return slot_nodes_[at];
    at = (at + 1) & mask;
  }
  const auto id = static_cast<NodeId>(nodes_.size());
  slot_keys_[at] = key;
  slot_nodes_[at] = id;
  Node node;
  node.lower = end.bounds.lower;
  node.upper = end.bounds.upper;
  if (model_->lower_holds()) node.upper = std::max(node.lower, node.upper);
  node.belief = end.belief;
  node.state = end.state;
  node.evidence = end.evidence;
  node.value = unexpanded_value(node, remaining_ - depth);
  if (node.lower > node.upper) std::swap(node.lower, node.upper);
  nodes_.push_back(node);
  return id;
}

double CashedSearch::unexpanded_value(const Node& node, int remaining) const {
  if (!settings_.learned) return node.lower + settings_.between * (node.upper - node.lower);
  const Knowledge& known = model_->knowledge(node.belief);
  return std::max(node.lower, settings_.learned(known, node.state, remaining, learned_seed_));
}

void CashedSearch::expand(NodeId id, int depth) {
  const int remaining = remaining_ - depth;
  model_->look_ahead(nodes_[id].belief, nodes_[id].state, remaining, prospects_);
  nodes_[id].first_choice = static_cast<std::uint32_t>(choices_.size());
  nodes_[id].choices = static_cast<std::uint32_t>(prospects_.size());
  const std::uint64_t evidence = nodes_[id].evidence;
  for (Prospect& prospect : prospects_) {
    Choice choice{};
    choice.action = prospect.action;
    choice.reward = prospect.reward;
    choice.first_branch = static_cast<std::uint32_t>(branches_.size());
    for (Possible& end : prospect.ends) {
      if (remaining == 1) continue;
      choice.reward += model_->discount() * end.probability * end.arrived.reward;
      end.evidence += evidence;
      const NodeId next = node_at(depth + 1, end);
      branches_.push_back({end.probability, next, std::move(end.acted), std::move(end.arrived)});
    }
    choice.branches = static_cast<std::uint32_t>(branches_.size()) - choice.first_branch;
    value_choice(choice);
    choices_.push_back(choice);
  }
}

void CashedSearch::value_choice(Choice& choice) const {
  double lower = 0;
  double upper = 0;
  double value = 0;
  for (std::uint32_t i = 0; i < choice.branches; ++i) {
    const Branch& branch = branches_[choice.first_branch + i];
    const Node& node = nodes_[branch.node];
    lower += branch.probability * node.lower;
    upper += branch.probability * node.upper;
    value += branch.probability * node.value;
  }
  const double discount = model_->discount();
  choice.lower = choice.reward + discount * lower;
  choice.upper = choice.reward + discount * upper;
  choice.value = choice.reward + discount * value;
}

void CashedSearch::back_up(Node& node) const {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = lower;
  double value = lower;
  for (std::uint32_t i = 0; i < node.choices; ++i) {
    const Choice& choice = choices_[node.first_choice + i];
    lower = std::max(lower, choice.lower);
    upper = std::max(upper, choice.upper);
    value = std::max(value, choice.value);
  }
  node.value = value;
  if (!model_->lower_holds()) {  // what is seen further ahead replaces what was thought before
    node.lower = lower;
    node.upper = upper;
    return;
  }
  node.lower = std::max(node.lower, lower);
  node.upper = std::max(node.lower, std::min(node.upper, upper));
  // What was learned may know better than a few drawn environments what being told is worth.
  node.value = std::max(node.lower, settings_.learned ? value : std::min(value, node.upper));
}

std::uint32_t CashedSearch::select(const Node& node) const {
  const double log_visits = portable::log(node.visits + 2.0);
  double best = -std::numeric_limits<double>::infinity();
  std::uint32_t chosen = 0;
  for (std::uint32_t i = 0; i < node.choices; ++i) {
    const Choice& choice = choices_[node.first_choice + i];
    const double score = choice.value + settings_.exploration * (choice.upper - choice.lower) *
                                            std::sqrt(log_visits / (choice.visits + 1.0));
    if (score > best) {
      best = score;
      chosen = i;
    }
  }
  return node.first_choice + chosen;
}

CashedSearch::NodeId CashedSearch::follow(const Choice& choice) const {
  double most = 0;
  NodeId chosen = kNone;
  for (std::uint32_t i = 0; i < choice.branches; ++i) {
    const Branch& branch = branches_[choice.first_branch + i];
    const Node& node = nodes_[branch.node];
    const double share = branch.probability * (node.upper - node.lower) / (node.visits + 1.0);
    if (share > most) {
      most = share;
      chosen = branch.node;
    }
  }
  return chosen;
}

void CashedSearch::walk() {
  path_.clear();
  NodeId at = 0;
  int depth = 0;
  while (true) {
    const std::uint32_t chosen = select(nodes_[at]);
    path_.push_back({at, chosen});
    const NodeId next = follow(choices_[chosen]);
    if (next == kNone) break;
    ++depth;
    at = next;
    if (nodes_[at].first_choice != kNone) continue;
    expand(at, depth);
    back_up(nodes_[at]);
    ++nodes_[at].visits;
    break;
  }
  for (std::size_t i = path_.size(); i-- > 0;) {
    Choice& choice = choices_[path_[i].choice];
    ++choice.visits;
    value_choice(choice);
    Node& node = nodes_[path_[i].node];
    ++node.visits;
    back_up(node);
  }
  ++walks_;
}

bool CashedSearch::certain() const {
  if (!certifies()) return false;
  const Node& root = nodes_[0];
  const std::span choices(choices_.data() + root.first_choice, root.choices);
  const auto best = std::ranges::max_element(choices, {}, &Choice::lower);
  return std::ranges::all_of(choices, [&](const Choice& choice) {
    return &choice == &*best || choice.upper + margin_ <= best->lower;
  });
}

RootBounds CashedSearch::root_bounds() const {
  RootBounds bounds = model_->root_bounds(nodes_[0].state, remaining_);
  if (certifies()) bounds.lower = std::max(bounds.lower, nodes_[0].lower);
  return bounds;
}

std::vector<ViewedEnd> CashedSearch::ends_of(const Choice& choice, int levels, std::size_t ends) const {
  std::vector<const Branch*> order;
  for (std::uint32_t i = 0; i < choice.branches; ++i) order.push_back(&branches_[choice.first_branch + i]);
  std::ranges::stable_sort(order, std::ranges::greater{}, [](const Branch* b) { return b->probability; });
  if (order.size() > ends) order.resize(ends);
  std::vector<ViewedEnd> all;
  for (const Branch* branch : order) {
    const Node& node = nodes_[branch->node];
    ViewedEnd& one = all.emplace_back();
    one.probability = branch->probability;
    one.state = node.state;
    one.acted = branch->acted;
    one.arrived = branch->arrived;
    one.visits = node.visits;
    one.actions = actions_of(node, levels, ends);
  }
  return all;
}

std::vector<ViewedAction> CashedSearch::actions_of(const Node& node, int levels, std::size_t ends) const {
  std::vector<ViewedAction> all;
  if (levels == 0) return all;
  for (std::uint32_t i = 0; i < node.choices; ++i) {
    const Choice& choice = choices_[node.first_choice + i];
    ViewedAction& one = all.emplace_back();
    one.action = choice.action;
    one.visits = choice.visits;
    one.value = choice.value;
    one.lower = choice.lower;
    one.upper = choice.upper;
    if (ends > 0) one.ends = ends_of(choice, levels - 1, ends);
    one.more_ends = choice.branches - one.ends.size();
  }
  return all;
}

SearchView CashedSearch::view(int levels, std::size_t ends) const {
  SearchView view;
  view.simulations = walks_;
  view.certain = certain();
  const RootBounds bounds = root_bounds();
  view.lower = bounds.lower;
  view.upper = bounds.upper;
  view.upper_error = bounds.upper_error;
  view.actions = actions_of(nodes_[0], levels, ends);
  return view;
}

}  // namespace assay
