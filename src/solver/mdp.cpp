#include "assay/solver/detail/mdp.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace assay {
namespace {

/// The expected value of the next state.
inline double expected_next(const Mdp& mdp, std::size_t pair, const std::vector<double>& next_value) {
  double sum = 0;
  for (std::uint32_t i = mdp.first_arc[pair]; i < mdp.first_arc[pair + 1]; ++i) {
    sum += mdp.arcs[i].probability * next_value[static_cast<std::size_t>(mdp.arcs[i].next)];
  }
  return sum;
}

}  // namespace

double action_value(const Mdp& mdp, int state, int action, const std::vector<double>& next_value) {
  const auto pair = static_cast<std::size_t>(state) * static_cast<std::size_t>(mdp.actions) +
                    static_cast<std::size_t>(action);
  return mdp.reward[pair] + mdp.discount * expected_next(mdp, pair, next_value);
}

int first_best(std::span<const double> values, std::span<const double> delays, double scale) {
  return static_cast<int>(detail::first_best_of(
      values.size(), [&](std::size_t a) { return values[a]; },
      [&](std::size_t a) { return delays.empty() ? 0.0 : delays[a]; }, scale));
}

namespace {

double reward_scale(const Mdp& mdp) {
  double scale = 0;
  for (const double r : mdp.reward) scale = std::isfinite(r) ? std::max(scale, std::abs(r)) : scale;
  return scale;
}

double scale_with(double scale, const std::vector<double>& next_value) {
  for (const double v : next_value) scale = std::max(scale, std::abs(v));
  return scale;
}

}  // namespace

double value_scale(const Mdp& mdp, const std::vector<double>& next_value) {
  return scale_with(reward_scale(mdp), next_value);
}

namespace {

/// The best actions with one step more to go than `after` has, by state.
struct BestLayer {
  std::vector<int> action;
  After worth;
};

/// The optimal actions of one environment, one step after the other.
class BackwardInduction {
 public:
  explicit BackwardInduction(const Mdp& mdp)
      : mdp_(mdp), reward_scale_(reward_scale(mdp)), values_(static_cast<std::size_t>(mdp.actions)) {
    note_certain_moves();
  }

  /// Without delays, the lowest of equal actions is taken, and the result has no delays.
  BestLayer layer(const std::vector<double>& value, const std::vector<double>& delay) {
    const auto states = static_cast<std::size_t>(mdp_.states);
    const auto actions = values_.size();
    const bool early = !delay.empty();
    const double scale = scale_with(reward_scale_, value);
    later_.resize(delay.size());
    for (std::size_t x = 0; x < later_.size(); ++x) later_[x] = value[x] + delay[x];
    BestLayer layer{std::vector<int>(states),
                    {std::vector<double>(states), std::vector<double>(delay.size())}};
    for (std::size_t x = 0; x < states; ++x) {
      const std::size_t row = x * actions;
      for (std::size_t a = 0; a < actions; ++a) {
        values_[a] = mdp_.reward[row + a] + mdp_.discount * next_mean(row + a, value);
      }
      // Delays are computed only for the actions that could be the best.
      const auto late = [&](std::size_t a) {
        return early ? mdp_.discount * next_mean(row + a, later_) : 0.0;
      };
      const std::size_t best = detail::first_best_of(
          actions, [&](std::size_t a) { return values_[a]; }, late, scale);
      layer.action[x] = static_cast<int>(best);
      layer.worth.value[x] = *std::ranges::max_element(values_);
      if (early) layer.worth.delay[x] = late(best);
    }
    return layer;
  }

 private:
  /// Where every action has one successor, a table of successors is read twice as fast as arcs.
  void note_certain_moves() {
    for (std::size_t pair = 0; pair < mdp_.reward.size(); ++pair) {
      const std::uint32_t arc = mdp_.first_arc[pair];
      const std::uint32_t arcs = mdp_.first_arc[pair + 1] - arc;
      if (arcs > 1 || (arcs == 1 && mdp_.arcs[arc].probability != 1)) return next_.clear();
      if (arcs == 0 && std::isfinite(mdp_.reward[pair])) return next_.clear();
      // An action that is not allowed is worth minus infinity, whatever follows.
      next_.push_back(arcs == 0 ? 0 : static_cast<std::size_t>(mdp_.arcs[arc].next));
    }
  }
  /// The same number as that of expected_next; 0 is added because a sum that begins with 0 is never -0.
  [[nodiscard]] double next_mean(std::size_t pair, const std::vector<double>& next_value) const {
    return next_.empty() ? expected_next(mdp_, pair, next_value) : next_value[next_[pair]] + 0.0;
  }

  const Mdp& mdp_;
  double reward_scale_;
  std::vector<std::size_t> next_;  // [state][action], if all moves are certain; otherwise empty
  std::vector<double> values_;     // [action]
  std::vector<double> later_;      // value and delay of what follows, by state
};

std::vector<double> followed_layer(const Mdp& mdp, const std::vector<int>& action,
                                   const std::vector<double>& next_value) {
  std::vector<double> value(static_cast<std::size_t>(mdp.states));
  for (int x = 0; x < mdp.states; ++x) {
    const auto at = static_cast<std::size_t>(x);
    value[at] = action_value(mdp, x, action[at], next_value);
  }
  return value;
}

Plan plan_with(const Mdp& mdp, int horizon, After after) {
  const bool early = !after.delay.empty();
  Plan plan{.action = {{}}, .value = {std::move(after.value)}, .delay = {}};
  if (early) plan.delay.push_back(std::move(after.delay));
  const std::vector<double> none;
  BackwardInduction induction(mdp);
  for (int h = 1; h <= horizon; ++h) {
    BestLayer layer = induction.layer(plan.value.back(), early ? plan.delay.back() : none);
    plan.action.push_back(std::move(layer.action));
    plan.value.push_back(std::move(layer.worth.value));
    if (early) plan.delay.push_back(std::move(layer.worth.delay));
  }
  return plan;
}

}  // namespace

Plan optimal_plan(const Mdp& mdp, int horizon, Ties ties) {
  const std::vector<double> nothing(static_cast<std::size_t>(mdp.states), 0.0);
  return plan_with(mdp, horizon, {nothing, ties == Ties::kEarliest ? nothing : std::vector<double>{}});
}

Plan optimal_plan(const Mdp& mdp, int horizon, After after) {
  return plan_with(mdp, horizon, std::move(after));
}

std::vector<std::vector<double>> plan_value(const Mdp& mdp, const Plan& plan, int horizon) {
  const auto states = static_cast<std::size_t>(mdp.states);
  std::vector<std::vector<double>> value = {std::vector<double>(states, 0.0)};
  for (int h = 1; h <= horizon; ++h) {
    value.push_back(followed_layer(mdp, plan.action[static_cast<std::size_t>(h)], value.back()));
  }
  return value;
}

PlanWorth plan_worth(const Mdp& planned, std::span<const Mdp> worlds, int horizon, const Stop& stop) {
  const std::vector<double> nothing(static_cast<std::size_t>(planned.states), 0.0);
  PlanWorth worth{nothing, std::vector<std::vector<double>>(worlds.size(), nothing)};
  StopPoll poll(stop);
  BackwardInduction induction(planned);
  for (int h = 1; h <= horizon; ++h) {
    BestLayer layer = induction.layer(worth.own, {});
    worth.own = std::move(layer.worth.value);
    poll.count(planned.arcs.size());
    for (std::size_t w = 0; w < worlds.size(); ++w) {
      worth.other[w] = followed_layer(worlds[w], layer.action, worth.other[w]);
      poll.count(planned.reward.size());
    }
  }
  return worth;
}

}  // namespace assay
