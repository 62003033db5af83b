#include "assay/solver/exact_solution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "assay/core/error.hpp"
#include "assay/solver/detail/exact_layers.hpp"
#include "assay/solver/detail/mdp.hpp"

namespace assay {
namespace {
constexpr std::size_t kAllOutcomes = std::numeric_limits<std::size_t>::max();  // the solver listed them, too
}  // namespace

ExactSolution::ExactSolution(std::unique_ptr<const Belief> prior, detail::ExactLayers layers, TailBounds tail)
    : prior_(std::move(prior)),
      solved_(std::make_shared<const detail::ExactLayers>(std::move(layers))),
      tail_(std::move(tail)) {}

std::uint64_t ExactSolution::states() const { return solved_->states; }

const detail::ExactLayer& ExactSolution::layer_of(int remaining) const {
  const int step = outline().horizon - remaining;
  if (step < 0 || static_cast<std::size_t>(step) >= solved_->layers.size()) {
    throw UsageError(
        fmt::format("an episode of {} steps has none with {} steps to go", outline().horizon, remaining));
  }
  return solved_->layers[static_cast<std::size_t>(step)];
}

ExactSolution::Found ExactSolution::find(int state, const Belief& belief, int remaining) const {
  std::vector<std::uint64_t> key = belief.key();
  if (keeps_state()) key.push_back(static_cast<std::uint64_t>(state));
  const detail::ExactLayer& layer = layer_of(remaining);
  const std::uint32_t i = layer.table.find(key, hash_key(key));
  if (i == StateTable::kAbsent) {
    throw UsageError(
        fmt::format("no episode of this problem arrives at state {} with this belief and {} steps to go",
                    state, remaining));
  }
  return {layer.worths[i], layer.uppers.empty() ? layer.worths[i].value : layer.uppers[i]};
}

Bounds ExactSolution::bounds() const {
  Bounds sum;
  for (const Start& s : outline().starts) {
    const Found found = find(s.state, *prior_, outline().horizon);
    sum.lower += s.probability * found.worth.value;
    sum.upper += s.probability * found.upper;
  }
  return sum;
}

double ExactSolution::value() const { return bounds().lower; }

double ExactSolution::value(int state, const Belief& belief, int remaining) const {
  return find(state, belief, remaining).worth.value;
}

/// Q(a) = E[ r + gamma v*_{h-1} ], and the delay of it.
ExactSolution::Choices ExactSolution::choices(int state, const Belief& belief, int remaining) const {
  const double discount = outline().discount;
  Choices all;
  const std::unique_ptr<Belief> next = belief.clone();
  for (int a = 0; a < outline().actions; ++a) {
    const bool possible = outline().allowed(state, a);
    double& value = all.values.emplace_back(possible ? 0 : -std::numeric_limits<double>::infinity());
    double& upper = all.uppers.emplace_back(value);
    double& delay = all.delays.emplace_back(0);
    if (!possible) continue;
    for (const Belief::Prediction& p : belief.predict(state, a, kAllOutcomes)) {
      Found after;
      if (remaining > 1 || tail_) {
        next->assign(belief);
        if (belief.learns(state, a)) next->observe(state, a, p.outcome);
      }
      if (remaining > 1) {
        after = find(p.outcome.next, *next, remaining - 1);
      } else if (tail_) {
        const Bounds tail = tail_(p.outcome.next, next->weights());
        after = {{tail.lower, 0}, tail.upper};
      }
      value += p.probability * (p.outcome.reward + discount * after.worth.value);
      upper += p.probability * (p.outcome.reward + discount * after.upper);
      delay += p.probability * discount * (after.worth.value + after.worth.delay);
    }
  }
  return all;
}

std::vector<Bounds> ExactSolution::action_bounds(int state, const Belief& belief, int remaining) const {
  const Choices all = choices(state, belief, remaining);
  std::vector<Bounds> bounds;
  for (std::size_t a = 0; a < all.values.size(); ++a) bounds.push_back({all.values[a], all.uppers[a]});
  return bounds;
}

int ExactSolution::best_action(int state, const Belief& belief, int remaining) const {
  const Choices all = choices(state, belief, remaining);
  return first_best(all.values, all.delays, layer_of(remaining).scale);
}

void ExactSolution::for_each_state(int step,
                                   const std::function<void(int, const Belief&, double)>& visit) const {
  const std::unique_ptr<Belief> belief = prior_->clone();
  const detail::ExactLayer& layer = solved_->layers.at(static_cast<std::size_t>(step));
  for (std::size_t i = 0; i < layer.table.size(); ++i) {
    Key key = layer.table.key(i);
    int state = 0;
    if (keeps_state()) {
      state = static_cast<int>(key.back());
      key = key.first(key.size() - 1);
    }
    belief->restore(key);
    visit(state, *belief, layer.worths[i].value);
  }
}

/// (state, belief after arriving) pairs that can be met at a step, sorted so that the order means something.
std::vector<ExactSolution::Decision> ExactSolution::decisions_at(int step) const {
  std::vector<Decision> decisions;
  for_each_state(step, [&](int x, const Belief& arriving, double /*value*/) {
    for (const Belief::Prediction& p : arriving.predict(x, kArrive, kAllOutcomes)) {
      Decision& one = decisions.emplace_back(Decision{x, arriving.clone()});
      one.belief->observe(x, kArrive, p.outcome);
    }
  });
  std::vector<std::pair<std::string, Decision>> named;
  for (Decision& one : decisions) named.emplace_back(one.belief->text(), std::move(one));
  std::ranges::stable_sort(named, [](const auto& l, const auto& r) {
    return l.first.size() != r.first.size() ? l.first.size() < r.first.size() : l.first < r.first;
  });
  decisions.clear();
  for (auto& [text, one] : named) decisions.push_back(std::move(one));
  return decisions;
}

void ExactSolution::note_choice(BeliefPolicy& policy, const Decision& decision, int step) const {
  const auto same = [&](const BeliefPolicy::Choice& c) { return c.state == decision.state; };
  if (std::ranges::any_of(policy.choices, same)) return;
  const int remaining = outline().horizon - step;
  const Choices all = choices(decision.state, *decision.belief, remaining);
  policy.choices.push_back({decision.state, first_best(all.values, all.delays, layer_of(remaining).scale),
                            step, *std::ranges::max_element(all.values)});
}

BeliefPolicies ExactSolution::policy(std::size_t most) const {
  constexpr std::size_t kMostMet = 100'000;  // looking through more would take longer than anyone reads
  std::map<std::vector<std::uint64_t>, std::size_t> place;  // key of the belief -> index in `shown`
  BeliefPolicies policies;
  int step = 0;
  for (; step < outline().horizon && place.size() < std::max(most, kMostMet); ++step) {
    for (const Decision& decision : decisions_at(step)) {
      const auto [at, is_new] = place.try_emplace(decision.belief->key(), policies.shown.size());
      if (is_new && policies.shown.size() < most) policies.shown.push_back({decision.belief->text(), {}});
      if (at->second < policies.shown.size()) note_choice(policies.shown[at->second], decision, step);
    }
  }
  policies.met = place.size();
  policies.complete = step == outline().horizon;
  for (BeliefPolicy& p : policies.shown) std::ranges::sort(p.choices, {}, &BeliefPolicy::Choice::state);
  return policies;
}

void ExactSolution::for_each_choice(const std::function<void(const ExactChoice&)>& visit) const {
  const std::unique_ptr<Belief> known = prior_->clone();
  ExactChoice choice;
  choice.numbers.resize(known->feature_count());
  std::vector<std::uint64_t> key = known->key();
  const std::size_t words = key.size() + 1;
  for (int step = 0; step < outline().horizon; ++step) {
    // Several arrivals can lead to the same belief.
    StateTable met(words, 0, std::pmr::new_delete_resource());
    for_each_state(step, [&](int x, const Belief& arriving, double /*value*/) {
      for (const Belief::Prediction& p : arriving.predict(x, kArrive, kAllOutcomes)) {
        known->assign(arriving);
        known->observe(x, kArrive, p.outcome);
        known->key(key);
        key.push_back(static_cast<std::uint64_t>(x));
        const std::size_t before = met.size();
        met.insert(key, hash_key(key));
        if (met.size() == before) continue;
        const int remaining = outline().horizon - step;
        const Choices all = choices(x, *known, remaining);
        choice.step = step;
        choice.state = x;
        choice.action = first_best(all.values, all.delays, layer_of(remaining).scale);
        choice.value = all.values[static_cast<std::size_t>(choice.action)];
        choice.belief = known->text();
        known->features(choice.numbers);
        visit(choice);
      }
    });
  }
}

}  // namespace assay
