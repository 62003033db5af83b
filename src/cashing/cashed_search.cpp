#include "cashing/cashed_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/core/belief.hpp"
#include "assay/core/detail/portable_math.hpp"

namespace assay {
namespace {

/// Far from those that models draw their environments from.
constexpr std::uint64_t kLearnedStream = ~std::uint64_t{0};

}  // namespace

void CashedSearch::begin(const Situation& situation, Rng rng) {
  remaining_ = situation.remaining();
  learned_seed_ = rng.split(kLearnedStream).next64();
  simulations_ = 0;
  tree_.clear();
  table_.clear();
  BeliefModel::Successor root;
  root.state = situation.state();
  root.belief = model_->begin(situation, rng);
  root.bounds = model_->bounds(root.belief, root.state, remaining_);
  margin_ = certifies() ? 3 * model_->root_bounds(root.state, remaining_).upper.standard_error : 0;
  node_at(0, root);
  expand(0, 0);
  back_up(tree_.node(0));
}

CashedSearch::NodeId CashedSearch::node_at(int depth, const BeliefModel::Successor& successor) {
  const std::uint64_t key =
      detail::spread(successor.evidence ^ detail::spread(static_cast<std::uint64_t>(depth) << 32U |
                                                         static_cast<std::uint32_t>(successor.state)));
  const NodeId id = table_.insert(key, static_cast<NodeId>(tree_.size()));
  if (id < tree_.size()) return id;
  Node node{.bounds = successor.bounds,
            .value = 0,
            .belief = successor.belief,
            .state = successor.state,
            .visits = 0,
            .choices = {},
            .evidence = successor.evidence};
  if (model_->lower_holds()) node.bounds.upper = std::max(node.bounds.lower, node.bounds.upper);
  node.value = unexpanded_value(node, remaining_ - depth);
  if (node.bounds.lower > node.bounds.upper) std::swap(node.bounds.lower, node.bounds.upper);
  return tree_.add_node(node);
}

double CashedSearch::unexpanded_value(const Node& node, int remaining) const {
  const auto [lower, upper] = node.bounds;
  if (!settings_.learned) return lower + settings_.between * (upper - lower);
  return std::max(lower,
                  settings_.learned(model_->knowledge(node.belief), node.state, remaining, learned_seed_));
}

void CashedSearch::expand(NodeId id, int depth) {
  const int remaining = remaining_ - depth;
  model_->look_ahead(tree_.node(id).belief, tree_.node(id).state, remaining, ahead_);
  const std::uint64_t evidence = tree_.node(id).evidence;
  for (BeliefModel::Choice& ahead : ahead_) {
    Choice choice{};
    choice.action = ahead.action;
    choice.reward = ahead.reward;
    for (BeliefModel::Successor& successor : ahead.successors) {
      if (remaining == 1) break;
      choice.reward += model_->discount() * successor.probability * successor.arrived.reward;
      successor.evidence += evidence;
      const NodeId next = node_at(depth + 1, successor);
      new_branches_.push_back(
          {successor.probability, next, std::move(successor.acted), std::move(successor.arrived)});
    }
    back_up(tree_.choice(tree_.add_choice(id, choice, new_branches_)));
  }
}

void CashedSearch::back_up(Choice& choice) const {
  Bounds bounds;
  double value = 0;
  for (const Branch& branch : tree_.branches(choice)) {
    const Node& node = tree_.node(branch.node);
    bounds.lower += branch.probability * node.bounds.lower;
    bounds.upper += branch.probability * node.bounds.upper;
    value += branch.probability * node.value;
  }
  const double discount = model_->discount();
  choice.bounds = {choice.reward + discount * bounds.lower, choice.reward + discount * bounds.upper};
  choice.value = choice.reward + discount * value;
}

void CashedSearch::back_up(Node& node) const {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = lower;
  double value = lower;
  for (const Choice& choice : tree_.choices(node)) {
    lower = std::max(lower, choice.bounds.lower);
    upper = std::max(upper, choice.bounds.upper);
    value = std::max(value, choice.value);
  }
  node.value = value;
  if (!model_->lower_holds()) {  // what is seen further ahead replaces what was thought before
    node.bounds = {lower, upper};
    return;
  }
  node.bounds.lower = std::max(node.bounds.lower, lower);
  node.bounds.upper = std::max(node.bounds.lower, std::min(node.bounds.upper, upper));
  // A learned value may be better than a full-information value from a few drawn environments.
  node.value = std::max(node.bounds.lower, settings_.learned ? value : std::min(value, node.bounds.upper));
}

detail::ChoiceId CashedSearch::select(const Node& node) const {
  const double log_visits = portable::log(node.visits + 2.0);
  double best = -std::numeric_limits<double>::infinity();
  std::uint32_t chosen = 0;
  for (std::uint32_t i = 0; i < node.choices.count; ++i) {
    const Choice& choice = tree_.choice(node.choices.first + i);
    const double score = choice.value + settings_.exploration * (choice.bounds.upper - choice.bounds.lower) *
                                            std::sqrt(log_visits / (choice.visits + 1.0));
    if (score > best) {
      best = score;
      chosen = i;
    }
  }
  return node.choices.first + chosen;
}

/// kNone if the bounds of all successors have met.
CashedSearch::NodeId CashedSearch::follow(const Choice& choice) const {
  double most = 0;
  NodeId chosen = kNone;
  for (const Branch& branch : tree_.branches(choice)) {
    const Node& node = tree_.node(branch.node);
    const double share = branch.probability * (node.bounds.upper - node.bounds.lower) / (node.visits + 1.0);
    if (share > most) {
      most = share;
      chosen = branch.node;
    }
  }
  return chosen;
}

void CashedSearch::simulate() {
  path_.clear();
  NodeId at = 0;
  int depth = 0;
  while (true) {
    const detail::ChoiceId chosen = select(tree_.node(at));
    path_.push_back({at, chosen});
    const NodeId next = follow(tree_.choice(chosen));
    if (next == kNone) break;
    ++depth;
    at = next;
    if (tree_.expanded(at)) continue;
    expand(at, depth);
    back_up(tree_.node(at));
    ++tree_.node(at).visits;
    break;
  }
  for (std::size_t i = path_.size(); i-- > 0;) {
    Choice& choice = tree_.choice(path_[i].choice);
    ++choice.visits;
    back_up(choice);
    Node& node = tree_.node(path_[i].node);
    ++node.visits;
    back_up(node);
  }
  ++simulations_;
}

bool CashedSearch::certain() const {
  if (!certifies()) return false;
  const std::span<const Choice> choices = tree_.choices(tree_.node(0));
  const auto lower = [](const Choice& choice) { return choice.bounds.lower; };
  const auto best = std::ranges::max_element(choices, {}, lower);
  return std::ranges::all_of(choices, [&](const Choice& choice) {
    return &choice == &*best || choice.bounds.upper + margin_ <= best->bounds.lower;
  });
}

EstimatedBounds CashedSearch::root_bounds() const {
  EstimatedBounds bounds = model_->root_bounds(tree_.node(0).state, remaining_);
  if (certifies()) bounds.lower.value = std::max(bounds.lower.value, tree_.node(0).bounds.lower);
  return bounds;
}

std::vector<ViewedAction> CashedSearch::choices_at(NodeId id) const {
  std::vector<ViewedAction> all;
  for (const Choice& choice : tree_.choices(tree_.node(id))) {
    ViewedAction& one = all.emplace_back();
    one.action = choice.action;
    one.visits = choice.visits;
    one.value = choice.value;
    one.lower = choice.bounds.lower;
    one.upper = choice.bounds.upper;
  }
  return all;
}

detail::SeenSuccessors<CashedSearch::NodeId> CashedSearch::successors_of(NodeId id, std::size_t i) const {
  detail::SeenSuccessors<NodeId> all;
  for (const Branch& branch : tree_.branches(tree_.choices(tree_.node(id))[i])) {
    ViewedSuccessor& one = all.emplace_back(ViewedSuccessor{}, branch.node).first;
    one.probability = branch.probability;
    one.state = tree_.node(branch.node).state;
    one.acted = branch.acted;
    one.arrived = branch.arrived;
    one.visits = tree_.node(branch.node).visits;
  }
  return all;
}

SearchView CashedSearch::view(int levels, std::size_t successors) const {
  SearchView view;
  view.simulations = simulations_;
  view.certain = certain();
  const EstimatedBounds bounds = root_bounds();
  view.lower = bounds.lower.value;
  view.upper = bounds.upper.value;
  view.upper_error = bounds.upper.standard_error;
  view.actions = detail::view_tree(
      NodeId{0}, levels, successors, [&](NodeId id) { return choices_at(id); },
      [&](NodeId id, std::size_t i, bool /*last*/) { return successors_of(id, i); });
  return view;
}

}  // namespace assay
