#include "cashing/place_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace assay {

PlaceValuer::PlaceValuer(const Belief& prior, std::shared_ptr<const Places> places, const Valuation& how,
                         int horizon, Kernel kernel)
    : places_(std::move(places)), how_(how), discount_(prior.mean().discount), solver_(kernel, 1) {
  solver_.set_moment(CrossSolver::Moment::kBeforeEntry);
  if (!prior.weights().empty()) {
    finite_ = std::make_shared<const CrossTable>(CrossTable::exact(prior, *places_, horizon));
  } else if (prior.finite()) {
    throw UsageError(
        "environments without numbers: this method needs a finite belief with weights, or cells");
  }
}

void PlaceValuer::value(const Belief& knowledge, int collections, const DrawKey& key, PlaceValues& out) {
  const auto places = static_cast<std::size_t>(places_->count());
  out.current.assign(places, 0);
  out.bound.assign(places, 0);
  if (collections == 0) return;
  if (finite_) {
    value_summed(knowledge, collections, out);
  } else {
    value_drawn(knowledge, collections, key, out);
  }
}

void PlaceValuer::value_summed(const Belief& knowledge, int collections, PlaceValues& out) const {
  const std::span<const double> weights = knowledge.weights();
  const bool mean = how_.current == CurrentValue::kMean;
  const Mdp mdp = mean ? knowledge.mean() : Mdp{};
  const Plan best = mean ? optimal_plan(mdp, collections) : Plan{};
  for (std::size_t i = 0; i < out.current.size(); ++i) {
    const int p = static_cast<int>(i);
    const double current = mean ? CrossTable::at_place(*places_, mdp, best.value, collections, p)
                                : finite_->current(weights, collections, p);
    out.current[i] = static_cast<float>(current);
    out.bound[i] = static_cast<float>(std::max(0.0, finite_->full(weights, collections, p) - current));
  }
}

void PlaceValuer::mean_rewards(const Belief& knowledge) {
  mean_.resize(static_cast<std::size_t>(places_->count()));
  for (std::size_t p = 0; p < mean_.size(); ++p) {
    mean_[p] = static_cast<float>(places_->expected_reward(knowledge, static_cast<int>(p)));
  }
}

/// Makes the next environment the world of each plan. Neighbours are independent draws, so the mean over them
/// is as unbiased as with worlds of their own, for half of the drawing.
void PlaceValuer::pair_up() {
  const EnvironmentBatch& plans = *drawn_.plans;
  EnvironmentBatch& worlds = detail::reshape(drawn_.worlds, plans.shared_dynamics(), plans.count());
  if (plans.count() % kTile == 0 && plans.tiles() > 1) {  // the neighbour in the next tile
    for (std::size_t tile = 0; tile < plans.tiles(); ++tile) {
      std::ranges::copy(plans.reward_tile((tile + 1) % plans.tiles()), worlds.reward_tile(tile).begin());
    }
    return;
  }
  for (std::size_t i = 0; i < plans.count(); ++i) {
    const std::size_t next = (i + 1) % plans.count();
    const std::span<const float> from = plans.reward_tile(next / kTile);
    const std::span<float> to = worlds.reward_tile(i / kTile);
    for (std::size_t r = 0; r < plans.dynamics().rewards(); ++r) {
      to[r * kTile + i % kTile] = from[r * kTile + next % kTile];
    }
  }
}

/// The mean over the first `count` environments of what a place is worth: for each of the 16 lanes first, so
/// that the compiler can use whatever vectors it has without changing the sum.
double PlaceValuer::average(bool world, std::size_t place, std::size_t count) const {
  const bool choice = places_->kind() == Places::Kind::kChoice;
  const auto next = static_cast<std::size_t>(places_->next(static_cast<int>(place)));
  const auto discount = static_cast<float>(discount_);
  std::array<float, kTile> sums{};
  for (std::size_t tile = 0; tile * kTile < count; ++tile) {
    const std::size_t lanes = std::min(kTile, count - tile * kTile);
    const float* values = (world ? solver_.world_tile(tile) : solver_.plan_tile(tile)).data() + next * kTile;
    if (!choice) {
      for (std::size_t i = 0; i < lanes; ++i) sums[i] += values[i];
      continue;
    }
    const bool shared = world && how_.current == CurrentValue::kLinear;
    const EnvironmentBatch& paying = world && !shared ? *drawn_.worlds : *drawn_.plans;
    const float* rewards = paying.reward_tile(tile).data() + place * kTile;
    for (std::size_t i = 0; i < lanes; ++i) {
      sums[i] += (shared ? mean_[place] : rewards[i]) + discount * values[i];
    }
  }
  double sum = 0;
  for (const float s : sums) sum += static_cast<double>(s);
  return sum / static_cast<double>(count);
}

void PlaceValuer::value_drawn(const Belief& knowledge, int collections, const DrawKey& key,
                              PlaceValues& out) {
  const auto samples = static_cast<std::size_t>(how_.samples);
  const Ending ending = StepsLeft{places_->kind() == Places::Kind::kChoice ? collections - 1 : collections};
  const bool mean = how_.current == CurrentValue::kMean;
  knowledge.draw(key, samples, 0, drawn_);
  if (how_.current == CurrentValue::kSampled) {
    pair_up();
    solver_.solve(*drawn_.plans, *drawn_.worlds, ending);
  } else if (how_.current == CurrentValue::kLinear) {
    mean_rewards(knowledge);
    solver_.solve(*drawn_.plans, SharedEnvironment(mean_), ending);
  } else {
    mean_rewards(knowledge);
    // The mean environment takes the place of the last one drawn: its plan costs nothing.
    const std::span<float> last = drawn_.plans->reward_tile((samples - 1) / kTile);
    for (std::size_t p = 0; p < mean_.size(); ++p) last[p * kTile + (samples - 1) % kTile] = mean_[p];
    solver_.solve(*drawn_.plans, ending);
  }
  const std::size_t drawn = mean ? samples - 1 : samples;
  const std::size_t bounding = std::min(drawn, static_cast<std::size_t>(how_.bound_samples));
  for (std::size_t p = 0; p < out.current.size(); ++p) {
    const double current = mean ? of_mean_plan(p) : average(true, p, drawn);
    const double compared = mean || bounding == drawn ? current : average(true, p, bounding);
    out.current[p] = static_cast<float>(current);
    out.bound[p] = static_cast<float>(std::max(0.0, average(false, p, bounding) - compared));
  }
}

double PlaceValuer::of_mean_plan(std::size_t place) const {
  const auto last = static_cast<std::size_t>(how_.samples) - 1;
  const int next = places_->next(static_cast<int>(place));
  const auto value = static_cast<double>(solver_.plan_value(last, next));
  return places_->kind() == Places::Kind::kChoice ? static_cast<double>(mean_[place]) + discount_ * value
                                                  : value;
}

}  // namespace assay
