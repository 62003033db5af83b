#include "assay/cashing/expected_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace assay {
namespace {

/// Of many ends, those that are at least so likely are looked at one by one.
constexpr double kLikely = 0.05;
/// Sweeps end when no value changes by more than this share of the largest reward.
constexpr double kSettled = 1e-3;

}  // namespace

ExpectedModel::ExpectedModel(std::unique_ptr<Simulator> simulator, const Knowledge& prior,
                             const ExpectedSettings& settings, int horizon)
    : settings_(settings),
      prior_(prior.clone()),
      pool_(std::move(simulator), prior.clone(), settings.pool, horizon),
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

std::uint32_t ExpectedModel::begin(const World& world, Rng rng) {
  rng_ = rng.split(1);
  draws_ = 0;
  remaining_ = world.remaining();
  pool_.know(world, rng.split(0));
  beliefs_.clear();
  changed_arcs_.clear();
  Belief root;
  root.knowledge = prior_->clone();
  root.knowledge->know(world);
  const TabularMdp expected = root.knowledge->expected();
  root_rows_.clear();
  root_arcs_.clear();
  double largest = 0;
  std::vector<TabularMdp::Arc> arcs;
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
  const std::size_t size = pool_.endless() ? states_ : (static_cast<std::size_t>(remaining_) + 1) * states_;
  if (last_values_.size() != size || world.step() == 0 || !pool_.endless()) last_values_.assign(size, 0);
  root.values = last_values_;
  root.weights.assign(pool_.size(), 1 / static_cast<float>(pool_.size()));
  solve(root, remaining_);
  last_values_ = root.values;
  beliefs_.push_back(std::move(root));
  return 0;
}

float ExpectedModel::shorten(const std::vector<TabularMdp::Arc>& arcs, std::vector<Arc>& out) const {
  double base = 0;
  // Where nearly all states are equally likely, what they have in common is summed once for all rows.
  if (arcs.size() == states_ && states_ > 8) {
    base = std::ranges::min(arcs, {}, &TabularMdp::Arc::probability).probability;
  }
  for (const TabularMdp::Arc& arc : arcs) {
    if (arc.probability > base * (1 + 1e-9)) {
      out.push_back({arc.next, static_cast<float>(arc.probability - base)});
    }
  }
  return static_cast<float>(base);
}

void ExpectedModel::use(const Belief& belief) {
  rows_.resize(root_rows_.size());
  const auto row_of = [](const Change& c, const std::vector<Arc>& arcs) {
    return Row{arcs.data() + c.first, arcs.data() + c.end, c.reward, c.base};
  };
  for (const Change& row : root_rows_) rows_[row.row] = row_of(row, root_arcs_);
  for (const Change& row : belief.changes) rows_[row.row] = row_of(row, changed_arcs_);
}

float ExpectedModel::best_of(std::size_t x, const float* values, float sum_of_values) const {
  const auto discount = static_cast<float>(pool_.discount());
  float best = -std::numeric_limits<float>::infinity();
  for (const int a : allowed_[x]) {
    const Row& row = rows_[x * actions_ + static_cast<std::size_t>(a)];
    float sum = row.base * sum_of_values;
    for (const Arc* arc = row.first; arc != row.end; ++arc) sum += arc->probability * values[arc->next];
    best = std::max(best, row.reward + discount * sum);
  }
  return best;
}

void ExpectedModel::solve(Belief& belief, int remaining) {
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
  constexpr int kMostSweeps = 1000;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
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

double ExpectedModel::lower(const Belief& belief, int state, int remaining) const {
  const std::size_t level = pool_.endless() ? 0 : static_cast<std::size_t>(remaining);
  return belief.values[level * states_ + static_cast<std::size_t>(state)];
}

double ExpectedModel::upper(const Belief& belief, int state, int remaining) const {
  double sum = 0;
  for (std::size_t k = 0; k < pool_.size(); ++k) {
    if (belief.weights[k] > 0) sum += belief.weights[k] * pool_.told(k, state, remaining);
  }
  return sum;
}

ValueBounds ExpectedModel::bounds(std::uint32_t belief, int state, int remaining) {
  return {lower(beliefs_[belief], state, remaining), upper(beliefs_[belief], state, remaining)};
}

RootBounds ExpectedModel::root_bounds(int state, int remaining) {
  const auto count = static_cast<double>(pool_.size());
  double sums[2] = {0, 0};
  double squares[2] = {0, 0};
  for (std::size_t k = 0; k < pool_.size(); ++k) {
    const double values[2] = {pool_.collected(k, state, remaining)[0], pool_.told(k, state, remaining)};
    for (int i = 0; i < 2; ++i) {
      sums[i] += values[i];
      squares[i] += values[i] * values[i];
    }
  }
  const auto error = [&](int i) {
    const double mean = sums[i] / count;
    return std::sqrt(std::max(0.0, squares[i] / count - mean * mean) / std::max(1.0, count - 1));
  };
  return {sums[0] / count, sums[1] / count, error(0), error(1)};
}

void ExpectedModel::note_row(Belief& belief, int state, int action) {
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
  Belief belief;
  const Belief& old = beliefs_[before];
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

void ExpectedModel::add_end(std::uint32_t belief, int state, int action, const Outcome& seen,
                            double probability, int remaining, Prospect& prospect) {
  Possible end;
  end.probability = probability;
  end.state = seen.next;
  end.belief = belief;
  end.acted = seen;
  if (beliefs_[belief].knowledge->learns(state, action)) {
    end.evidence = detail::evidence_of(state, action, seen);
    end.belief = after(belief, state, action, seen);
    if (remaining > 1) solve(beliefs_[end.belief], remaining - 1);
  }
  if (remaining > 1) end.bounds = bounds(end.belief, end.state, remaining - 1);
  prospect.ends.push_back(end);
}

void ExpectedModel::list_ends(std::uint32_t belief, int state, int action, int remaining,
                              Prospect& prospect) {
  std::vector<Knowledge::Prediction> all = beliefs_[belief].knowledge->predictions(state, action);
  std::ranges::stable_sort(all, std::ranges::greater{}, &Knowledge::Prediction::probability);
  for (const Knowledge::Prediction& one : all) prospect.reward += one.probability * one.outcome.reward;
  std::size_t listed = all.size();
  if (listed > settings_.listed) {
    listed = 0;
    while (listed < settings_.listed && all[listed].probability >= kLikely) ++listed;
  }
  for (std::size_t i = 0; i < listed; ++i) {
    add_end(belief, state, action, all[i].outcome, all[i].probability, remaining, prospect);
  }
  if (listed == all.size()) return;
  std::span others = std::span(all).subspan(listed);
  std::ranges::sort(others, {}, [](const Knowledge::Prediction& p) { return p.outcome.next; });
  double rest = 0;
  double all_values = 0;
  for (const Knowledge::Prediction& one : others) {
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
    add_end(belief, state, action, seen, share, remaining, prospect);
    all_values -= share * lower(beliefs_[belief], seen.next, remaining - 1);
  }
  // What the few stand for is only by how much a state is worth more once it is known that one gets there:
  // what states are worth anyway is summed over all of them.
  prospect.reward += pool_.discount() * all_values;
}

void ExpectedModel::draw_ends(std::uint32_t belief, int state, int action, int remaining,
                              Prospect& prospect) {
  const std::vector<double> chances(beliefs_[belief].weights.begin(), beliefs_[belief].weights.end());
  const double share = 1 / static_cast<double>(settings_.drawn);
  prospect.reward = beliefs_[belief].knowledge->expected_reward(state, action);
  for (std::size_t i = 0; i < settings_.drawn; ++i) {
    Rng luck = rng_.split(draws_++);
    const std::size_t which = categorical(luck, chances);
    add_end(belief, state, action, pool_.environment(which).outcome(state, action, luck), share, remaining,
            prospect);
  }
}

void ExpectedModel::look_ahead(std::uint32_t belief, int state, int remaining, std::vector<Prospect>& out) {
  out.clear();
  for (const int a : allowed_[static_cast<std::size_t>(state)]) {
    Prospect& prospect = out.emplace_back();
    prospect.action = a;
    try {
      list_ends(belief, state, a, remaining, prospect);
    } catch (const UsageError&) {  // normal rewards: there is no list
      draw_ends(belief, state, a, remaining, prospect);
    }
  }
}

}  // namespace assay
