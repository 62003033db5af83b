#include "assay/cashing/conjugate_model.hpp"

#include <algorithm>
#include <cmath>

#include "assay/solver/information.hpp"

namespace assay {

ConjugateModel::ConjugateModel(const Simulator& simulator, const Knowledge& prior,
                               const ConjugateSettings& settings)
    : settings_(settings),
      prior_(prior.clone()),
      moves_(prior, settings.discount),
      pool_moves_(moves_),
      many_(static_cast<std::size_t>(prior.states()) * static_cast<std::size_t>(prior.actions() + 1)),
      actions_(static_cast<std::size_t>(prior.actions())),
      rng_(0) {
  for (std::size_t i = 0; i < settings_.environments; ++i) pool_.push_back(simulator.clone());
}

std::uint32_t ConjugateModel::begin(const World& world, Rng rng) {
  rng_ = rng;
  draws_ = 0;
  drew_ = false;
  const std::size_t lanes = pool_.size();
  const auto states = static_cast<std::size_t>(prior_->states());
  pool_moves_.resize(lanes);
  arrival_.resize(states * lanes);
  for (std::size_t i = 0; i < lanes; ++i) {
    pool_[i]->know(world);
    pool_[i]->draw(rng.split(i));
    pool_moves_.set(i, *pool_[i]);
    for (std::size_t x = 0; x < states; ++x) {
      arrival_[x * lanes + i] = static_cast<float>(pool_[i]->expected_arrival(static_cast<int>(x)));
    }
  }
  pool_moves_.solve_all(world.remaining(), told_);
  for (std::size_t level = 1; level <= static_cast<std::size_t>(world.remaining()); ++level) {
    for (std::size_t i = 0; i < states * lanes; ++i) told_[level * states * lanes + i] -= arrival_[i];
  }
  beliefs_.clear();
  Belief& root = beliefs_.emplace_back();
  root.knowledge = prior_->clone();
  root.knowledge->know(world);
  root.weights.assign(lanes, 1 / static_cast<float>(lanes));
  return 0;
}

double ConjugateModel::told(const Belief& belief, int state, int remaining) const {
  const std::size_t lanes = pool_.size();
  const auto states = static_cast<std::size_t>(prior_->states());
  const float* values =
      told_.data() + (static_cast<std::size_t>(remaining) * states + static_cast<std::size_t>(state)) * lanes;
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
  const auto values = told_.begin() + static_cast<std::ptrdiff_t>(level * pool_.size());
  const Estimate upper =
      detail::mean_of(std::vector<double>(values, values + static_cast<std::ptrdiff_t>(pool_.size())));
  return {bounds(0, state, remaining).lower, upper.value, 0, upper.standard_error};
}

std::uint32_t ConjugateModel::after(const Belief& belief, int state, int action, const Outcome& seen) {
  Belief next;
  next.knowledge = belief.knowledge->clone();
  next.weights = belief.weights;
  if (belief.knowledge->learns(state, action)) {
    next.knowledge->observe(state, action, seen);
    double sum = 0;
    for (std::size_t i = 0; i < pool_.size(); ++i) {
      next.weights[i] *= static_cast<float>(pool_[i]->likelihood(state, action, seen));
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

void ConjugateModel::draw_ends(std::uint32_t belief, int state, int action, bool last, Prospect& prospect) {
  drew_ = true;
  const std::vector<double> chances(beliefs_[belief].weights.begin(), beliefs_[belief].weights.end());
  prospect.ends.clear();
  prospect.reward = 0;
  const double share = 1 / static_cast<double>(settings_.drawn);
  for (std::size_t i = 0; i < settings_.drawn; ++i) {
    Rng luck = rng_.split(pool_.size() + draws_++);
    const std::size_t which = categorical(luck, chances);
    Simulator& drawn = *pool_[which];
    const Outcome acted = drawn.outcome(state, action, luck);
    prospect.reward += share * acted.reward;
    Possible end;
    end.probability = share;
    end.state = acted.next;
    end.evidence = detail::evidence_of(state, action, acted);
    // What was seen and the environment that showed it were drawn together: it is its own posterior.
    Belief next;
    next.knowledge = beliefs_[belief].knowledge->clone();
    next.knowledge->observe(state, action, acted);
    next.weights.assign(pool_.size(), 0);
    next.weights[which] = 1;
    end.acted = acted;
    if (!last) {
      end.arrived = drawn.outcome(acted.next, kArrive, luck);
      end.evidence += detail::evidence_of(acted.next, kArrive, end.arrived);
      next.knowledge->observe(acted.next, kArrive, end.arrived);
    }
    beliefs_.push_back(std::move(next));
    end.belief = static_cast<std::uint32_t>(beliefs_.size() - 1);
    prospect.ends.push_back(end);
  }
}

void ConjugateModel::list_ends(std::uint32_t belief, int state, int action, bool last, Prospect& prospect) {
  std::vector<Knowledge::Prediction> acted;
  std::vector<Knowledge::Prediction> arrived;
  if (!listable(beliefs_[belief], state, action, acted)) {
    return draw_ends(belief, state, action, last, prospect);
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
    if (last) {
      prospect.ends.push_back(end);
      continue;
    }
    if (!listable(beliefs_[end.belief], end.state, kArrive, arrived)) {
      return draw_ends(belief, state, action, last, prospect);
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
    list_ends(belief, state, a, remaining == 1, prospect);
  }
  value_ends(remaining - 1, out);
}

}  // namespace assay
