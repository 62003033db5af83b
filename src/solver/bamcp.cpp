#include "solver/bamcp.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "assay/core/detail/workers.hpp"
#include "assay/core/rng.hpp"
#include "solver/bamcp_tree.hpp"

namespace assay {
namespace {

using detail::BamcpTree;
using detail::NodeId;
using SearchClock = std::chrono::steady_clock;

/// The trees as people see them, all together. A place is a belief state, which has a node in some of the
/// trees.
class MergedTrees {
 public:
  struct Found {
    std::size_t tree;
    NodeId node;
  };
  using Place = std::vector<Found>;

  MergedTrees(const std::vector<std::unique_ptr<BamcpTree>>& trees, const AllowedActions& allowed)
      : trees_(trees), allowed_(allowed) {}

  /// There is nothing before the first search.
  [[nodiscard]] Place root() const {
    Place all;
    for (std::size_t t = 0; t < trees_.size(); ++t) {
      if (trees_[t]->tree().size() > 0) all.push_back({t, 0});
    }
    return all;
  }

  [[nodiscard]] std::vector<ViewedAction> choices(const Place& place) const {
    std::vector<ViewedAction> all;
    if (place.empty()) return all;
    const int state = node(place.front()).state;
    for (std::uint32_t i = 0; i < allowed_.count(state); ++i) {
      ViewedAction& one = all.emplace_back();
      one.action = allowed_.action(allowed_.first(state) + i);
      double total = 0;
      for (const Found& found : place) {
        one.visits += choice(found, i).visits;
        total += choice(found, i).total;
      }
      if (one.visits > 0) one.value = total / static_cast<double>(one.visits);
    }
    return all;
  }

  /// The probability of a successor is its share of the visits.
  [[nodiscard]] detail::SeenSuccessors<Place> successors(const Place& place, std::size_t i) const {
    std::map<std::pair<int, std::uint64_t>, Place> met;  // by state and evidence
    std::uint64_t visits = 0;
    for (const Found& found : place) {
      for (Found to{found.tree, choice(found, i).successor}; to.node != 0; to.node = node(to).sibling) {
        met[{node(to).state, node(to).evidence}].push_back(to);
        visits += node(to).visits;
      }
    }
    detail::SeenSuccessors<Place> all;
    for (const auto& [key, there] : met) {
      ViewedSuccessor& one = all.emplace_back(ViewedSuccessor{}, there).first;
      one.state = key.first;
      for (const Found& found : there) one.visits += node(found).visits;
      one.probability = static_cast<double>(one.visits) / static_cast<double>(visits);
    }
    return all;
  }

 private:
  [[nodiscard]] const BamcpTree::Node& node(const Found& found) const {
    return trees_[found.tree]->tree().node(found.node);
  }
  [[nodiscard]] const BamcpTree::Choice& choice(const Found& found, std::size_t i) const {
    return trees_[found.tree]->tree().choices(node(found))[i];
  }

  const std::vector<std::unique_ptr<BamcpTree>>& trees_;
  const AllowedActions& allowed_;
};

void search_tree(BamcpTree& tree, const Situation& situation, const Rng& rng, std::uint64_t simulations,
                 std::optional<SearchClock::duration> time, const Stop& stop) {
  constexpr std::uint64_t kBetweenLooks = 16;  // simulations between two looks at the clock
  tree.begin(situation);
  const auto began = SearchClock::now();
  for (std::uint64_t i = 0; time || i < simulations; ++i) {
    tree.simulate(rng.split(i));
    if ((i + 1) % kBetweenLooks != 0) continue;
    stop.check();
    if (time && SearchClock::now() - began >= *time) return;
  }
}

std::uint64_t sum(const std::vector<std::unique_ptr<BamcpTree>>& trees,
                  const std::function<std::uint64_t(const BamcpTree&)>& number) {
  std::uint64_t all = 0;
  for (const auto& tree : trees) all += number(*tree);
  return all;
}

}  // namespace

AllowedActions::AllowedActions(const Outline& outline) : first_{0} {
  for (int x = 0; x < outline.states; ++x) {
    for (int a = 0; a < outline.actions; ++a) {
      if (outline.allowed(x, a)) action_.push_back(a);
    }
    first_.push_back(static_cast<std::uint32_t>(action_.size()));
  }
}

Bamcp::Bamcp(const Belief& prior, const BamcpSettings& settings)
    : Bamcp(*prior.environment(), std::make_shared<const AllowedActions>(prior.outline()), settings) {}

Bamcp::Bamcp(const Environment& environment, std::shared_ptr<const AllowedActions> allowed,
             const BamcpSettings& settings)
    : allowed_(std::move(allowed)),
      settings_(settings),
      rollouts_(std::make_shared<detail::RolloutValues>(allowed_, settings)) {
  for (int t = 0; t < std::max(1, settings.trees); ++t) {
    trees_.push_back(std::make_unique<BamcpTree>(environment.clone(), allowed_, rollouts_, settings_));
  }
}

Bamcp::~Bamcp() = default;

std::unique_ptr<Bamcp> Bamcp::fresh() const {
  return std::unique_ptr<Bamcp>(new Bamcp(trees_.front()->environment(), allowed_, settings_));
}

void Bamcp::forget() { rollouts_->forget(); }

void Bamcp::learn(const LastStep& step, int next) { rollouts_->learn(step, next); }

void Bamcp::run(const Situation& situation, const Rng& rng, const BamcpBudget& budget,
                const Resources& resources) {
  constexpr std::uint64_t kChoosing = ~std::uint64_t{0};  // trees are numbered from 0
  choosing_ = rng.split(kChoosing);
  const std::size_t trees = trees_.size();
  // It is not kept: as long as it exists, no other workers in the process have more threads than it has.
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
    search_tree(*trees_[t], situation, rng.split(t), share, time, resources.stop);
  };
  if (workers) return workers->for_each(trees, one);
  for (std::size_t t = 0; t < trees; ++t) one(t);
}

std::vector<ViewedAction> Bamcp::view(int levels, std::size_t most) const {
  using Place = MergedTrees::Place;
  const MergedTrees all(trees_, *allowed_);
  return detail::view_tree(
      all.root(), levels, most, [&](const Place& place) { return all.choices(place); },
      [&](const Place& place, std::size_t i, bool last) {  // at the last level only visits are known
        return last ? detail::SeenSuccessors<Place>{} : all.successors(place, i);
      });
}

int Bamcp::best_action() const {
  std::vector<int> best;
  double highest = -std::numeric_limits<double>::infinity();
  for (const ViewedAction& one : view(1, 0)) {
    if (one.visits == 0 || one.value < highest) continue;
    if (one.value > highest) best.clear();
    highest = one.value;
    best.push_back(one.action);
  }
  Rng luck = choosing_;
  return best.empty() ? 0 : best[uniform_index(luck, best.size())];
}

std::uint64_t Bamcp::simulations() const {
  return sum(trees_, [](const BamcpTree& t) { return t.simulations(); });
}

std::uint64_t Bamcp::steps() const {
  return sum(trees_, [](const BamcpTree& t) { return t.steps(); });
}

std::uint64_t Bamcp::nodes() const {
  return sum(trees_, [](const BamcpTree& t) { return t.tree().size(); });
}

}  // namespace assay
