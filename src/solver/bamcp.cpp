#include "assay/solver/bamcp.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "assay/core/samplers.hpp"
#include "assay/core/workers.hpp"
#include "assay/solver/knowledge.hpp"
#include "solver/history_tree.hpp"

namespace assay {
namespace {

using detail::HistoryTree;
using SearchClock = std::chrono::steady_clock;

/// All trees together, as a tree. What was met by the same actions, states and evidence is the same history.
class MergedTree {
 public:
  MergedTree(const std::vector<std::unique_ptr<HistoryTree>>& trees, const AllowedActions& allowed,
             int levels, std::size_t most)
      : trees_(trees), allowed_(allowed), most_(most) {
    if (levels == 1) return;  // nobody will ask
    for (const auto& tree : trees_) children_.push_back(children_of(*tree));
  }

  using Place = std::pair<std::size_t, std::uint32_t>;  // tree, node

  [[nodiscard]] std::vector<TreeAction> actions(const std::vector<Place>& same, int levels) const {
    const int state = node(same.front()).state;
    std::vector<TreeAction> all;
    for (std::uint32_t i = 0; i < allowed_.count(state); ++i) {
      TreeAction one{.action = allowed_.action(allowed_.first(state) + i), .children = {}};
      double total = 0;
      for (const Place& place : same) {
        const HistoryTree::Edge& edge = trees_[place.first]->edges()[node(place).first_edge + i];
        one.visits += edge.visits;
        total += edge.total;
      }
      if (one.visits > 0) one.value = total / static_cast<double>(one.visits);
      if (levels > 1) add_children(one, same, i, levels - 1);
      all.push_back(std::move(one));
    }
    return all;
  }

 private:
  using Children = std::vector<std::vector<std::uint32_t>>;  // [edge]: nodes

  static Children children_of(const HistoryTree& tree) {
    Children all(tree.edges().size());
    for (std::size_t n = 1; n < tree.nodes().size(); ++n) {
      all[tree.nodes()[n].parent_edge].push_back(static_cast<std::uint32_t>(n));
    }
    return all;
  }
  [[nodiscard]] const HistoryTree::Node& node(const Place& place) const {
    return trees_[place.first]->nodes()[place.second];
  }

  void add_children(TreeAction& to, const std::vector<Place>& same, std::uint32_t action, int levels) const {
    std::map<std::pair<int, std::uint64_t>, std::vector<Place>> met;
    for (const Place& place : same) {
      for (const std::uint32_t n : children_[place.first][node(place).first_edge + action]) {
        const Place child{place.first, n};
        met[{node(child).state, node(child).evidence}].push_back(child);
      }
    }
    std::vector<std::pair<std::uint64_t, const std::vector<Place>*>> order;
    for (const auto& [key, places] : met) {
      std::uint64_t visits = 0;
      for (const Place& place : places) visits += node(place).visits;
      to.went_on += visits;
      order.emplace_back(visits, &places);
    }
    std::ranges::stable_sort(order, [](const auto& a, const auto& b) { return a.first > b.first; });
    if (order.size() > most_) {
      to.more_children = order.size() - most_;
      order.resize(most_);
    }
    for (const auto& [visits, places] : order) {
      const HistoryTree::Node& one = node(places->front());
      to.children.push_back({one.state, one.evidence, visits, actions(*places, levels)});
    }
  }

  const std::vector<std::unique_ptr<HistoryTree>>& trees_;
  const AllowedActions& allowed_;
  std::size_t most_;
  std::vector<Children> children_;  // [tree]
};

void search_tree(HistoryTree& tree, const World& world, const Rng& rng, std::uint64_t simulations,
                 std::optional<SearchClock::duration> time, const Stop& stop) {
  constexpr std::uint64_t kBetweenLooks = 16;  // at the clock
  tree.plant(world);
  const auto began = SearchClock::now();
  for (std::uint64_t i = 0; time || i < simulations; ++i) {
    tree.simulate(rng.split(i));
    if ((i + 1) % kBetweenLooks != 0) continue;
    stop.check();
    if (time && SearchClock::now() - began >= *time) return;
  }
}

}  // namespace

AllowedActions::AllowedActions(const Knowledge& knowledge) : first_{0} {
  for (int x = 0; x < knowledge.states(); ++x) {
    for (int a = 0; a < knowledge.actions(); ++a) {
      if (knowledge.allowed(x, a)) action_.push_back(a);
    }
    first_.push_back(static_cast<std::uint32_t>(action_.size()));
  }
}

Bamcp::Bamcp(std::unique_ptr<Simulator> simulator, std::shared_ptr<const AllowedActions> allowed,
             const BamcpSettings& settings)
    : allowed_(std::move(allowed)),
      settings_(settings),
      rollouts_(std::make_shared<detail::RolloutValues>(allowed_, settings)) {
  for (int t = 0; t < std::max(1, settings.trees); ++t) {
    trees_.push_back(std::make_unique<HistoryTree>(simulator->clone(), allowed_, rollouts_, settings_));
  }
}

Bamcp::~Bamcp() = default;

std::unique_ptr<Bamcp> Bamcp::fresh() const {
  return std::make_unique<Bamcp>(trees_.front()->simulator(), allowed_, settings_);
}

void Bamcp::forget() { rollouts_->forget(); }

void Bamcp::learn(const LastStep& step, int next) { rollouts_->learn(step, next); }

void Bamcp::run(const World& world, const Rng& rng, const BamcpBudget& budget, const Resources& resources) {
  constexpr std::uint64_t kChoosing = ~std::uint64_t{0};  // trees are numbered from 0
  choosing_ = rng.split(kChoosing);
  const std::size_t trees = trees_.size();
  // Not kept: while it lives, no other workers in the process have more threads than it has.
  std::optional<Workers> workers;
  if (resources.threads != 1 && trees > 1) workers.emplace(resources.threads, resources.stop);
  const std::size_t at_once = workers ? std::min(trees, workers->slots() / 2) : 1;

  std::optional<SearchClock::duration> time;
  if (budget.seconds > 0) {
    const std::size_t turns = (trees + at_once - 1) / at_once;
    time = std::chrono::duration_cast<SearchClock::duration>(
        std::chrono::duration<double>(budget.seconds / static_cast<double>(turns)));
  }
  const auto one = [&](std::size_t t) {
    const std::uint64_t share = budget.simulations / trees + (t < budget.simulations % trees ? 1 : 0);
    search_tree(*trees_[t], world, rng.split(t), share, time, resources.stop);
  };
  if (workers) return workers->for_each(trees, one);
  for (std::size_t t = 0; t < trees; ++t) one(t);
}

std::vector<TreeAction> Bamcp::view(int levels, std::size_t most) const {
  std::vector<MergedTree::Place> roots;
  for (std::size_t t = 0; t < trees_.size(); ++t) {
    if (!trees_[t]->nodes().empty()) roots.emplace_back(t, 0);
  }
  if (roots.empty()) return {};
  return MergedTree(trees_, *allowed_, levels, most).actions(roots, levels);
}

int Bamcp::best_action() const {
  std::vector<int> best;
  double highest = -std::numeric_limits<double>::infinity();
  for (const TreeAction& one : view()) {
    if (one.visits == 0 || one.value < highest) continue;
    if (one.value > highest) best.clear();
    highest = one.value;
    best.push_back(one.action);
  }
  Rng luck = choosing_;
  return best.empty() ? 0 : best[uniform_index(luck, best.size())];
}

std::uint64_t Bamcp::simulations() const {
  std::uint64_t sum = 0;
  for (const auto& tree : trees_) sum += tree->simulations();
  return sum;
}

std::uint64_t Bamcp::steps() const {
  std::uint64_t sum = 0;
  for (const auto& tree : trees_) sum += tree->steps();
  return sum;
}

std::uint64_t Bamcp::nodes() const {
  std::uint64_t sum = 0;
  for (const auto& tree : trees_) sum += tree->nodes().size();
  return sum;
}

}  // namespace assay
