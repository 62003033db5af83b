#include "solver/fixed_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "assay/core/detail/memory.hpp"

namespace assay {
namespace {

constexpr int kMostPlannedSteps = 1000;          // the longest horizon that is searched
constexpr std::size_t kMostValues = 20'000'000;  // steps * states * environments of a search
constexpr std::size_t kMostTried = 16;           // environments whose plans are tried
constexpr int kMostImprovements = 50;            // sweeps that improve a plan
constexpr double kSlack = 1e-11;                 // rounding, relative to the scale

double sum_of(const std::vector<double>& weights) {
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

}  // namespace

/// The state of a branch and bound.
struct FixedPlans::Branching {
  Found* best;
  Actions plan;  // its decided part
  double work;   // the work that is left
};

/// One step of a branch and bound.
struct FixedPlans::Layer {
  int h;
  double collected, weight;
  std::vector<std::pair<int, std::vector<Choice>>> decisions;  // (state, its choices)
  std::vector<const Choice*> chosen;                           // for the first of the decisions
};

FixedPlans::FixedPlans(std::vector<Mdp> environments, int steps, FixedPlanLimits limits)
    : environments_(std::move(environments)),
      steps_(steps),
      limits_(std::move(limits)),
      beliefs_(static_cast<int>(environments_.size())),
      places_(2, 1024, large_arrays()) {
  const auto states = static_cast<std::size_t>(environments_[0].states);
  const auto layers = static_cast<std::size_t>(steps) + 1;
  searches_ = steps <= kMostPlannedSteps && layers * states * environments_.size() <= kMostValues;
  known_values_.resize(layers);
  for (std::size_t h = searches_ ? 0 : layers - 1; h < layers; ++h) {
    known_values_[h].assign(states, Weights(environments_.size()));
  }
  for (std::size_t e = 0; e < environments_.size(); ++e) {
    limits_.stop.check();
    Plan plan = optimal_plan(environments_[e], steps);
    scale_ = std::max(scale_, value_scale(environments_[e], plan.value.back()));
    for (std::size_t h = 0; h < layers; ++h) {
      for (std::size_t x = 0; x < known_values_[h].size(); ++x) known_values_[h][x][e] = plan.value[h][x];
    }
    plans_.push_back(std::move(plan.action));
  }
}

bool FixedPlans::allowed(int x, int a) const { return std::isfinite(environments_[0].reward[row(x, a)]); }

double FixedPlans::reward(int x, int a, const Weights& weights) const {
  double sum = 0;
  for (std::size_t e = 0; e < weights.size(); ++e) {
    if (weights[e] > 0) sum += weights[e] * environments_[e].reward[row(x, a)];
  }
  return sum;
}

void FixedPlans::move(int x, int a, const Weights& weights, Masses& into) const {
  const std::size_t pair = row(x, a);
  for (std::size_t e = 0; e < weights.size(); ++e) {
    if (weights[e] == 0) continue;
    const Mdp& mdp = environments_[e];
    for (std::uint32_t i = mdp.first_arc[pair]; i < mdp.first_arc[pair + 1]; ++i) {
      Weights& there = into[mdp.arcs[i].next];
      there.resize(weights.size());
      there[e] += weights[e] * mdp.arcs[i].probability;
    }
  }
}

/// The full-information value of a state with these weights of the environments.
double FixedPlans::full_information(int h, int x, const Weights& weights) const {
  const Weights& values = known_values_[static_cast<std::size_t>(h)][static_cast<std::size_t>(x)];
  double sum = 0;
  for (std::size_t e = 0; e < weights.size(); ++e) sum += weights[e] * values[e];
  return sum;
}

bool FixedPlans::spend(double& left, double work) {
  if (left <= 0 || limits_.stop.now()) return false;
  left -= work;
  return true;
}

std::vector<FixedPlans::Choice> FixedPlans::choices(int h, int x, const Weights& weights) {
  std::vector<Choice> all;
  for (int a = 0; a < environments_[0].actions; ++a) {
    if (!allowed(x, a)) continue;
    const double paid = reward(x, a, weights);
    Choice& choice = all.emplace_back(Choice{a, paid, paid, {}});
    if (h == 1) continue;
    move(x, a, weights, choice.next);
    choice.value += environments_[0].discount * upper(h - 1, choice.next);
  }
  return all;
}

/// An upper bound: the value for an agent that remembers the states passed.
double FixedPlans::upper(int h, int x, const Weights& weights) {
  if (h == 0) return 0;
  if (!searches_ || std::ranges::count_if(weights, [](double w) { return w > 0; }) <= 1) {
    return full_information(h, x, weights);
  }
  const std::uint64_t place[] = {static_cast<std::uint64_t>(h) << 32U | static_cast<std::uint64_t>(x),
                                 beliefs_.insert(std::span<const double>(weights))};
  const std::uint32_t node = places_.insert(place, hash_key(place));
  if (node == uppers_.size()) {
    uppers_.push_back(0);
    const double total = sum_of(weights);
    const double work = static_cast<double>(weights.size()) * environments_[0].actions;
    double value = full_information(h, x, weights) / total;
    if (spend(limits_.work, work)) {
      Weights share = weights;
      for (double& w : share) w /= total;
      double best = -std::numeric_limits<double>::infinity();
      for (const Choice& choice : choices(h, x, share)) best = std::max(best, choice.value);
      value = std::min(value, best);
    }
    uppers_[node] = value;
  }
  return sum_of(weights) * uppers_[node];
}

double FixedPlans::upper(int h, const Masses& masses) {
  double sum = 0;
  for (const auto& [x, weights] : masses) sum += upper(h, x, weights);
  return sum;
}

/// The plan that takes in every state the action with the largest upper bound.
FixedPlans::Actions FixedPlans::by_upper(const Masses& from) {
  Actions plan = plans_[0];
  Masses layer = from;
  for (int h = steps_; h > 0; --h) {
    Masses next;
    for (const auto& [x, weights] : layer) {
      const std::vector<Choice> all = choices(h, x, weights);
      const auto best = std::ranges::max_element(all, {}, &Choice::value);
      plan[static_cast<std::size_t>(h)][static_cast<std::size_t>(x)] = best->action;
      move(x, best->action, weights, next);
    }
    layer = std::move(next);
  }
  return plan;
}

double FixedPlans::value(const Actions& plan, const Masses& from) const {
  double sum = 0;
  double weight = 1;
  Masses layer = from;
  for (int h = steps_; h > 0; --h, weight *= environments_[0].discount) {
    Masses next;
    for (const auto& [x, weights] : layer) {
      const int action = plan[static_cast<std::size_t>(h)][static_cast<std::size_t>(x)];
      sum += weight * reward(x, action, weights);
      move(x, action, weights, next);
    }
    layer = std::move(next);
  }
  return sum;
}

/// [environment]: the weighted value of an action whose successors have the values `after`.
FixedPlans::Weights FixedPlans::look(int x, int a, const Weights& weights,
                                     const std::vector<Weights>& after) const {
  Weights worth(weights.size());
  const std::size_t pair = row(x, a);
  for (std::size_t e = 0; e < weights.size(); ++e) {
    if (weights[e] == 0) continue;
    const Mdp& mdp = environments_[e];
    double next = 0;
    for (std::uint32_t i = mdp.first_arc[pair]; i < mdp.first_arc[pair + 1]; ++i) {
      next += mdp.arcs[i].probability * after[static_cast<std::size_t>(mdp.arcs[i].next)][e];
    }
    worth[e] = weights[e] * (mdp.reward[pair] + mdp.discount * next);
  }
  return worth;
}

/// Changes one action at a time, the last step first, as long as that raises the value. No change makes the
/// plan worse: what comes before does not depend on the action, and what follows it has been decided.
void FixedPlans::improve(Actions& plan, const Masses& from) {
  const auto states = static_cast<std::size_t>(environments_[0].states);
  const Weights every(environments_.size(), 1.0);
  const double work = static_cast<double>(plan.size() * states * every.size());
  for (int sweep = 0; sweep < kMostImprovements && spend(limits_.improving_work, work); ++sweep) {
    std::vector<Masses> layers(static_cast<std::size_t>(steps_) + 1);
    layers.back() = from;
    for (std::size_t h = layers.size() - 1; h > 1; --h) {
      for (const auto& [x, weights] : layers[h]) {
        move(x, plan[h][static_cast<std::size_t>(x)], weights, layers[h - 1]);
      }
    }
    bool changed = false;
    std::vector<Weights> after(states, Weights(environments_.size()));  // of following the plan
    for (std::size_t h = 1; h < layers.size(); ++h) {
      for (const auto& [x, weights] : layers[h]) {
        int& action = plan[h][static_cast<std::size_t>(x)];
        double best = sum_of(look(x, action, weights, after)) + kSlack * scale_;
        for (int a = 0; a < environments_[0].actions; ++a) {
          const double sum = allowed(x, a) ? sum_of(look(x, a, weights, after)) : best;
          if (sum <= best) continue;
          best = sum;
          action = a;
          changed = true;
        }
      }
      // The values are needed also where the plan does not lead, because a change may lead there.
      std::vector<Weights> now;
      for (std::size_t x = 0; x < states; ++x) {
        now.push_back(look(static_cast<int>(x), plan[h][x], every, after));
      }
      after = std::move(now);
    }
    if (!changed) return;
  }
}

FixedPlans::Found FixedPlans::best(const Masses& from) {
  Found found{{-std::numeric_limits<double>::infinity(), upper(steps_, from)}, {}};
  const auto offer = [&](Actions plan) {
    if (searches_) improve(plan, from);
    const double worth = value(plan, from);
    if (worth <= found.value.lower) return;
    found.value.lower = worth;
    found.plan = std::move(plan);
  };
  if (searches_ && steps_ > 0) offer(by_upper(from));
  const auto closed = [&] { return found.value.upper - found.value.lower <= kSlack * scale_; };
  std::vector<std::size_t> likely(environments_.size());
  std::iota(likely.begin(), likely.end(), std::size_t{0});
  std::ranges::stable_sort(likely, std::ranges::greater{}, [&](std::size_t e) {
    double sum = 0;
    for (const auto& [x, weights] : from) sum += weights[e];
    return sum;
  });
  likely.resize(std::min(likely.size(), kMostTried));
  for (const std::size_t e : likely) {
    if (!closed()) offer(plans_[e]);
  }
  if (searches_ && !closed()) {
    Branching state{&found, found.plan, limits_.branch_work};
    branch(steps_, from, 0, 1, state);
    if (state.work > 0) found.value.upper = found.value.lower;  // every plan has been considered
  }
  found.value = both(found.value, found.value);
  return found;
}

/// `collected` is the sum so far; what is collected from here on counts with the factor `weight`.
void FixedPlans::branch(int h, const Masses& masses, double collected, double weight, Branching& state) {
  if (h == 0) {
    if (collected <= state.best->value.lower) return;
    state.best->value.lower = collected;
    state.best->plan = state.plan;
    return;
  }
  Layer layer{h, collected, weight, {}, {}};
  double most = 0;
  for (const auto& [x, weights] : masses) {
    if (!spend(state.work, static_cast<double>(weights.size()) * environments_[0].actions)) return;
    std::vector<Choice>& all = layer.decisions.emplace_back(x, choices(h, x, weights)).second;
    std::ranges::stable_sort(all, std::ranges::greater{}, &Choice::value);
    most += all.front().value;
  }
  decide(layer, most, state);
}

/// Decides the first state of the layer that is still undecided. `most` is an upper bound of the layer's
/// value, given what has been decided in it.
void FixedPlans::decide(Layer& layer, double most, Branching& state) {
  if (layer.collected + layer.weight * most <= state.best->value.lower + kSlack * scale_) return;
  const std::size_t at = layer.chosen.size();
  if (at == layer.decisions.size()) {
    Masses next;
    double collected = layer.collected;
    for (const Choice* choice : layer.chosen) {
      collected += layer.weight * choice->reward;
      for (const auto& [x, weights] : choice->next) {
        Weights& there = next[x];
        there.resize(weights.size());
        for (std::size_t e = 0; e < weights.size(); ++e) there[e] += weights[e];
      }
    }
    branch(layer.h - 1, next, collected, layer.weight * environments_[0].discount, state);
    return;
  }
  const auto& [x, all] = layer.decisions[at];
  for (const Choice& choice : all) {
    if (state.work <= 0) return;
    state.plan[static_cast<std::size_t>(layer.h)][static_cast<std::size_t>(x)] = choice.action;
    layer.chosen.push_back(&choice);
    decide(layer, most - all.front().value + choice.value, state);
    layer.chosen.pop_back();
  }
}

}  // namespace assay
