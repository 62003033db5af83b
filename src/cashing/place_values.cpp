#include "cashing/place_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace assay {

PlaceValuer::PlaceValuer(const Belief& prior, std::shared_ptr<const Places> places, const Valuation& how,
                         int horizon, Kernel kernel)
    : places_(std::move(places)),
      how_(how),
      discount_(prior.outline().discount),
      known_moves_(prior.known_transitions()),
      solver_(kernel, 1),
      full_(kernel, 1) {
  if (!places_->action_form()) solver_.set_moment(CrossSolver::Moment::kBeforeEntry);
  if (!known_moves_ && how_.current == CurrentValue::kLinear) how_.current = CurrentValue::kSampled;
  if (!known_moves_ && how_.current == CurrentValue::kMean && prior.weights().empty() &&
      !prior.expects_transitions()) {
    how_.current = CurrentValue::kSampled;
  }
  const bool own = known_moves_ && how_.current == CurrentValue::kMean;
  if (!prior.weights().empty() && CrossTable::fits(prior.weights().size(), *places_, horizon + 1, own)) {
    finite_ = std::make_shared<const CrossTable>(CrossTable::exact(prior, *places_, horizon, own));
    if (own) mean_environment_.emplace(prior);
  }
}

void PlaceValuer::value(const Belief& knowledge, int collections, const DrawKey& key, PlaceValues& out) {
  const auto places = static_cast<std::size_t>(places_->count());
  out.current.assign(places, 0);
  out.bound.assign(places, 0);
  out.reward.assign(places, 0);
  if (collections == 0) return;
  if (finite_) {
    value_summed(knowledge, collections, out);
  } else {
    value_drawn(knowledge, collections, key, out);
  }
}

void PlaceValuer::value_summed(const Belief& knowledge, int collections, PlaceValues& out) {
  const std::span<const double> weights = knowledge.weights();
  const bool one_plan = how_.current == CurrentValue::kMean;
  const Mdp* mean = mean_environment_ ? &mean_environment_->of(weights) : nullptr;
  const Plan best = mean != nullptr ? optimal_plan(*mean, collections) : Plan{};
  for (std::size_t i = 0; i < out.current.size(); ++i) {
    const int p = static_cast<int>(i);
    const double current = mean != nullptr ? CrossTable::at_place(*places_, *mean, best.value, collections, p)
                           : one_plan      ? finite_->best(weights, collections, p)
                                           : finite_->current(weights, collections, p);
    out.current[i] = static_cast<float>(current);
    out.bound[i] = static_cast<float>(std::max(0.0, finite_->full(weights, collections, p) - current));
    const Places::Choice& paid = places_->choice(p);
    out.reward[i] = mean != nullptr ? mean_environment_->reward(paid.state, paid.action)
                                    : places_->expected_reward(knowledge, p);
  }
}

/// Makes the next environment the world of each plan. Neighbours are independent draws, so the mean over them
/// is as unbiased as with worlds of their own, for half of the drawing.
void PlaceValuer::pair_up() {
  const EnvironmentBatch& plans = *drawn_.plans;
  EnvironmentBatch& worlds = detail::reshape(drawn_.worlds, plans.shared_dynamics(), plans.count());
  if (plans.count() % kTile == 0 && plans.tiles() > 1) {  // the neighbour in the next tile
    for (std::size_t tile = 0; tile < plans.tiles(); ++tile) {
      const std::size_t from = (tile + 1) % plans.tiles();
      std::ranges::copy(plans.reward_tile(from), worlds.reward_tile(tile).begin());
      std::ranges::copy(plans.probability_tile(from), worlds.probability_tile(tile).begin());
    }
    return;
  }
  for (std::size_t i = 0; i < plans.count(); ++i) {
    const std::size_t next = (i + 1) % plans.count();
    const auto copy_lane = [&](std::span<const float> from, std::span<float> to) {
      for (std::size_t r = 0; r < from.size(); r += kTile) to[r + i % kTile] = from[r + next % kTile];
    };
    copy_lane(plans.reward_tile(next / kTile), worlds.reward_tile(i / kTile));
    copy_lane(plans.probability_tile(next / kTile), worlds.probability_tile(i / kTile));
  }
}

/// Adds R(x,a) + gamma E[value of the successor] of one place to the sum of every lane.
void PlaceValuer::add_actions(const Solved& of, std::size_t tile, std::size_t place,
                              std::span<float> sums) const {
  const Dynamics& d = of.batch->dynamics();
  const auto [state, action] = places_->choice(static_cast<int>(place));
  const float* values = (of.world ? of.solver->world_tile(tile) : of.solver->plan_tile(tile)).data();
  std::array<float, kTile> after{};
  auto reward = static_cast<std::size_t>(state);
  if (d.form == Dynamics::Form::kKingGrid) {
    const int row = state / d.columns + action % 3 - 1;  // as in dynamics.cpp
    const int column = state % d.columns + action / 3 - 1;
    const std::size_t next = static_cast<std::size_t>(row) * static_cast<std::size_t>(d.columns) +
                             static_cast<std::size_t>(column);
    if (d.pays == Dynamics::Pays::kEntry) reward = next;
    std::copy_n(values + next * kTile, kTile, after.begin());
  } else {
    const auto first = static_cast<std::size_t>(places_->options(state).front().place);
    const std::size_t c = d.first_choice[static_cast<std::size_t>(state)] + place - first;
    if (d.pays == Dynamics::Pays::kChoice) reward = c;
    const float* chance = of.batch->probability_tile(tile).data();
    for (std::size_t arc = d.first_arc[c]; arc < d.first_arc[c + 1]; ++arc) {
      const float* to = values + d.next[arc] * kTile;
      if (d.form == Dynamics::Form::kTable) {
        std::copy_n(to, kTile, after.begin());
      } else {
        for (std::size_t i = 0; i < kTile; ++i) after[i] += chance[arc * kTile + i] * to[i];
      }
    }
  }
  const float* rewards = of.batch->reward_tile(tile).data() + reward * kTile;
  const auto discount = static_cast<float>(discount_);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i] += (of.mean_pays ? mean_[place] : rewards[i]) + discount * after[i];
  }
}

/// The mean over the first `count` environments of what a place is worth: for each of the 16 lanes first, so
/// that the compiler can use whatever vectors it has without changing the sum.
double PlaceValuer::average(const Solved& of, std::size_t place, std::size_t count) const {
  const bool choice = places_->kind() == Places::Kind::kChoice;
  std::array<float, kTile> sums{};
  for (std::size_t tile = 0; tile * kTile < count; ++tile) {
    const std::size_t lanes = std::min(kTile, count - tile * kTile);
    if (choice) {
      add_actions(of, tile, place, std::span(sums).first(lanes));
      continue;
    }
    const auto next = static_cast<std::size_t>(places_->next(static_cast<int>(place)));
    const float* values =
        (of.world ? of.solver->world_tile(tile) : of.solver->plan_tile(tile)).data() + next * kTile;
    for (std::size_t i = 0; i < lanes; ++i) sums[i] += values[i];
  }
  double sum = 0;
  for (const float s : sums) sum += static_cast<double>(s);
  return sum / static_cast<double>(count);
}

/// Puts the expected environment into the lanes of the plans, and the drawn ones into those of the worlds.
bool PlaceValuer::draw_expected_plans(const Belief& knowledge) {
  std::swap(drawn_.plans, drawn_.worlds);
  EnvironmentBatch& plans =
      detail::reshape(drawn_.plans, drawn_.worlds->shared_dynamics(), drawn_.worlds->count());
  try {
    plans.set(0, knowledge.expected());
  } catch (const UsageError&) {
    std::swap(drawn_.plans, drawn_.worlds);
    return false;
  }
  const auto fill = [&](auto&& numbers_of) {
    const std::span<float> first = numbers_of(0);
    for (std::size_t r = 0; r < first.size(); r += kTile) std::fill_n(first.data() + r, kTile, first[r]);
    for (std::size_t tile = 1; tile < plans.tiles(); ++tile) {
      std::ranges::copy(first, numbers_of(tile).begin());
    }
  };
  fill([&](std::size_t tile) { return plans.reward_tile(tile); });
  fill([&](std::size_t tile) { return plans.probability_tile(tile); });
  return true;
}

void PlaceValuer::value_drawn(const Belief& knowledge, int collections, const DrawKey& key,
                              PlaceValues& out) {
  const auto samples = static_cast<std::size_t>(how_.samples);
  const Ending ending = StepsLeft{places_->kind() == Places::Kind::kChoice ? collections - 1 : collections};
  const bool one_plan = how_.current == CurrentValue::kMean;
  const bool mean = one_plan && known_moves_;
  const bool linear = how_.current == CurrentValue::kLinear;
  knowledge.draw(key, samples, 0, drawn_);
  const bool expected = one_plan && !known_moves_ && draw_expected_plans(knowledge);
  mean_.resize(out.reward.size());
  for (std::size_t p = 0; p < mean_.size(); ++p) {
    out.reward[p] = places_->expected_reward(knowledge, static_cast<int>(p));
    mean_[p] = static_cast<float>(out.reward[p]);
  }
  if (mean) {
    // The mean environment takes the place of the last one drawn: its plan costs nothing.
    if (places_->action_form()) {
      drawn_.plans->set(samples - 1, knowledge.mean());
    } else {
      const std::span<float> last = drawn_.plans->reward_tile((samples - 1) / kTile);
      for (std::size_t p = 0; p < mean_.size(); ++p) last[p * kTile + (samples - 1) % kTile] = mean_[p];
    }
    solver_.solve(*drawn_.plans, ending);
  } else if (linear) {
    const bool states = !places_->action_form();
    solver_.solve(
        *drawn_.plans,
        states ? SharedEnvironment(mean_) : SharedEnvironment(drawn_.plans->dynamics(), knowledge.mean()),
        ending);
  } else {
    if (!expected) pair_up();
    solver_.solve(*drawn_.plans, *drawn_.worlds, ending);
    if (expected) full_.solve(*drawn_.worlds, ending);
  }
  const Solved current{&solver_, true, linear || mean ? &*drawn_.plans : &*drawn_.worlds, linear};
  const Solved full{expected ? &full_ : &solver_, false, expected ? &*drawn_.worlds : &*drawn_.plans};
  const std::size_t drawn = mean ? samples - 1 : samples;
  const std::size_t bounding = std::min(drawn, static_cast<std::size_t>(how_.bound_samples));
  for (std::size_t p = 0; p < out.current.size(); ++p) {
    const double known = mean ? of_mean_plan(p) : average(current, p, drawn);
    const double compared = mean || bounding == drawn ? known : average(current, p, bounding);
    out.current[p] = static_cast<float>(known);
    out.bound[p] = static_cast<float>(std::max(0.0, average(full, p, bounding) - compared));
  }
}

double PlaceValuer::of_mean_plan(std::size_t place) const {
  const auto last = static_cast<std::size_t>(how_.samples) - 1;
  if (places_->action_form()) {
    std::array<float, kTile> values{};
    add_actions({&solver_, false, &*drawn_.plans}, last / kTile, place, values);
    return static_cast<double>(values[last % kTile]);
  }
  const int next = places_->next(static_cast<int>(place));
  const auto value = static_cast<double>(solver_.plan_value(last, next));
  return places_->kind() == Places::Kind::kChoice ? static_cast<double>(mean_[place]) + discount_ * value
                                                  : value;
}

}  // namespace assay
