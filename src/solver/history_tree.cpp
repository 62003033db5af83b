#include "solver/history_tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "assay/core/portable_math.hpp"
#include "assay/core/samplers.hpp"

namespace assay::detail {
namespace {

/// What UCB1 wants of a number of visits, looked up for all but the largest: a search spends most of its time
/// among nodes that were visited a few times.
class VisitTable {
 public:
  VisitTable() {
    for (std::size_t n = 0; n < kCounts; ++n) entries_[n] = compute(static_cast<double>(n));
  }
  struct Entry {
    double inverse = 0;       // 1 / n
    double inverse_root = 0;  // 1 / sqrt n
    double root_log = 0;      // sqrt(log n)
  };
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

const VisitTable& visit_table() {
  static const VisitTable table;
  return table;
}

int search_depth(double discount, double precision, int remaining) {
  int depth = 0;
  for (double weight = 1; depth < remaining && weight >= precision; weight *= discount) ++depth;
  return depth;
}

}  // namespace

HistoryTree::HistoryTree(std::unique_ptr<Simulator> simulator, std::shared_ptr<const AllowedActions> allowed,
                         std::shared_ptr<const RolloutValues> rollouts, const BamcpSettings& settings)
    : simulator_(std::move(simulator)),
      allowed_(std::move(allowed)),
      rollouts_(std::move(rollouts)),
      settings_(settings),
      slots_(1024) {}

void HistoryTree::plant(const World& world) {
  simulator_->know(world);
  remaining_ = world.remaining();
  depth_ = search_depth(settings_.discount, settings_.precision, remaining_);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  ranges_.assign(static_cast<std::size_t>(depth_), {kInfinity, -kInfinity});
  path_.resize(static_cast<std::size_t>(depth_));
  nodes_.clear();
  edges_.clear();
  simulations_ = steps_ = 0;
  in_slots_ = 0;
  if (++search_ == 0) {  // once in 2^32 searches: stamps of long ago could be taken for new ones
    std::ranges::fill(slots_, Slot{});
    search_ = 1;
  }
  add_node(0, {.next = world.state()});
}

inline SimulatedStep HistoryTree::take(int state, std::uint32_t choice, int depth) {
  ++steps_;
  return simulator_->step(state, allowed_->action(choice), depth + 1 == remaining_);
}

/// UCB1 (Auer et al. 2002). What was not tried yet comes first; of equals, any.
inline std::uint32_t HistoryTree::tree_choice(const Node& node, int depth, Rng& luck) const {
  const std::uint32_t first = allowed_->first(node.state);
  const std::uint32_t count = allowed_->count(node.state);
  if (count == 1) return first;
  const Edge* const edges = &edges_[node.first_edge];
  std::uint32_t untried = 0;
  for (std::uint32_t i = 0; i < count; ++i) untried += edges[i].visits == 0 ? 1 : 0;
  if (untried > 0) {
    std::uint32_t skip = below(luck.next64(), untried);
    for (std::uint32_t i = 0;; ++i) {
      if (edges[i].visits == 0 && skip-- == 0) return first + i;
    }
  }
  const VisitTable& table = visit_table();
  const Range& range = ranges_[static_cast<std::size_t>(depth)];
  // Without any difference between returns so far, actions are tried in turn.
  const double unit = range.high > range.low ? range.high - range.low : 1;
  const double wide = settings_.exploration * unit * table.at(node.visits).root_log;
  std::uint32_t best = 0;
  std::uint32_t equals = 0;
  double highest = -std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < count; ++i) {
    const VisitTable::Entry of = table.at(edges[i].visits);
    const double bound = edges[i].total * of.inverse + wide * of.inverse_root;
    if (bound < highest) continue;
    equals = bound > highest ? 1 : equals + 1;
    highest = bound;
    if (equals == 1 || below(luck.next64(), equals) == 0) best = i;
  }
  return first + best;
}

inline double HistoryTree::rollout(int state, int depth, Rng& luck) {
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

inline void HistoryTree::back_up(std::size_t length, double value) {
  for (std::size_t depth = length; depth-- > 0;) {
    const Passed& passed = path_[depth];
    value = passed.reward + settings_.discount * value;
    ++nodes_[passed.node].visits;
    Edge& edge = edges_[passed.edge];
    ++edge.visits;
    edge.total += value;
    Range& range = ranges_[depth];
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  }
}

/// The history after a step. Two histories with the same 64-bit key are taken for one: among a million of
/// them that happens once in 18 million searches.
inline std::uint32_t HistoryTree::child(std::uint32_t edge, const SimulatedStep& step) {
  const auto next = static_cast<std::uint64_t>(static_cast<std::uint32_t>(step.next));
  const std::uint64_t key =
      spread(step.evidence + edge * 0x9e3779b97f4a7c15U + next * 0xd6e8feb86659fd93U) | 1U;
  if (edges_[edge].child_key == key) return edges_[edge].child;
  if (edges_[edge].child_key != 0) return look_up(key, edge, step);
  const std::uint32_t added = add_node(edge, step);
  edges_[edge].child_key = key;
  edges_[edge].child = added;
  return added;
}

void HistoryTree::simulate(const Rng& rng) {
  Rng luck = rng.split(0);
  simulator_->draw(rng.split(1));
  ++simulations_;
  if (depth_ == 0) return;
  std::uint32_t node = 0;
  for (int depth = 0;; ++depth) {
    const Node& here = nodes_[node];
    const bool met_first = here.visits == 0;
    const std::uint32_t choice =
        met_first ? rollouts_->choice(here.state, luck) : tree_choice(here, depth, luck);
    const std::uint32_t edge = here.first_edge + (choice - allowed_->first(here.state));
    const SimulatedStep step = take(here.state, choice, depth);
    path_[static_cast<std::size_t>(depth)] = {node, edge, step.reward + settings_.discount * step.arrival};
    const bool deepest = depth + 1 == depth_;
    if (met_first || deepest) {
      const double beyond = deepest ? 0 : rollout(step.next, depth + 1, luck);
      return back_up(static_cast<std::size_t>(depth) + 1, beyond);
    }
    node = child(edge, step);
  }
}

std::uint32_t HistoryTree::look_up(std::uint64_t key, std::uint32_t edge, const SimulatedStep& step) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = static_cast<std::size_t>(key >> 1U) & mask;; at = (at + 1) & mask) {
    Slot& slot = slots_[at];
    if (slot.search != search_) {
      slot = {key, static_cast<std::uint32_t>(nodes_.size()), search_};
      if (2 * ++in_slots_ > slots_.size()) grow();
      return add_node(edge, step);
    }
    if (slot.key == key) return slot.node;
  }
}

std::uint32_t HistoryTree::add_node(std::uint32_t parent_edge, const SimulatedStep& step) {
  const auto first_edge = static_cast<std::uint32_t>(edges_.size());
  nodes_.push_back({step.next, 0, first_edge, parent_edge, step.evidence});
  edges_.resize(edges_.size() + allowed_->count(step.next));
  return static_cast<std::uint32_t>(nodes_.size() - 1);
}

void HistoryTree::grow() {
  std::vector<Slot> old(2 * slots_.size());
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.search != search_) continue;
    std::size_t at = static_cast<std::size_t>(slot.key >> 1U) & mask;
    while (slots_[at].search == search_) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

}  // namespace assay::detail
