// What a search for bounds has found, for people.
#include <algorithm>

#include "assay/solver/bound_search.hpp"

namespace assay {

std::vector<ViewedEnd> BoundSearch::ends_of(const Place& here, int action, int levels, std::size_t most) {
  std::vector<ViewedEnd> all;
  if (here.remaining == 1) return all;
  const auto outcome = [&](const FiniteModel::Result& result) {
    return Outcome{result.next, result.reward, model_->observation(result.observation)};
  };
  for (const FiniteModel::Result& acted : model_->results(here.state, action)) {
    const Seen moved = see(here.belief, acted);
    for (const FiniteModel::Result& arrived : model_->results(acted.next, kArrive)) {
      const Seen there = see(moved.belief, arrived);
      if (moved.probability * there.probability == 0) continue;
      ViewedEnd& end = all.emplace_back();
      end.probability = moved.probability * there.probability;
      end.state = acted.next;
      end.acted = outcome(acted);
      end.arrived = outcome(arrived);
      if (levels > 0) end.actions = actions_at({here.remaining - 1, acted.next, there.belief}, levels, most);
    }
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &ViewedEnd::probability);
  return all;
}

std::vector<ViewedAction> BoundSearch::actions_at(const Place& here, int levels, std::size_t most) {
  std::vector<ViewedAction> all;
  const NodeId node = node_at(here);
  const std::span<const Option> expanded = options_of(node);
  const std::vector<Option> options(expanded.begin(), expanded.end());  // the ends may add more
  for (const Option& option : options) {
    ViewedAction& one = all.emplace_back();
    const Bounds bounds = option_bounds(option);
    one.action = option.action;
    one.value = one.lower = bounds.lower;
    one.upper = bounds.upper;
    one.ends = ends_of(here, option.action, levels - 1, most);
    if (one.ends.size() <= most) continue;
    one.more_ends = one.ends.size() - most;
    one.ends.resize(most);
  }
  return all;
}

std::vector<ViewedAction> BoundSearch::view(int x, std::span<const double> weights, int remaining, int levels,
                                            std::size_t most) {
  (void)action_bounds(x, weights, remaining);  // so that there is something to see
  const Option root = root_;
  const std::vector<Branch> root_branches = root_branches_;
  search_from(x, weights, remaining);
  const Place here = place(root_branches_.front().node);
  root_ = root;
  root_branches_ = root_branches;
  return levels == 0 ? std::vector<ViewedAction>{} : actions_at(here, levels, most);
}

}  // namespace assay
