#include "cashing/expected_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "assay/solver/detail/information.hpp"

namespace assay {
namespace {

/// Of many successors, those that are at least so likely are listed one by one.
constexpr double kLikely = 0.05;
/// Sweeps end when no value changes by more than this share of the largest reward.
constexpr double kSettled = 1e-3;
/// Sums of floats are right to this share of what can be collected.
constexpr double kRounding = 1e-6;

}  // namespace

ExpectedModel::ExpectedModel(const Belief& prior, const ExpectedSettings& settings, int horizon)
    : settings_(settings),
      prior_(prior.clone()),
      pool_(prior, settings.pool, horizon),
      states_(static_cast<std::size_t>(prior.states())),
      actions_(static_cast<std::size_t>(prior.actions())),
      rng_(0) {
  allowed_.resize(states_);
  for (int x = 0; x < prior.states(); ++x) {
    for (int a = 0; a < prior.actions(); ++a) {
      if (prior.allowed(x, a)) allowed_[static_cast<std::size_t>(x)].push_back(a);
    }
  }
}

void ExpectedModel::forget() {
  last_values_.clear();
  pool_.forget();
}

std::uint32_t ExpectedModel::begin(const Situation& situation, Rng rng) {
  rng_ = rng.split(1);
  draws_ = 0;
  remaining_ = situation.remaining();
  pool_.know(situation, rng.split(0));
  beliefs_.clear();
  changed_arcs_.clear();
  Held root;
  root.knowledge = prior_->clone();
  root.knowledge->assign(situation.belief());
  const Mdp expected = root.knowledge->expected();
  root_rows_.clear();
  root_arcs_.clear();
  double largest = 0;
  std::vector<Mdp::Arc> arcs;
  for (std::size_t row = 0; row < expected.reward.size(); ++row) {
    const double reward = expected.reward[row];
    if (std::isfinite(reward)) largest = std::max(largest, std::abs(reward));
    arcs.assign(expected.arcs.begin() + expected.first_arc[row],
                expected.arcs.begin() + expected.first_arc[row + 1]);
    Change one{static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(root_arcs_.size()), 0,
               static_cast<float>(reward), 0};
    one.base = shorten(arcs, root_arcs_);
    one.end = static_cast<std::uint32_t>(root_arcs_.size());
    root_rows_.push_back(one);
  }
  enough_ = kSettled * largest;
  resolution_ = pool_.endless() ? enough_ : kRounding * largest * remaining_;
  const std::size_t size = pool_.endless() ? states_ : (static_cast<std::size_t>(remaining_) + 1) * states_;
  const bool goes_on = pool_.endless() && last_values_.size() == size;
  if (!goes_on) last_values_.assign(size, 0);
  root.values = last_values_;
  root.weights.assign(pool_.size(), 1 / static_cast<float>(pool_.size()));
  solve(root, remaining_);
  last_values_ = root.values;
  beliefs_.push_back(std::move(root));
  return 0;
}

float ExpectedModel::shorten(const std::vector<Mdp::Arc>& arcs, std::vector<Arc>& out) const {
  double base = 0;
  // Where nearly all states are equally likely, what they have in common is summed once for all rows.
  if (arcs.size() == states_ && states_ > 8) {
    base = std::ranges::min(arcs, {}, &Mdp::Arc::probability).probability;
  }
  for (const Mdp::Arc& arc : arcs) {
    if (arc.probability > base * (1 + 1e-9)) {
      out.push_back({arc.next, static_cast<float>(arc.probability - base)});
    }
  }
  return static_cast<float>(base);
}

void ExpectedModel::use(const Held& belief) {
  rows_.resize(root_rows_.size());
  const auto row_of = [](const Change& c, const std::vector<Arc>& arcs) {
    return Row{arcs.data() + c.first, arcs.data() + c.end, c.reward, c.base};
  };
  for (const Change& row : root_rows_) rows_[row.row] = row_of(row, root_arcs_);
  for (const Change& row : belief.changes) rows_[row.row] = row_of(row, changed_arcs_);
}

float ExpectedModel::value_of(const Row& row, const float* values, float sum_of_values) const {
  float sum = row.base * sum_of_values;
  for (const Arc* arc = row.first; arc != row.end; ++arc) sum += arc->probability * values[arc->next];
  return row.reward + static_cast<float>(pool_.discount()) * sum;
}

float ExpectedModel::best_of(std::size_t x, const float* values, float sum_of_values) const {
  float best = -std::numeric_limits<float>::infinity();
  for (const int a : allowed_[x]) {
    best = std::max(best, value_of(rows_[x * actions_ + static_cast<std::size_t>(a)], values, sum_of_values));
  }
  return best;
}

std::vector<int> ExpectedModel::root_plan() {
  const Held& root = beliefs_.front();
  use(root);
  std::vector<int> plan(root.values.size());
  for (std::size_t at = pool_.endless() ? 0 : states_; at < plan.size(); ++at) {
    const float* next = root.values.data() + (pool_.endless() ? 0 : (at / states_ - 1) * states_);
    const float sum = std::accumulate(next, next + states_, 0.0F);
    const std::size_t x = at % states_;
    plan[at] = *std::ranges::max_element(allowed_[x], {}, [&](int a) {
      return value_of(rows_[x * actions_ + static_cast<std::size_t>(a)], next, sum);
    });
  }
  return plan;
}

void ExpectedModel::solve(Held& belief, int remaining) {
  use(belief);
  if (!pool_.endless()) {
    for (int h = 1; h <= remaining; ++h) {
      const float* next = belief.values.data() + static_cast<std::size_t>(h - 1) * states_;
      const float sum = std::accumulate(next, next + states_, 0.0F);
      for (std::size_t x = 0; x < states_; ++x) {
        belief.values[static_cast<std::size_t>(h) * states_ + x] = best_of(x, next, sum);
      }
    }
    return;
  }
  constexpr int kSweepsAtMost = 1000;
  for (int i = 0; i < kSweepsAtMost; ++i) {
    float change = 0;
    float sum = std::accumulate(belief.values.begin(), belief.values.end(), 0.0F);
    for (std::size_t x = 0; x < states_; ++x) {
      const float value = best_of(x, belief.values.data(), sum);
      change = std::max(change, std::abs(value - belief.values[x]));
      sum += value - belief.values[x];
      belief.values[x] = value;
    }
    if (change <= enough_) break;
  }
}

double ExpectedModel::lower(const Held& belief, int state, int remaining) const {
  const std::size_t level = pool_.endless() ? 0 : static_cast<std::size_t>(remaining);
  return belief.values[level * states_ + static_cast<std::size_t>(state)];
}

double ExpectedModel::upper(const Held& belief, int state, int remaining) const {
  double sum = 0;
  for (std::size_t k = 0; k < pool_.size(); ++k) {
    if (belief.weights[k] > 0) sum += belief.weights[k] * pool_.full_value(k, state, remaining);
  }
  return sum;
}

Bounds ExpectedModel::bounds(std::uint32_t belief, int state, int remaining) {
  return {lower(beliefs_[belief], state, remaining), upper(beliefs_[belief], state, remaining)};
}

EstimatedBounds ExpectedModel::root_bounds(int state, int remaining) {
  const std::vector<double> collected = pool_.collected(root_plan(), state, remaining);
  std::vector<double> full;
  for (std::size_t k = 0; k < pool_.size(); ++k) full.push_back(pool_.full_value(k, state, remaining));
  return {detail::mean_of(collected), detail::mean_of(full)};
}

void ExpectedModel::note_row(Held& belief, int state, int action) {
  const auto row = static_cast<std::uint32_t>(static_cast<std::size_t>(state) * actions_ +
                                              static_cast<std::size_t>(action));
  Change change{row, static_cast<std::uint32_t>(changed_arcs_.size()), 0,
                static_cast<float>(belief.knowledge->expected_reward(state, action)), 0};
  change.base = shorten(belief.knowledge->expected_arcs(state, action), changed_arcs_);
  change.end = static_cast<std::uint32_t>(changed_arcs_.size());
  const auto same = std::ranges::find(belief.changes, row, &Change::row);
  if (same == belief.changes.end()) {
    belief.changes.push_back(change);
  } else {
    *same = change;
  }
}

std::uint32_t ExpectedModel::after(std::uint32_t before, int state, int action, const Outcome& seen) {
  Held belief;
  const Held& old = beliefs_[before];
  belief.knowledge = old.knowledge->clone();
  belief.knowledge->observe(state, action, seen);
  belief.changes = old.changes;
  belief.values = old.values;
  belief.weights = old.weights;
  double sum = 0;
  for (std::size_t k = 0; k < pool_.size(); ++k) {
    if (belief.weights[k] == 0) continue;
    belief.weights[k] *= static_cast<float>(pool_.environment(k).likelihood(state, action, seen));
    sum += belief.weights[k];
  }
  if (sum > 0) {
    for (float& weight : belief.weights) weight = weight < 1e-6 * sum ? 0 : static_cast<float>(weight / sum);
  } else {
    belief.weights = old.weights;
  }
  note_row(belief, state, action);
  beliefs_.push_back(std::move(belief));
  return static_cast<std::uint32_t>(beliefs_.size() - 1);
}

void ExpectedModel::add_successor(std::uint32_t belief, int state, int action, const Outcome& seen,
                                  double probability, int remaining, Choice& choice) {
  Successor successor;
  successor.probability = probability;
  successor.state = seen.next;
  successor.belief = belief;
  successor.acted = seen;
  if (beliefs_[belief].knowledge->learns(state, action)) {
    successor.evidence = detail::evidence_of(state, action, seen);
    successor.belief = after(belief, state, action, seen);
    if (remaining > 1) solve(beliefs_[successor.belief], remaining - 1);
  }
  if (remaining > 1) successor.bounds = bounds(successor.belief, successor.state, remaining - 1);
  choice.successors.push_back(successor);
}

void ExpectedModel::list_successors(std::uint32_t belief, int state, int action, int remaining,
                                    Choice& choice) {
  std::vector<Belief::Prediction> all = beliefs_[belief].knowledge->predict(state, action);
  std::ranges::stable_sort(all, std::ranges::greater{}, &Belief::Prediction::probability);
  for (const Belief::Prediction& one : all) choice.reward += one.probability * one.outcome.reward;
  std::size_t listed = all.size();
  if (listed > settings_.listed) {
    listed = 0;
    while (listed < settings_.listed && all[listed].probability >= kLikely) ++listed;
  }
  for (std::size_t i = 0; i < listed; ++i) {
    add_successor(belief, state, action, all[i].outcome, all[i].probability, remaining, choice);
  }
  if (listed == all.size()) return;
  std::span others = std::span(all).subspan(listed);
  std::ranges::sort(others, {}, [](const Belief::Prediction& p) { return p.outcome.next; });
  double rest = 0;
  double all_values = 0;
  for (const Belief::Prediction& one : others) {
    rest += one.probability;
    all_values += one.probability * lower(beliefs_[belief], one.outcome.next, remaining - 1);
  }
  // Evenly spread over the states, the same for all actions: what is drawn at random would make one action
  // look better than another that is as unknown.
  const double share = rest / static_cast<double>(settings_.drawn);
  double passed = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < settings_.drawn; ++i) {
    const double target = (static_cast<double>(i) + 0.5) * share;
    while (at + 1 < others.size() && passed + others[at].probability < target) {
      passed += others[at++].probability;
    }
    const Outcome& seen = others[at].outcome;
    add_successor(belief, state, action, seen, share, remaining, choice);
    all_values -= share * lower(beliefs_[belief], seen.next, remaining - 1);
  }
  // What the few stand for is only by how much a state is worth more once it is known that one gets there:
  // what states are worth anyway is summed over all of them.
  choice.reward += pool_.discount() * all_values;
}

void ExpectedModel::draw_successors(std::uint32_t belief, int state, int action, int remaining,
                                    Choice& choice) {
  const std::vector<double> chances(beliefs_[belief].weights.begin(), beliefs_[belief].weights.end());
  const double share = 1 / static_cast<double>(settings_.drawn);
  choice.reward = beliefs_[belief].knowledge->expected_reward(state, action);
  for (std::size_t i = 0; i < settings_.drawn; ++i) {
    Rng luck = rng_.split(draws_++);
    const std::size_t which = categorical(luck, chances);
    add_successor(belief, state, action, pool_.environment(which).outcome(state, action, luck), share,
                  remaining, choice);
  }
}

void ExpectedModel::look_ahead(std::uint32_t belief, int state, int remaining, std::vector<Choice>& out) {
  out.clear();
  for (const int a : allowed_[static_cast<std::size_t>(state)]) {
    Choice& choice = out.emplace_back();
    choice.action = a;
    try {
      list_successors(belief, state, a, remaining, choice);
    } catch (const UsageError&) {  // normal rewards: there is no list
      draw_successors(belief, state, a, remaining, choice);
    }
  }
}

}  // namespace assay
