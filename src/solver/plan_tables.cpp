#include "solver/plan_tables.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "assay/core/detail/memory.hpp"
#include "assay/solver/detail/mdp.hpp"
#include "solver/stationary.hpp"

namespace assay {
namespace {

constexpr std::size_t kMostPlans = 64;  // more cost more than they help: a search finds better plans
constexpr int kKnown = -1;              // in the place of a plan's number: the environment is known
constexpr double kNotAllowed = -std::numeric_limits<double>::infinity();
constexpr std::size_t kStatesPerPiece = 64;  // states of one piece of work

}  // namespace

struct PlanTables::Scratch {
  std::vector<double> values, late;     // [action][environment]; -infinity where the action is not allowed
  std::vector<double> best;             // [environment]
  std::vector<int> action;              // [environment]
  std::vector<double> mean, mean_late;  // [action]

  Scratch(std::size_t actions, std::size_t environments)
      : values(actions * environments),
        late(actions * environments),
        best(environments),
        action(environments),
        mean(actions),
        mean_late(actions) {}
};

PlanTables::PlanTables(const FiniteModel& model, std::size_t bytes, const Resources& resources)
    : model_(model),
      steps_(model.endless() ? 1 : model.horizon()),
      environments_(static_cast<std::size_t>(model.environments())),
      arriving_(large_arrays()),
      next_arriving_(large_arrays()),
      later_(large_arrays()),
      next_later_(large_arrays()) {
  const auto states = static_cast<std::size_t>(model.states());
  choose_plans(bytes);
  arrival_.resize(states * environments_);
  for (int x = 0; x < model.states(); ++x) {
    model.arrival_rewards(x, {arrival_.data() + static_cast<std::size_t>(x) * environments_, environments_});
  }
  known_.emplace_back(states * environments_, 0.0, large_arrays());
  followed_.emplace_back(large_arrays());
  actions_.emplace_back();
  arriving_.resize(states * plans_ * environments_);
  next_arriving_.resize(states * plans_ * environments_);
  mean_.resize(states);
  next_mean_.resize(states);
  later_.resize(states * environments_);
  next_later_.resize(states * environments_);
  mean_later_.resize(states);
  next_mean_later_.resize(states);
  Workers workers(resources.threads, resources.stop);
  if (model.endless()) start_without_end(resources.stop);
  for (int h = 1; h <= steps_; ++h) add_layer(h, workers);
}

/// Without an end, layer 0 holds the values of plans that are followed for ever, and layer 1 is a backup of
/// it.
void PlanTables::start_without_end(const Stop& stop) {
  const auto states = static_cast<std::size_t>(model_.states());
  std::vector<Mdp> worlds;
  for (int e = 0; e < model_.environments(); ++e) worlds.push_back(model_.environment(e));
  for (std::size_t e = 0; e < environments_; ++e) {
    stop.check();
    const PlanWorth worth = stationary_worth(worlds[e], {});
    for (std::size_t x = 0; x < states; ++x) {
      known_[0][x * environments_ + e] = worth.own[x];
      later_[x * environments_ + e] = 2 * worth.own[x];
    }
  }
  for (std::size_t p = 0; p < plans_; ++p) {
    const Mdp planned =
        p == 0 ? model_.mean_environment() : worlds[static_cast<std::size_t>(plan_of_[p - 1])];
    const PlanWorth worth = stationary_worth(planned, worlds, stop);
    for (std::size_t x = 0; x < states; ++x) {
      for (std::size_t e = 0; e < environments_; ++e) {
        arriving_[(x * plans_ + p) * environments_ + e] = worth.other[e][x];
      }
      if (p > 0) continue;
      mean_[x] = worth.own[x];
      mean_later_[x] = 2 * worth.own[x];
    }
  }
}

void PlanTables::choose_plans(std::size_t bytes) {
  const auto states = static_cast<std::size_t>(model_.states());
  const auto layers = static_cast<std::size_t>(steps_) + 1;
  const std::size_t layer = states * environments_ * sizeof(double);
  const std::size_t choices = states * layers * sizeof(std::int32_t);
  const std::size_t most = std::min(kMostPlans, environments_ + 1);
  const auto fitting = [&](std::size_t kept_layers) {
    const std::size_t tables = kept_layers * layer;
    if (bytes < layer + tables) return std::size_t{0};
    return std::min(most, (bytes - layer - tables) / (tables + 2 * layer + choices));
  };
  plans_ = fitting(layers);
  complete_ = plans_ > 0;
  if (!complete_) plans_ = std::max<std::size_t>(1, fitting(2));
  plan_of_.resize(environments_);
  std::iota(plan_of_.begin(), plan_of_.end(), 0);
  std::ranges::stable_sort(plan_of_, std::ranges::greater{},
                           [&](int e) { return model_.prior()[static_cast<std::size_t>(e)]; });
  plan_of_.resize(plans_ - 1);
}

void PlanTables::add_layer(int h, Workers& workers) {
  const auto states = static_cast<std::size_t>(model_.states());
  known_.emplace_back(states * environments_, 0.0, large_arrays());
  followed_.emplace_back(states * plans_ * environments_, 0.0, large_arrays());
  actions_.emplace_back(states * plans_);
  workers.for_each((states + kStatesPerPiece - 1) / kStatesPerPiece, [&](std::size_t piece) {
    Scratch scratch(static_cast<std::size_t>(model_.actions()), environments_);
    const std::size_t end = std::min(states, (piece + 1) * kStatesPerPiece);
    for (std::size_t x = piece * kStatesPerPiece; x < end; ++x) add_state(h, static_cast<int>(x), scratch);
  });
  mean_.swap(next_mean_);
  later_.swap(next_later_);
  mean_later_.swap(next_mean_later_);
  arriving_.swap(next_arriving_);
  if (!complete_) {
    known_[static_cast<std::size_t>(h) - 1] = Layer(large_arrays());
    followed_[static_cast<std::size_t>(h) - 1] = Layer(large_arrays());
  }
}

void PlanTables::add_state(int h, int x, Scratch& scratch) {
  choose_actions(h, x, scratch);
  follow_plans(h, x, scratch);
}

void PlanTables::choose_actions(int h, int x, Scratch& scratch) {
  const auto at = static_cast<std::size_t>(h);
  value_actions(h, x, scratch);
  const auto actions = static_cast<std::size_t>(model_.actions());
  const std::span<const double> paid = arrival(x);
  double mean_paid = 0;
  for (std::size_t e = 0; e < environments_; ++e) {
    const auto late = [&](std::size_t a) { return scratch.late[a * environments_ + e]; };
    const std::size_t best = detail::first_best_of(
        actions, [&](std::size_t a) { return scratch.values[a * environments_ + e]; }, late,
        model_.largest_reward());
    scratch.action[e] = static_cast<int>(best);
    const std::size_t place = static_cast<std::size_t>(x) * environments_ + e;
    known_[at][place] = paid[e] + scratch.best[e];
    next_later_[place] = known_[at][place] + paid[e] + late(best);
    mean_paid += model_.prior()[e] * paid[e];
  }
  const auto mean_action =
      static_cast<std::size_t>(first_best(scratch.mean, scratch.mean_late, model_.largest_reward()));
  next_mean_[static_cast<std::size_t>(x)] = mean_paid + *std::ranges::max_element(scratch.mean);
  next_mean_later_[static_cast<std::size_t>(x)] =
      next_mean_[static_cast<std::size_t>(x)] + mean_paid + scratch.mean_late[mean_action];
  actions_[at][place(x, 0)] = static_cast<std::int32_t>(mean_action);
  for (std::size_t p = 1; p < plans_; ++p) {
    actions_[at][place(x, static_cast<int>(p))] = scratch.action[static_cast<std::size_t>(plan_of_[p - 1])];
  }
}

/// The value of each action in each environment and in the mean environment, with its delay.
void PlanTables::value_actions(int h, int x, Scratch& scratch) const {
  const auto layer = static_cast<std::size_t>(h) - 1;
  const auto row = [&](std::vector<double>& of, int a) {
    return std::span(of).subspan(static_cast<std::size_t>(a) * environments_, environments_);
  };
  std::ranges::fill(scratch.best, kNotAllowed);
  for (int a = 0; a < model_.actions(); ++a) {
    const std::span<double> values = row(scratch.values, a);
    if (!model_.allowed(x, a)) {
      std::ranges::fill(values, kNotAllowed);
      scratch.mean[static_cast<std::size_t>(a)] = kNotAllowed;
      continue;
    }
    model_.look_ahead(x, a, known_[layer].data(), environments_, values);
    scratch.mean[static_cast<std::size_t>(a)] = model_.mean_look_ahead(x, a, mean_);
    scratch.mean_late[static_cast<std::size_t>(a)] = model_.mean_look_ahead(x, a, mean_later_);
    for (std::size_t e = 0; e < environments_; ++e) scratch.best[e] = std::max(scratch.best[e], values[e]);
  }
  for (int a = 0; a < model_.actions(); ++a) {
    // Most actions are the best in no environment and are not considered again.
    const std::span<const double> values = row(scratch.values, a);
    bool best = false;
    for (std::size_t e = 0; e < environments_ && !best; ++e) {
      best = values[e] >= scratch.best[e] - detail::kTieSlack *
                                                std::max(model_.largest_reward(), std::abs(scratch.best[e]));
    }
    if (best) model_.look_ahead(x, a, later_.data(), environments_, row(scratch.late, a));
  }
}

/// Scratch.best holds the values of x after the arrival, each environment being known.
void PlanTables::follow_plans(int h, int x, Scratch& scratch) {
  const auto at = static_cast<std::size_t>(h);
  const double* known = known_[at - 1].data();
  for (int p = 0; p < plans(); ++p) {
    const std::span<double> into{followed_[at].data() + place(x, p) * environments_, environments_};
    for (const FiniteModel::Result& seen : model_.results(x, action(h, x, p))) {
      const int then = next_plan(p, seen);
      const double* values = then == kKnown ? known + static_cast<std::size_t>(seen.next) * environments_
                                            : arriving_.data() + place(seen.next, then) * environments_;
      add_result(seen, model_.discount(), values, into);
    }
  }
  for (int p = 0; p < plans(); ++p) {
    const std::span<double> into{next_arriving_.data() + place(x, p) * environments_, environments_};
    std::ranges::fill(into, 0.0);
    for (const FiniteModel::Result& seen : model_.results(x, kArrive)) {
      const int then = next_plan(p, seen);
      add_result(seen, 1, then == kKnown ? scratch.best.data() : followed(h, x, then).data(), into);
    }
  }
}

/// Which plan to continue with, or kKnown.
int PlanTables::next_plan(int plan, const FiniteModel::Result& seen) const {
  const std::span<const FiniteModel::Chance> where = model_.chances(seen);
  if (where.front().environment == FiniteModel::kEvery || !complete_) return plan;
  if (where.size() == 1) return kKnown;
  if (model_.endless()) return plan;  // the values of layer 0 are those of plans that are never changed
  const auto possible = [&](int p) {
    const int e = plan_of_[static_cast<std::size_t>(p) - 1];
    const auto found = std::ranges::lower_bound(where, e, {}, &FiniteModel::Chance::environment);
    return found != where.end() && found->environment == e;
  };
  if (plan == 0 || possible(plan)) return plan;
  for (int next = plan % (plans() - 1) + 1; next != plan; next = next % (plans() - 1) + 1) {
    if (possible(next)) return next;
  }
  return plan;
}

void PlanTables::add_result(const FiniteModel::Result& seen, double discount, const double* then,
                            std::span<double> into) const {
  for (const FiniteModel::Chance& c : model_.chances(seen)) {
    if (c.environment == FiniteModel::kEvery) {
      for (std::size_t e = 0; e < environments_; ++e)
        into[e] += c.probability * (seen.reward + discount * then[e]);
      continue;
    }
    const auto e = static_cast<std::size_t>(c.environment);
    into[e] += c.probability * (seen.reward + discount * then[e]);
  }
}

std::size_t PlanTables::bytes() const {
  std::size_t sum = (arrival_.size() + arriving_.size() + next_arriving_.size()) * sizeof(double);
  for (const auto& layer : known_) sum += layer.size() * sizeof(double);
  for (const auto& layer : followed_) sum += layer.size() * sizeof(double);
  for (const auto& layer : actions_) sum += layer.size() * sizeof(std::int32_t);
  return sum;
}

}  // namespace assay
