#include "advice/outlook.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "assay/core/detail/workers.hpp"
#include "assay/core/error.hpp"
#include "assay/solver/detail/mdp.hpp"
#include "solver/fixed_plan.hpp"
#include "solver/stationary.hpp"

namespace assay::advice {
namespace {

/// The outlook where environments move differently: it compares fixed plans.
class FixedPlanOutlook final : public Outlook {
 public:
  FixedPlanOutlook(const Belief& now, int remaining, const Stop& stop)
      : plans_(possible(now), remaining, {.stop = stop}) {
    if (now.outline().endless()) {
      const Interval& endless = now.outline().cut->endless;
      const double weight = std::pow(now.outline().discount, remaining);
      tail_ = {weight * endless.low, weight * endless.high};
    }
    const std::span<const double> weights = now.weights();
    for (std::size_t e = 0; e < weights.size(); ++e) {
      if (weights[e] > 0) numbers_.push_back(e);
    }
  }

  Bounds value(int state, const Belief& known) override {
    FixedPlans::Masses from;
    add(state, 1, known, from);
    const Bounds value = plans_.best(from).value;
    return {value.lower + tail_.low, value.upper + tail_.high};
  }

  GoingOn go_on(const Belief& /*now*/, std::span<const Successor> successors) override {
    GoingOn sum;
    FixedPlans::Masses all;
    for (const Successor& successor : successors)
      add(successor.next, successor.probability, *successor.after, all);
    const FixedPlans::Found kept = plans_.best(all);
    sum.kept = kept.value.lower + tail_.low;
    sum.changed = tail_.low;
    sum.exact = tight(kept.value) && tail_.low == tail_.high;
    for (const Successor& successor : successors) {
      FixedPlans::Masses one;
      add(successor.next, successor.probability, *successor.after, one);
      const FixedPlans::Found changed = plans_.best(one);
      sum.changed += std::max(changed.value.lower, plans_.value(kept.plan, one));
      sum.exact = sum.exact && tight(changed.value);
    }
    return sum;
  }

 private:
  static std::vector<Mdp> possible(const Belief& now) {
    std::vector<Mdp> all;
    const std::span<const double> weights = now.weights();
    for (std::size_t e = 0; e < weights.size(); ++e) {
      if (weights[e] > 0) all.push_back(now.environment(e));
    }
    return all;
  }

  static bool tight(const Bounds& bounds) {
    return bounds.upper - bounds.lower <= 1e-9 * std::max(std::abs(bounds.lower), std::abs(bounds.upper));
  }

  void add(int state, double probability, const Belief& known, FixedPlans::Masses& to) const {
    std::vector<double>& there = to[state];
    there.resize(numbers_.size());
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      there[i] += probability * known.weights()[numbers_[i]];
    }
  }

  FixedPlans plans_;
  Interval tail_{0, 0};               // what follows the cut of an endless problem
  std::vector<std::size_t> numbers_;  // the possible environments
};

/// The outlook where all environments move alike: it uses the plan of the mean environment.
class MeanOutlook final : public Outlook {
 public:
  MeanOutlook(int remaining, Stop stop) : remaining_(remaining), stop_(std::move(stop)) {}

  Bounds value(int state, const Belief& known) override {
    const double value = collected(state, known, known);
    return {value, value};
  }

  GoingOn go_on(const Belief& now, std::span<const Successor> successors) override {
    GoingOn sum;
    for (const Successor& successor : successors) {
      sum.kept += successor.probability * collected(successor.next, *successor.after, now);
      sum.changed += successor.probability * collected(successor.next, *successor.after, *successor.after);
    }
    return sum;
  }

 private:
  /// The value of the plan made from `known`, in the mean environment of `truth`.
  double collected(int state, const Belief& truth, const Belief& known) {
    std::pair<Key, Key> keys;
    truth.key(keys.first);
    known.key(keys.second);
    const auto [values, fresh] = values_.try_emplace(std::move(keys));
    if (fresh) {
      const Mdp environment = truth.mean();
      PlanWorth worth = truth.outline().endless()
                            ? stationary_worth(known.mean(), std::span(&environment, 1), stop_)
                            : plan_worth(known.mean(), std::span(&environment, 1), remaining_, stop_);
      values->second = std::move(worth.other.front());
    }
    return values->second[static_cast<std::size_t>(state)];
  }

  using Key = std::vector<std::uint64_t>;
  int remaining_;
  Stop stop_;
  std::map<std::pair<Key, Key>, std::vector<double>> values_;  // [state], by (truth, known)
};

/// All successors, if they can be listed.
std::vector<Successor> all_successors(const Situation& situation, int action) {
  constexpr std::size_t kMost = 2000;
  std::vector<Successor> all;
  for (const Belief::Prediction& acted : situation.belief().predict(situation.state(), action)) {
    std::unique_ptr<Belief> moved = situation.belief().clone();
    moved->observe(situation.state(), action, acted.outcome);
    for (const Belief::Prediction& arrived : moved->predict(acted.outcome.next, kArrive)) {
      if (all.size() == kMost) throw LimitError("too many successors to list");
      Successor& successor = all.emplace_back();
      successor.probability = acted.probability * arrived.probability;
      successor.next = acted.outcome.next;
      successor.reward = acted.outcome.reward;
      successor.arrival = arrived.outcome.reward;
      successor.after = moved->clone();
      successor.after->observe(successor.next, kArrive, arrived.outcome);
    }
  }
  return all;
}

}  // namespace

std::vector<Successor> successors(const Situation& situation, int action, const ExplainOptions& options,
                                  int samples) {
  try {
    return all_successors(situation, action);
  } catch (const LimitError&) {
    // There are too many: they are drawn below.
  } catch (const UsageError&) {
    // Normal rewards have a continuum of outcomes.
  }
  std::vector<Successor> drawn;
  for (int i = 0; i < samples; ++i) {
    Rng rng = Rng(options.seed).split(static_cast<std::uint64_t>(i));
    Successor& successor = drawn.emplace_back();
    successor.probability = 1.0 / samples;
    successor.after = situation.belief().clone();
    const Outcome acted = successor.after->draw_outcome(situation.state(), action, rng);
    successor.after->observe(situation.state(), action, acted);
    successor.next = acted.next;
    successor.reward = acted.reward;
    const Outcome arrived = successor.after->draw_outcome(acted.next, kArrive, rng);
    successor.after->observe(acted.next, kArrive, arrived);
    successor.arrival = arrived.reward;
  }
  return drawn;
}

std::unique_ptr<Outlook> outlook(const Belief& now, int remaining, const Stop& stop) {
  if (now.known_transitions()) return std::make_unique<MeanOutlook>(remaining, stop);
  if (!now.weights().empty()) return std::make_unique<FixedPlanOutlook>(now, remaining, stop);
  throw UsageError(
      "what present knowledge is worth needs finitely many environments, or moves that are known");
}

std::vector<double> full_information_values(const Belief& now, int remaining, const ExplainOptions& options,
                                            const Stop& stop) {
  std::vector<std::vector<double>> values(static_cast<std::size_t>(options.samples));
  const std::size_t drawn = Workers(options.threads, stop).for_as_many(values.size(), [&](std::size_t i) {
    Rng rng = Rng(options.seed).split(i);
    const Mdp drawn_one = now.sample_table(rng);
    values[i] = now.outline().endless() ? stationary_worth(drawn_one, {}, stop).own
                                        : plan_worth(drawn_one, {}, remaining, stop).own;
  });
  if (drawn == 0) throw Stopped(stop.reason());
  std::vector<double> mean(static_cast<std::size_t>(now.states()));
  for (std::size_t i = 0; i < drawn; ++i) {
    for (std::size_t x = 0; x < mean.size(); ++x) mean[x] += values[i][x] / static_cast<double>(drawn);
  }
  return mean;
}

}  // namespace assay::advice
