#include "assay/cashing/conjugate_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "assay/solver/information.hpp"

namespace assay {

bool ends_can_be_listed(const Knowledge& prior, std::size_t most) {
  for (int x = 0; x < prior.states(); ++x) {
    for (int a = kArrive; a < prior.actions(); ++a) {
      if ((a != kArrive && !prior.allowed(x, a)) || !prior.learns(x, a)) continue;
      try {
        static_cast<void>(prior.predictions(x, a, most));
      } catch (const LimitError&) {
        return false;
      } catch (const UsageError&) {  // normal rewards: there is no list
        return false;
      }
    }
  }
  return true;
}

ConjugateModel::ConjugateModel(const Simulator& simulator, const Knowledge& prior,
                               const ConjugateSettings& settings)
    : settings_(settings),
      prior_(prior.clone()),
      moves_(prior, settings.discount),
      pool_moves_(moves_),
      simulator_(simulator.clone()),
      many_(static_cast<std::size_t>(prior.states()) * static_cast<std::size_t>(prior.actions() + 1)),
      actions_(static_cast<std::size_t>(prior.actions())),
      rng_(0) {
  Pool& root = pools_.emplace_back();
  for (std::size_t i = 0; i < settings_.environments; ++i) root.environments.push_back(simulator.clone());
}

std::uint32_t ConjugateModel::begin(const World& world, Rng rng) {
  rng_ = rng;
  drew_ = false;
  pools_.resize(1);
  std::uint64_t stream = 0;
  for (const auto& environment : pools_.front().environments) {
    environment->know(world);
    environment->draw(rng.split(stream++));
  }
  solve(pools_.front(), world.remaining());
  beliefs_.clear();
  Belief& root = beliefs_.emplace_back();
  root.knowledge = prior_->clone();
  root.knowledge->know(world);
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
    Simulator& environment = *pool.environments[i];
    pool_moves_.set(i, environment);
    for (std::size_t x = 0; x < states; ++x) {
      arrival[x * lanes + i] = static_cast<float>(environment.expected_arrival(static_cast<int>(x)));
    }
  }
  pool_moves_.solve_all(remaining, pool.told);
  for (std::size_t level = 1; level <= static_cast<std::size_t>(remaining); ++level) {
    for (std::size_t i = 0; i < states * lanes; ++i) pool.told[level * states * lanes + i] -= arrival[i];
  }
}

double ConjugateModel::told(const Belief& belief, int state, int remaining) const {
  const Pool& pool = pools_[belief.pool];
  const std::size_t lanes = pool.environments.size();
  const auto states = static_cast<std::size_t>(prior_->states());
  const std::size_t level = static_cast<std::size_t>(remaining) * states + static_cast<std::size_t>(state);
  const float* values = pool.told.data() + level * lanes;
  double sum = 0;
  for (std::size_t i = 0; i < lanes; ++i) sum += belief.weights[i] * values[i];
  return sum;
}

ValueBounds ConjugateModel::bounds(std::uint32_t belief, int state, int remaining) {
  const Belief& known = beliefs_[belief];
  moves_.resize(1);
  moves_.set(0, *known.knowledge);
  moves_.solve(remaining);
  return {moves_.value(state, 0) - known.knowledge->expected_arrival(state), told(known, state, remaining)};
}

RootBounds ConjugateModel::root_bounds(int state, int remaining) {
  const std::size_t level = static_cast<std::size_t>(remaining) * static_cast<std::size_t>(prior_->states()) +
                            static_cast<std::size_t>(state);
  const Pool& pool = pools_.front();
  const auto values = pool.told.begin() + static_cast<std::ptrdiff_t>(level * pool.environments.size());
  const auto count = static_cast<std::ptrdiff_t>(pool.environments.size());
  const Estimate upper = detail::mean_of(std::vector<double>(values, values + count));
  return {bounds(0, state, remaining).lower, upper.value, 0, upper.standard_error};
}

std::uint32_t ConjugateModel::after(const Belief& belief, int state, int action, const Outcome& seen) {
  Belief next;
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
      next.weights = belief.weights;  // none of the pool explains it: as good as nothing
    }
  }
  beliefs_.push_back(std::move(next));
  return static_cast<std::uint32_t>(beliefs_.size() - 1);
}

bool ConjugateModel::listable(const Belief& belief, int state, int action,
                              std::vector<Knowledge::Prediction>& out) {
  const std::size_t at =
      static_cast<std::size_t>(state) * (actions_ + 1) + static_cast<std::size_t>(action + 1);
  if (many_[at]) return false;
  try {
    out = belief.knowledge->predictions(state, action, settings_.listed);
    return true;
  } catch (const LimitError&) {
  } catch (const UsageError&) {  // normal rewards: there is no list
  }
  many_[at] = true;
  return false;
}

void ConjugateModel::draw_ends(std::uint32_t belief, int state, int action, int remaining,
                               Prospect& prospect) {
  drew_ = true;
  const std::unique_ptr<Knowledge> known = beliefs_[belief].knowledge->clone();
  // The same random numbers wherever the tree gets there: what differs is then what was known before.
  const std::uint64_t draws = pools_[beliefs_[belief].pool].draws;
  const Rng luck = rng_.split(settings_.environments + draws);
  const std::size_t count = belief == 0 ? settings_.drawn : settings_.drawn_later;
  const std::size_t pool = pools_.size();
  Pool& drawn = pools_.emplace_back();
  drawn.draws = draws + 1;
  prospect.ends.clear();
  for (std::size_t i = 0; i < count; ++i) {
    Rng own = luck.split(i);
    Simulator& environment = *drawn.environments.emplace_back(simulator_->clone());
    environment.know(*known);
    environment.draw(own.split(0));
    Possible& end = prospect.ends.emplace_back();
    end.probability = 1 / static_cast<double>(count);
    end.acted = environment.outcome(state, action, own);
    end.state = end.acted.next;
    end.evidence = detail::evidence_of(state, action, end.acted);
    // What was seen and the environment that showed it were drawn together: it is its own posterior.
    Belief& next = beliefs_.emplace_back();
    end.belief = static_cast<std::uint32_t>(beliefs_.size() - 1);
    next.knowledge = known->clone();
    next.knowledge->observe(state, action, end.acted);
    next.pool = pool;
    next.weights.assign(count, 0);
    next.weights[i] = 1;
    if (remaining == 1) continue;
    end.arrived = environment.outcome(end.state, kArrive, own);
    end.evidence += detail::evidence_of(end.state, kArrive, end.arrived);
    next.knowledge->observe(end.state, kArrive, end.arrived);
  }
  solve(drawn, remaining - 1);
  prospect.reward = known->expected_reward(state, action) - known->expected_arrival(state) +
                    known_anyway(*known, prospect.ends, remaining - 1);
}

/// By how much the ends that were drawn promise too little to who will not change its plan. Beliefs are
/// martingales and values linear, so that this plan collects what it would have collected without seeing
/// anything: a control variate.
double ConjugateModel::known_anyway(const Knowledge& known, const std::vector<Possible>& ends,
                                    int remaining) {
  if (remaining == 0) return 0;
  moves_.resize(1);
  moves_.set(0, known);
  std::map<int, std::vector<double>> collections;  // by where an end is
  double sum = 0;
  for (const Possible& end : ends) {
    const auto [at, fresh] = collections.try_emplace(end.state);
    if (fresh) at->second = moves_.collections(end.state, remaining);
    const Knowledge& then = *beliefs_[end.belief].knowledge;
    const double without = moves_.paid(at->second, known);
    const double with = end.arrived.reward + moves_.paid(at->second, then) - then.expected_arrival(end.state);
    sum += end.probability * (without - with);
  }
  return settings_.discount * sum;
}

void ConjugateModel::list_ends(std::uint32_t belief, int state, int action, int remaining,
                               Prospect& prospect) {
  std::vector<Knowledge::Prediction> acted;
  std::vector<Knowledge::Prediction> arrived;
  if (!listable(beliefs_[belief], state, action, acted)) {
    return draw_ends(belief, state, action, remaining, prospect);
  }
  for (const Knowledge::Prediction& one : acted) {
    prospect.reward += one.probability * one.outcome.reward;
    Possible end;
    end.probability = one.probability;
    end.state = one.outcome.next;
    end.belief = belief;
    end.acted = one.outcome;
    if (beliefs_[belief].knowledge->learns(state, action)) {
      end.belief = after(beliefs_[belief], state, action, one.outcome);
      end.evidence = detail::evidence_of(state, action, one.outcome);
    }
    if (remaining == 1) {
      prospect.ends.push_back(end);
      continue;
    }
    if (!listable(beliefs_[end.belief], end.state, kArrive, arrived)) {
      return draw_ends(belief, state, action, remaining, prospect);
    }
    const bool learns = beliefs_[end.belief].knowledge->learns(end.state, kArrive);
    for (const Knowledge::Prediction& two : arrived) {
      Possible whole = end;
      whole.probability *= two.probability;
      whole.arrived = two.outcome;
      if (learns) {
        whole.belief = after(beliefs_[end.belief], end.state, kArrive, two.outcome);
        whole.evidence += detail::evidence_of(end.state, kArrive, two.outcome);
      }
      prospect.ends.push_back(whole);
    }
  }
}

void ConjugateModel::value_ends(int remaining, std::vector<Prospect>& out) {
  if (remaining == 0) return;
  std::size_t lanes = 0;
  for (const Prospect& prospect : out) lanes += prospect.ends.size();
  moves_.resize(lanes);
  std::size_t lane = 0;
  for (const Prospect& prospect : out) {
    for (const Possible& end : prospect.ends) moves_.set(lane++, *beliefs_[end.belief].knowledge);
  }
  moves_.solve(remaining);
  lane = 0;
  for (Prospect& prospect : out) {
    for (Possible& end : prospect.ends) {
      const Belief& known = beliefs_[end.belief];
      end.bounds = {moves_.value(end.state, lane++) - known.knowledge->expected_arrival(end.state),
                    told(known, end.state, remaining)};
    }
  }
}

void ConjugateModel::look_ahead(std::uint32_t belief, int state, int remaining, std::vector<Prospect>& out) {
  out.clear();
  for (const int a : moves_.allowed(state)) {
    Prospect& prospect = out.emplace_back();
    prospect.action = a;
    list_ends(belief, state, a, remaining, prospect);
  }
  value_ends(remaining - 1, out);
}

}  // namespace assay
