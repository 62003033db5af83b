// The tree of a search for bounds, as it is shown to people.
#include "solver/bound_search.hpp"

namespace assay {

std::vector<ViewedAction> BoundSearch::choices_at(const Place& here) {
  std::vector<ViewedAction> all;
  for (const Choice& choice : tree_.choices(tree_.node(node_at(here)))) {
    ViewedAction& one = all.emplace_back();
    const Bounds bounds = bounds_of(choice);
    one.action = choice.action;
    one.value = one.lower = bounds.lower;
    one.upper = bounds.upper;
  }
  return all;
}

/// The observations come from the model, because branches do not keep them.
detail::SeenSuccessors<BoundSearch::Place> BoundSearch::successors_of(const Place& here, int action) {
  detail::SeenSuccessors<Place> all;
  if (is_last(here)) return all;
  const auto outcome = [&](const FiniteModel::Result& result) {
    return Outcome{result.next, result.reward, model_->observation(result.observation)};
  };
  for (const FiniteModel::Result& acted : model_->results(here.state, action)) {
    const Posterior moved = posterior(here.belief, acted);
    for (const FiniteModel::Result& arrived : model_->results(acted.next, kArrive)) {
      const Posterior there = posterior(moved.belief, arrived);
      if (moved.probability * there.probability == 0) continue;
      const Place next{clock_after(here), acted.next, there.belief};
      ViewedSuccessor& one = all.emplace_back(ViewedSuccessor{}, next).first;
      one.probability = moved.probability * there.probability;
      one.state = acted.next;
      one.acted = outcome(acted);
      one.arrived = outcome(arrived);
    }
  }
  return all;
}

std::vector<ViewedAction> BoundSearch::view(int x, std::span<const double> weights, int remaining, int levels,
                                            std::size_t most) {
  return detail::view_tree(
      place(expanded_node_at(x, weights, remaining)), levels, most,
      [&](const Place& here) { return choices_at(here); },
      [&](const Place& here, std::size_t i, bool /*last*/) {
        return successors_of(here, tree_.choices(tree_.node(node_at(here)))[i].action);
      });
}

}  // namespace assay
