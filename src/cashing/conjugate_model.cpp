#include "cashing/conjugate_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "assay/solver/detail/information.hpp"

namespace assay {

ConjugateModel::ConjugateModel(const Belief& prior, const ConjugateSettings& settings)
    : settings_(settings),
      prior_(prior.clone()),
      moves_(prior, settings.discount),
      pool_moves_(moves_),
      many_(static_cast<std::size_t>(prior.states()) * static_cast<std::size_t>(prior.actions() + 1)),
      actions_(static_cast<std::size_t>(prior.actions())),
      rng_(0) {
  Pool& root = pools_.emplace_back();
  for (std::size_t i = 0; i < settings_.environments; ++i) root.environments.push_back(prior.environment());
}

std::uint32_t ConjugateModel::begin(const Situation& situation, Rng rng) {
  rng_ = rng;
  drew_ = false;
  pools_.resize(1);
  std::uint64_t stream = 0;
  for (const auto& environment : pools_.front().environments) {
    environment->draw_from(situation.belief());
    environment->draw(rng.split(stream++));
  }
  solve(pools_.front(), situation.remaining());
  beliefs_.clear();
  Held& root = beliefs_.emplace_back();
  root.knowledge = prior_->clone();
  root.knowledge->assign(situation.belief());
  const std::size_t lanes = pools_.front().environments.size();
  root.weights.assign(lanes, 1 / static_cast<float>(lanes));
  return 0;
}

void ConjugateModel::solve(Pool& pool, int remaining) {
  const std::size_t lanes = pool.environments.size();
  const auto states = static_cast<std::size_t>(prior_->states());
  pool_moves_.resize(lanes);
  std::vector<float> arrival(states * lanes);
  for (std::size_t i = 0; i < lanes; ++i) {
    Environment& environment = *pool.environments[i];
    pool_moves_.set(i, environment);
    for (std::size_t x = 0; x < states; ++x) {
      arrival[x * lanes + i] = static_cast<float>(environment.expected_arrival(static_cast<int>(x)));
    }
  }
  pool_moves_.solve_all(remaining, pool.full_values);
  for (std::size_t level = 1; level <= static_cast<std::size_t>(remaining); ++level) {
    for (std::size_t i = 0; i < states * lanes; ++i)
      pool.full_values[level * states * lanes + i] -= arrival[i];
  }
}

double ConjugateModel::full_value(const Held& belief, int state, int remaining) const {
  const Pool& pool = pools_[belief.pool];
  const std::size_t lanes = pool.environments.size();
  const auto states = static_cast<std::size_t>(prior_->states());
  const std::size_t level = static_cast<std::size_t>(remaining) * states + static_cast<std::size_t>(state);
  const float* values = pool.full_values.data() + level * lanes;
  double sum = 0;
  for (std::size_t i = 0; i < lanes; ++i) sum += belief.weights[i] * values[i];
  return sum;
}

Bounds ConjugateModel::bounds(std::uint32_t belief, int state, int remaining) {
  const Held& known = beliefs_[belief];
  moves_.resize(1);
  moves_.set(0, *known.knowledge);
  moves_.solve(remaining);
  return {moves_.value(state, 0) - known.knowledge->expected_arrival(state),
          full_value(known, state, remaining)};
}

EstimatedBounds ConjugateModel::root_bounds(int state, int remaining) {
  const std::size_t level = static_cast<std::size_t>(remaining) * static_cast<std::size_t>(prior_->states()) +
                            static_cast<std::size_t>(state);
  const Pool& pool = pools_.front();
  const auto values =
      pool.full_values.begin() + static_cast<std::ptrdiff_t>(level * pool.environments.size());
  const auto count = static_cast<std::ptrdiff_t>(pool.environments.size());
  return {{bounds(0, state, remaining).lower, 0},
          detail::mean_of(std::vector<double>(values, values + count))};
}

std::uint32_t ConjugateModel::after(const Held& belief, int state, int action, const Outcome& seen) {
  Held next;
  next.knowledge = belief.knowledge->clone();
  next.pool = belief.pool;
  next.weights = belief.weights;
  if (belief.knowledge->learns(state, action)) {
    const Pool& pool = pools_[belief.pool];
    next.knowledge->observe(state, action, seen);
    double sum = 0;
    for (std::size_t i = 0; i < next.weights.size(); ++i) {
      if (next.weights[i] == 0) continue;
      next.weights[i] *= static_cast<float>(pool.environments[i]->likelihood(state, action, seen));
      sum += next.weights[i];
    }
    if (sum > 0) {
      for (float& weight : next.weights) weight = static_cast<float>(weight / sum);
    } else {
      next.weights = belief.weights;  // none of the pool explains it, which says nothing
    }
  }
  beliefs_.push_back(std::move(next));
  return static_cast<std::uint32_t>(beliefs_.size() - 1);
}

bool ConjugateModel::listable(const Held& belief, int state, int action,
                              std::vector<Belief::Prediction>& out) {
  const std::size_t at =
      static_cast<std::size_t>(state) * (actions_ + 1) + static_cast<std::size_t>(action + 1);
  if (many_[at]) return false;
  try {
    out = belief.knowledge->predict(state, action, settings_.listed);
    return true;
  } catch (const LimitError&) {
  } catch (const UsageError&) {  // normal rewards: there is no list
  }
  many_[at] = true;
  return false;
}

void ConjugateModel::draw_successors(std::uint32_t belief, int state, int action, int remaining,
                                     Choice& choice) {
  drew_ = true;
  const std::unique_ptr<Belief> known = beliefs_[belief].knowledge->clone();
  // The same random numbers wherever the tree gets there: what differs is then what was known before.
  const std::uint64_t draws = pools_[beliefs_[belief].pool].draws;
  const Rng luck = rng_.split(settings_.environments + draws);
  const std::size_t count = belief == 0 ? settings_.drawn : settings_.drawn_later;
  const std::size_t pool = pools_.size();
  Pool& drawn = pools_.emplace_back();
  drawn.draws = draws + 1;
  choice.successors.clear();
  for (std::size_t i = 0; i < count; ++i) {
    Rng own = luck.split(i);
    Environment& environment = *drawn.environments.emplace_back(known->environment());
    environment.draw(own.split(0));
    Successor& successor = choice.successors.emplace_back();
    successor.probability = 1 / static_cast<double>(count);
    successor.acted = environment.outcome(state, action, own);
    successor.state = successor.acted.next;
    successor.evidence = detail::evidence_of(state, action, successor.acted);
    // The environment and what it shows were drawn together, so that this environment is a draw of the
    // posterior.
    Held& next = beliefs_.emplace_back();
    successor.belief = static_cast<std::uint32_t>(beliefs_.size() - 1);
    next.knowledge = known->clone();
    next.knowledge->observe(state, action, successor.acted);
    next.pool = pool;
    next.weights.assign(count, 0);
    next.weights[i] = 1;
    if (remaining == 1) continue;
    successor.arrived = environment.outcome(successor.state, kArrive, own);
    successor.evidence += detail::evidence_of(successor.state, kArrive, successor.arrived);
    next.knowledge->observe(successor.state, kArrive, successor.arrived);
  }
  solve(drawn, remaining - 1);
  choice.reward = known->expected_reward(state, action) - known->expected_arrival(state) +
                  known_anyway(*known, choice.successors, remaining - 1);
}

/// By how much the drawn successors promise too little to an agent that does not change its plan. Beliefs are
/// martingales and values are linear, so that this plan collects what it would have collected without seeing
/// anything: a control variate.
double ConjugateModel::known_anyway(const Belief& known, const std::vector<Successor>& drawn, int remaining) {
  if (remaining == 0) return 0;
  moves_.resize(1);
  moves_.set(0, known);
  std::map<int, std::vector<double>> collections;  // by the state of a successor
  double sum = 0;
  for (const Successor& successor : drawn) {
    const auto [at, fresh] = collections.try_emplace(successor.state);
    if (fresh) at->second = moves_.collections(successor.state, remaining);
    const Belief& then = *beliefs_[successor.belief].knowledge;
    const double without = moves_.paid(at->second, known);
    const double with =
        successor.arrived.reward + moves_.paid(at->second, then) - then.expected_arrival(successor.state);
    sum += successor.probability * (without - with);
  }
  return settings_.discount * sum;
}

void ConjugateModel::list_successors(std::uint32_t belief, int state, int action, int remaining,
                                     Choice& choice) {
  std::vector<Belief::Prediction> acted;
  std::vector<Belief::Prediction> arrived;
  if (!listable(beliefs_[belief], state, action, acted)) {
    return draw_successors(belief, state, action, remaining, choice);
  }
  for (const Belief::Prediction& one : acted) {
    choice.reward += one.probability * one.outcome.reward;
    Successor successor;
    successor.probability = one.probability;
    successor.state = one.outcome.next;
    successor.belief = belief;
    successor.acted = one.outcome;
    if (beliefs_[belief].knowledge->learns(state, action)) {
      successor.belief = after(beliefs_[belief], state, action, one.outcome);
      successor.evidence = detail::evidence_of(state, action, one.outcome);
    }
    if (remaining == 1) {
      choice.successors.push_back(successor);
      continue;
    }
    if (!listable(beliefs_[successor.belief], successor.state, kArrive, arrived)) {
      return draw_successors(belief, state, action, remaining, choice);
    }
    const bool learns = beliefs_[successor.belief].knowledge->learns(successor.state, kArrive);
    for (const Belief::Prediction& two : arrived) {
      Successor whole = successor;
      whole.probability *= two.probability;
      whole.arrived = two.outcome;
      if (learns) {
        whole.belief = after(beliefs_[successor.belief], successor.state, kArrive, two.outcome);
        whole.evidence += detail::evidence_of(successor.state, kArrive, two.outcome);
      }
      choice.successors.push_back(whole);
    }
  }
}

void ConjugateModel::value_successors(int remaining, std::vector<Choice>& out) {
  if (remaining == 0) return;
  std::size_t lanes = 0;
  for (const Choice& choice : out) lanes += choice.successors.size();
  moves_.resize(lanes);
  std::size_t lane = 0;
  for (const Choice& choice : out) {
    for (const Successor& successor : choice.successors)
      moves_.set(lane++, *beliefs_[successor.belief].knowledge);
  }
  moves_.solve(remaining);
  lane = 0;
  for (Choice& choice : out) {
    for (Successor& successor : choice.successors) {
      const Held& known = beliefs_[successor.belief];
      successor.bounds = {
          moves_.value(successor.state, lane++) - known.knowledge->expected_arrival(successor.state),
          full_value(known, successor.state, remaining)};
    }
  }
}

void ConjugateModel::look_ahead(std::uint32_t belief, int state, int remaining, std::vector<Choice>& out) {
  out.clear();
  for (const int a : moves_.allowed(state)) {
    Choice& choice = out.emplace_back();
    choice.action = a;
    list_successors(belief, state, a, remaining, choice);
  }
  value_successors(remaining - 1, out);
}

}  // namespace assay
