#include "assay/solver/detail/finite_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "assay/core/error.hpp"

namespace assay {
namespace {

constexpr std::uint32_t kNoResult = 0xffffffffU;
constexpr double kSameChance = 1e-12;  // how much the order of adding its parts can change a probability
constexpr std::size_t kLongRow = 12;   // from here on a hash table is faster

std::size_t hash_of_result(const FiniteModel::Result& r) {
  const double reward = r.reward + 0.0;  // so that -0 equals 0
  std::uint64_t h = std::bit_cast<std::uint64_t>(reward) * 0x9e3779b97f4a7c15U;
  h = (h ^ (h >> 29U) ^ static_cast<std::uint64_t>(r.next)) * 0xd6e8feb86659fd93U;
  h = (h ^ (h >> 32U) ^ static_cast<std::uint64_t>(r.observation)) * 0xd6e8feb86659fd93U;
  return h ^ (h >> 32U);
}

bool same_result(const FiniteModel::Result& l, const FiniteModel::Result& r) {
  return l.next == r.next && l.reward == r.reward && l.observation == r.observation;
}

}  // namespace

void FiniteModel::look_ahead(int x, int a, const double* values, std::size_t stride,
                             std::span<double> into) const {
  std::ranges::fill(into, 0.0);
  for (const Result& result : results(x, a)) {
    const double* next = values + static_cast<std::size_t>(result.next) * stride;
    const std::span<const Chance> all = chances(result);
    if (all.front().environment == kEvery) {
      const double p = all.front().probability;
      for (std::size_t e = 0; e < into.size(); ++e) into[e] += p * (result.reward + discount() * next[e]);
      continue;
    }
    for (const Chance& c : all) {
      const auto e = static_cast<std::size_t>(c.environment);
      into[e] += c.probability * (result.reward + discount() * next[e]);
    }
  }
}

double FiniteModel::mean_look_ahead(int x, int a, std::span<const double> values) const {
  double sum = 0;
  for (const Result& result : results(x, a)) {
    double p = 0;
    for (const Chance& c : chances(result)) {
      p += c.environment == kEvery ? c.probability
                                   : c.probability * prior()[static_cast<std::size_t>(c.environment)];
    }
    sum += p * (result.reward + discount() * values[static_cast<std::size_t>(result.next)]);
  }
  return sum;
}

/// `probability(result)` is that of a result in the environment that is meant.
template <class Probability>
Mdp FiniteModel::table_with(const Probability& probability) const {
  const double infinity = std::numeric_limits<double>::infinity();
  Mdp mdp{.states = states(),
          .actions = actions(),
          .discount = discount(),
          .reward = {},
          .first_arc = {0},
          .arcs = {}};
  for (int x = 0; x < mdp.states; ++x) {
    double arrival = 0;
    for (const Result& r : results(x, kArrive)) arrival += probability(r) * r.reward;
    for (int a = 0; a < mdp.actions; ++a) {
      double reward = allowed(x, a) ? arrival : -infinity;
      for (const Result& r : results(x, a)) {
        const double p = probability(r);
        reward += p * r.reward;
        mdp.arcs.push_back({r.next, p});
      }
      mdp.reward.push_back(reward);
      mdp.end_row();
    }
  }
  return mdp;
}

Mdp FiniteModel::environment(int which) const {
  return table_with([&](const Result& result) {
    for (const Chance& c : chances(result)) {
      if (c.environment == kEvery || c.environment == which) return c.probability;
    }
    return 0.0;
  });
}

Mdp FiniteModel::mean_environment() const {
  return table_with([&](const Result& result) {
    double sum = 0;
    for (const Chance& c : chances(result)) {
      sum += c.environment == kEvery ? c.probability
                                     : prior()[static_cast<std::size_t>(c.environment)] * c.probability;
    }
    return sum;
  });
}

void FiniteModel::arrival_rewards(int x, std::span<double> into) const {
  std::ranges::fill(into, 0.0);
  for (const Result& result : results(x, kArrive)) {
    for (const Chance& c : chances(result)) {
      const std::span<double> where =
          c.environment == kEvery ? into : into.subspan(static_cast<std::size_t>(c.environment), 1);
      for (double& sum : where) sum += c.probability * result.reward;
    }
  }
}

std::size_t FiniteModel::bytes() const {
  return results_.capacity() * sizeof(Result) + chances_.capacity() * sizeof(Chance) +
         first_.capacity() * sizeof(first_[0]) + teaches_.capacity() / 8;
}

FiniteModel::Builder::Builder(Outline outline) {
  double total = 0;
  for (const double w : outline.prior) total += w;
  if (!(total > 0) || !std::isfinite(total)) {
    throw UsageError(fmt::format("the prior weights sum to {}; at least one must be positive", total));
  }
  for (double& w : outline.prior) w /= total;
  model_.outline_ = std::move(outline);
  model_.observations_.emplace_back();  // observation 0 is "nothing seen"
}

void FiniteModel::Builder::add(int environment, double probability, const Outcome& outcome) {
  if (probability <= 0) return;
  if (environment != environment_) {
    environment_ = environment;
    guess_ = 0;
  }
  const Result seen{.reward = outcome.reward,
                    .next = outcome.next,
                    .observation = outcome.observation.empty() ? 0 : number_of(outcome.observation),
                    .first_chance = 0};
  model_.largest_reward_ = std::max(model_.largest_reward_, std::abs(outcome.reward));
  parts_.push_back({probability, number_of(seen), environment});
}

int FiniteModel::Builder::number_of(const Observation& seen) {
  const auto [at, added] =
      observation_numbers_.try_emplace(seen, static_cast<int>(model_.observations_.size()));
  if (added) model_.observations_.push_back(seen);
  return at->second;
}

std::uint32_t FiniteModel::Builder::number_of(const Result& seen) {
  if (guess_ < row_.size() && same_result(row_[guess_], seen)) return guess_++;
  if (row_.size() < kLongRow) {
    const auto known = std::ranges::find_if(row_, [&](const Result& r) { return same_result(r, seen); });
    guess_ = static_cast<std::uint32_t>(known - row_.begin()) + 1;
    if (known == row_.end()) row_.push_back(seen);
    return guess_ - 1;
  }
  if (slots_.size() < 2 * row_.size()) rehash();
  std::size_t at = hash_of_result(seen) & (slots_.size() - 1);
  while (slots_[at] != kNoResult && !same_result(row_[slots_[at]], seen)) at = (at + 1) & (slots_.size() - 1);
  if (slots_[at] == kNoResult) {
    slots_[at] = static_cast<std::uint32_t>(row_.size());
    row_.push_back(seen);
  }
  guess_ = slots_[at] + 1;
  return slots_[at];
}

void FiniteModel::Builder::rehash() {
  slots_.assign(std::bit_ceil(4 * row_.size()), kNoResult);
  for (std::size_t i = 0; i < row_.size(); ++i) {
    std::size_t at = hash_of_result(row_[i]) & (slots_.size() - 1);
    while (slots_[at] != kNoResult) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = static_cast<std::uint32_t>(i);
  }
}

/// Sorts by result, then by environment. The parts come by environment, so that one stable counting sort is
/// enough.
void FiniteModel::Builder::place_parts() {
  counts_.assign(row_.size() + 1, 0);
  for (const Part& p : parts_) ++counts_[p.result + 1];
  for (std::size_t i = 1; i < counts_.size(); ++i) counts_[i] += counts_[i - 1];
  sorted_.resize(parts_.size());
  for (const Part& p : parts_) sorted_[counts_[p.result]++] = {p.probability, p.environment};
}

void FiniteModel::Builder::end_row() {
  place_parts();
  const auto environments = static_cast<std::size_t>(model_.environments());
  bool teaches = false;
  std::size_t from = 0;
  for (std::size_t i = 0; i < row_.size(); ++i) {
    const std::size_t first = model_.chances_.size();
    for (; from < counts_[i]; ++from) {  // sorting has moved each count to the end of its result
      const bool twice =
          model_.chances_.size() > first && model_.chances_.back().environment == sorted_[from].environment;
      if (twice) {
        model_.chances_.back().probability += sorted_[from].probability;
      } else {
        model_.chances_.push_back(sorted_[from]);
      }
    }
    const double p = model_.chances_[first].probability;
    bool alike = model_.chances_.size() - first == environments;
    for (std::size_t c = first; c < model_.chances_.size(); ++c)
      alike = alike && std::abs(model_.chances_[c].probability - p) <= kSameChance * p;
    if (alike) {
      model_.chances_.resize(first + 1);
      model_.chances_[first].environment = kEvery;
    }
    teaches = teaches || !alike;
    row_[i].first_chance = static_cast<std::uint32_t>(first);
    model_.results_.push_back(row_[i]);
  }
  if (model_.chances_.size() > std::numeric_limits<std::uint32_t>::max() / 2) {
    throw LimitError("the problem has more than 2 billion possible outcomes; make it smaller");
  }
  model_.first_.push_back(static_cast<std::uint32_t>(model_.results_.size()));
  model_.teaches_.push_back(teaches);
  row_.clear();
  parts_.clear();
  slots_.clear();
  guess_ = 0;
}

FiniteModel FiniteModel::Builder::build() {
  model_.results_.push_back({0, 0, 0, static_cast<std::uint32_t>(model_.chances_.size())});
  return std::move(model_);
}

}  // namespace assay
