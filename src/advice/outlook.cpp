#include "advice/outlook.hpp"

#include <map>
#include <span>

#include "assay/core/error.hpp"
#include "assay/core/workers.hpp"
#include "assay/solver/mdp.hpp"

namespace assay::advice {
namespace {

/// The best of the plans that are optimal in one of the possible environments.
class BestPlanOutlook final : public Outlook {
 public:
  BestPlanOutlook(const Knowledge& now, int remaining) {
    std::vector<TabularMdp> worlds;
    const std::span<const double> weights = now.weights();
    for (std::size_t e = 0; e < weights.size(); ++e) {
      place_.push_back(worlds.size());
      if (weights[e] > 0) worlds.push_back(now.environment(e));
    }
    for (const TabularMdp& one : worlds) {
      const Plan plan = optimal_plan(one, remaining);
      std::vector<std::vector<double>>& row = value_.emplace_back();
      for (const TabularMdp& other : worlds) row.push_back(plan_value(other, plan, remaining).back());
    }
  }

  double value(int state, const Knowledge& truth, const Knowledge& known) override {
    std::size_t best = 0;
    for (std::size_t plan = 1; plan < value_.size(); ++plan) {
      if (plan_worth(plan, state, known) > plan_worth(best, state, known)) best = plan;
    }
    return plan_worth(best, state, truth);
  }

 private:
  [[nodiscard]] double plan_worth(std::size_t plan, int state, const Knowledge& knowledge) const {
    double sum = 0;
    const std::span<const double> weights = knowledge.weights();
    for (std::size_t e = 0; e < weights.size(); ++e) {
      if (weights[e] > 0) sum += weights[e] * value_[plan][place_[e]][static_cast<std::size_t>(state)];
    }
    return sum;
  }

  std::vector<std::size_t> place_;                       // [environment], among the possible ones
  std::vector<std::vector<std::vector<double>>> value_;  // [plan][world][state]
};

/// The plan of the mean environment: if moves are known, values are linear in the rewards, and no other fixed
/// plan is better.
class MeanOutlook final : public Outlook {
 public:
  explicit MeanOutlook(int remaining) : remaining_(remaining) {}

  double value(int state, const Knowledge& truth, const Knowledge& known) override {
    std::vector<std::uint64_t> key;
    known.key(key);
    const auto [plan, fresh] = plans_.try_emplace(std::move(key));
    if (fresh) plan->second = optimal_plan(known.mean(), remaining_);
    return plan_value(truth.mean(), plan->second, remaining_).back()[static_cast<std::size_t>(state)];
  }

 private:
  int remaining_;
  std::map<std::vector<std::uint64_t>, Plan> plans_;  // by what they are made from
};

/// Every ending, as long as they can be listed.
std::vector<Ending> all_endings(const Situation& situation, int action) {
  constexpr std::size_t kMost = 2000;
  std::vector<Ending> all;
  for (const Knowledge::Prediction& acted : situation.knowledge->predictions(situation.state, action)) {
    std::unique_ptr<Knowledge> moved = situation.knowledge->clone();
    moved->observe(situation.state, action, acted.outcome);
    for (const Knowledge::Prediction& arrived : moved->predictions(acted.outcome.next, kArrive)) {
      if (all.size() == kMost) throw LimitError("too many endings to list");
      Ending& ending = all.emplace_back();
      ending.probability = acted.probability * arrived.probability;
      ending.next = acted.outcome.next;
      ending.reward = acted.outcome.reward;
      ending.arrival = arrived.outcome.reward;
      ending.after = moved->clone();
      ending.after->observe(ending.next, kArrive, arrived.outcome);
    }
  }
  return all;
}

}  // namespace

std::vector<Ending> endings(const Situation& situation, int action, const ExplainOptions& options) {
  try {
    return all_endings(situation, action);
  } catch (const LimitError&) {
    // Drawn below.
  } catch (const UsageError&) {
    // Normal rewards: there is no list.
  }
  std::vector<Ending> drawn;
  for (int i = 0; i < options.samples; ++i) {
    Rng rng = Rng(options.seed).split(static_cast<std::uint64_t>(i));
    Ending& ending = drawn.emplace_back();
    ending.probability = 1.0 / options.samples;
    ending.after = situation.knowledge->clone();
    const Outcome acted = ending.after->imagine(situation.state, action, rng);
    ending.after->observe(situation.state, action, acted);
    ending.next = acted.next;
    ending.reward = acted.reward;
    const Outcome arrived = ending.after->imagine(acted.next, kArrive, rng);
    ending.after->observe(acted.next, kArrive, arrived);
    ending.arrival = arrived.reward;
  }
  return drawn;
}

std::unique_ptr<Outlook> outlook(const Knowledge& now, int remaining) {
  if (now.known_transitions()) return std::make_unique<MeanOutlook>(remaining);
  if (now.finite()) return std::make_unique<BestPlanOutlook>(now, remaining);
  throw UsageError(
      "what present knowledge is worth needs finitely many environments, or moves that are known");
}

std::vector<double> told_values(const Knowledge& now, int remaining, const ExplainOptions& options) {
  const auto samples = static_cast<std::size_t>(options.samples);
  std::vector<std::vector<double>> values(samples);
  Workers(options.threads).for_each(samples, [&](std::size_t i) {
    Rng rng = Rng(options.seed).split(i);
    values[i] = optimal_plan(now.drawn_environment(rng), remaining).value.back();
  });
  std::vector<double> mean(static_cast<std::size_t>(now.states()));
  for (const std::vector<double>& one : values) {
    for (std::size_t x = 0; x < mean.size(); ++x) mean[x] += one[x] / static_cast<double>(samples);
  }
  return mean;
}

}  // namespace assay::advice
