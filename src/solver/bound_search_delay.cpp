// How late a search for bounds earns what it has found. Delays decide among equally good actions.
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "solver/bound_search.hpp"

namespace assay {
namespace {

constexpr int kDeepest = 2000;                      // steps that are looked ahead
constexpr std::size_t kMostPlanValues = 4'000'000;  // that the plans of known environments may hold
constexpr double kNotAsked = std::numeric_limits<double>::quiet_NaN();

}  // namespace

/// The plan of an environment that is known; none if it would take too much memory.
const Plan* BoundSearch::known_plan(int environment) {
  if (model_->endless()) return nullptr;
  const auto found = known_plans_.find(environment);
  if (found != known_plans_.end()) return &found->second;
  const std::size_t values =
      static_cast<std::size_t>(model_->horizon() + 1) * static_cast<std::size_t>(model_->states());
  if (known_plan_values_ + values > kMostPlanValues) return nullptr;
  known_plan_values_ += values;
  const Mdp mdp = model_->environment(environment);
  return &known_plans_.emplace(environment, optimal_plan(mdp, model_->horizon(), Ties::kEarliest))
              .first->second;
}

double BoundSearch::choice_delay(const Choice& choice, int depth) {
  double sum = choice.arrival;
  for (const Branch& branch : tree_.branches(choice)) {
    const double lower = tree_.node(branch.node).bounds.lower;
    sum += branch.probability * (lower + node_delay(branch.node, depth + 1));
  }
  return sum;
}

const BoundSearch::Choice& BoundSearch::first_best_choice(NodeId node, int depth) {
  const std::span<const Choice> choices = tree_.choices(tree_.node(node));
  return choices[detail::first_best_of(
      choices.size(), [&](std::size_t i) { return bounds_of(choices[i]).lower; },
      [&](std::size_t i) { return choice_delay(choices[i], depth); }, scale_)];
}

/// The delay of the best plan in the tables, if it is followed without a change.
double BoundSearch::plan_delay(const Place& here) const {
  const std::span<const BeliefTable::Share> shares = beliefs_.shares(here.belief);
  const int plan = best_plan(here, shares);
  std::map<int, std::vector<double>> layer;  // [state][environment]: the probability of being there
  for (const BeliefTable::Share& share : shares) {
    std::vector<double>& there = layer[here.state];
    there.resize(static_cast<std::size_t>(model_->environments()));
    there[static_cast<std::size_t>(share.environment)] = share.weight;
  }
  double delay = 0;
  double weight = 1;
  for (int t = 0; t < here.remaining; ++t, weight *= model_->discount()) {
    std::map<int, std::vector<double>> next;
    for (const auto& here_now : layer) {
      const int x = here_now.first;
      const std::vector<double>& chances = here_now.second;
      double paid = 0;
      const std::span<const double> arrival = tables_.arrival(x);
      for (std::size_t e = 0; e < chances.size(); ++e) paid += t > 0 ? chances[e] * arrival[e] : 0;
      for (const FiniteModel::Result& result :
           model_->results(x, tables_.action(here.remaining - t, x, plan))) {
        std::vector<double>& there = next[result.next];
        there.resize(chances.size());
        const auto lead = [&](std::size_t e, double p) {
          paid += chances[e] * p * result.reward;
          there[e] += chances[e] * p;
        };
        for (const FiniteModel::Chance& c : model_->chances(result)) {
          if (c.environment == FiniteModel::kEvery) {
            for (std::size_t e = 0; e < chances.size(); ++e) lead(e, c.probability);
          } else {
            lead(static_cast<std::size_t>(c.environment), c.probability);
          }
        }
      }
      delay += weight * t * paid;
    }
    layer = std::move(next);
  }
  return delay;
}

double BoundSearch::node_delay(NodeId node, int depth) {
  if (model_->endless()) return 0;  // paths have no end, and where rewards are discounted ties are rare
  if (delays_.size() < tree_.size()) delays_.resize(tree_.size(), kNotAsked);
  if (!std::isnan(delays_[node])) return delays_[node];
  const Place here = place(node);
  const std::span<const BeliefTable::Share> shares = beliefs_.shares(here.belief);
  const Plan* plan = shares.size() == 1 ? known_plan(shares.front().environment) : nullptr;
  double delay = 0;
  if (plan != nullptr) {
    delay = plan->delay[static_cast<std::size_t>(here.remaining)][static_cast<std::size_t>(here.state)];
  } else if (tree_.expanded(node) && depth < kDeepest) {
    delay = choice_delay(first_best_choice(node, depth), depth);
  } else if (here.remaining <= kDeepest) {
    delay = plan_delay(here);
  }
  return delays_[node] = delay;
}

std::vector<double> BoundSearch::action_delays(int x, std::span<const double> weights, int remaining) {
  const NodeId node = expanded_node_at(x, weights, remaining);
  std::vector<double> all(static_cast<std::size_t>(model_->actions()), 0.0);
  for (const Choice& choice : tree_.choices(tree_.node(node))) {
    all[static_cast<std::size_t>(choice.action)] = choice_delay(choice, 0);
  }
  return all;
}

}  // namespace assay
