#include "beliefs/row_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/core/detail/portable_math.hpp"
#include "assay/core/detail/spec.hpp"
#include "assay/core/rng.hpp"

namespace assay {
namespace detail {

double log_gamma_function(double x) {
  // Stirling's series is used from 10 on, where the terms left out are below 1e-15; below 10, Gamma(x) =
  // Gamma(x + 1) / x.
  double below = 1;
  for (; x < 10; x += 1) below *= x;
  const double z = 1 / (x * x);
  double series = -691.0 / 360360;
  for (const double c : {1.0 / 1188, -1.0 / 1680, 1.0 / 1260, -1.0 / 360, 1.0 / 12}) series = series * z + c;
  constexpr double kHalfLogTwoPi = 0.91893853320467274178;
  return (x - 0.5) * portable::log(x) - x + kHalfLogTwoPi + series / x - portable::log(below);
}

}  // namespace detail

namespace {

/// Gamma(x + alpha) Gamma(x + n) / (Gamma(x) Gamma(x + n + alpha)) at x = k alpha: the factor by which one
/// more successor changes the probability of n steps.
double support_growth(double alpha, double k, double n) {
  if (n == 0) return 1;
  if (alpha == 1) return k / (k + n);
  const double x = k * alpha;
  using detail::log_gamma_function;
  return portable::exp((log_gamma_function(x + alpha) - log_gamma_function(x)) -
                       (log_gamma_function(x + n + alpha) - log_gamma_function(x + n)));
}

}  // namespace

SupportSize::SupportSize(const RowLaw& law, std::size_t listed, std::size_t seen, std::uint64_t total)
    : listed_(listed), seen_(seen), least_(std::max<std::size_t>(1, seen)) {
  const auto n = static_cast<double>(total);
  const auto k0 = static_cast<double>(seen);
  if (law.kind == RowLaw::Kind::kDirichlet) {
    least_ = listed;
    weights_ = {1};
  } else {
    constexpr double kLeftOff = 1e-18;
    constexpr double kLarge = 1e200;
    double term = 1;
    double sum = 0;
    for (std::size_t size = least_; size <= listed; ++size) {
      weights_.push_back(term);
      sum += term;
      const auto k = static_cast<double>(size);
      // Each further term is at most `most` times the previous one, which bounds what is left out.
      const double most = law.sparsity * (k + 1) / (k + 1 - k0);
      if (most < 1 && term * most < kLeftOff * sum * (1 - most)) break;
      term *= most * support_growth(law.alpha, k, n);
      if (term < kLarge) continue;
      for (double& weight : weights_) weight /= kLarge;
      term /= kLarge;
      sum /= kLarge;
    }
    for (double& weight : weights_) weight /= sum;
  }
  double others = 0;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    const auto k = static_cast<double>(least_ + i);
    const double share = weights_[i] / (k * law.alpha + n);
    seen_share_ += share;
    others += share * (k - k0) * law.alpha;
  }
  if (listed > seen) unseen_share_ = others / static_cast<double>(listed - seen);
}

double SupportSize::log_support(std::size_t k) const {
  if (k < least_ || k - least_ >= weights_.size()) return -std::numeric_limits<double>::infinity();
  const auto log_factorial = [](std::size_t n) {
    return detail::log_gamma_function(static_cast<double>(n) + 1);
  };
  return std::log(weights_[k - least_]) + log_factorial(k - seen_) + log_factorial(listed_ - k) -
         log_factorial(listed_ - seen_);
}

std::size_t SupportSize::draw(Rng& rng) const {
  std::size_t i = 0;
  if (weights_.size() == 1) return least_;
  // The first few terms have nearly all the weight. If rounding leaves a remainder, the last term is drawn.
  for (double left = uniform(rng); i + 1 < weights_.size() && left >= weights_[i]; ++i) left -= weights_[i];
  return least_ + i;
}

RowTable::RowTable(int states, int actions, int horizon, const std::vector<Said>& rows,
                   std::vector<UnknownReward> unknowns)
    : states_(states),
      actions_(actions),
      rows_(rows.size()),
      pulls_(rows.size()),
      unknowns_(std::make_shared<const UnknownRewards>(std::move(unknowns))) {
  const bool lands = std::ranges::any_of(rows, [](const Said& said) { return !said.landing.empty(); });
  std::vector<std::pair<const Said*, std::uint32_t>> lists;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const Said& said = rows[r];
    Row& row = rows_[r];
    const std::size_t count = said.successors.size();
    row.pair = static_cast<std::uint32_t>(pairs_);
    row.count = static_cast<std::uint32_t>(count);
    row.list = list_of(said, lists);
    row.reward = said.reward;
    row.lands = !said.landing.empty();
    row.pulls = said.pull >= 0;
    if (row.pulls) pulls_[r] = {.cell = said.pull, .looks = 0, .rewarded = true};
    if (said.probabilities.empty() && count > 0) {
      row.law = law_of(said.law, count);
      ++unknown_rows_;
      unknown_pairs_ += count;
    }
    if (row.lands) {
      landing_.insert(landing_.end(), said.landing.begin(), said.landing.end());
    } else if (lands) {
      landing_.insert(landing_.end(), count, 0.0);
    }
    pairs_ += count;
  }
  most_seen_ = std::min(unknown_pairs_, static_cast<std::size_t>(horizon));
}

std::uint32_t RowTable::list_of(const Said& said, std::vector<std::pair<const Said*, std::uint32_t>>& known) {
  // Usually all rows share a few lists. With many lists, looking for an equal one is not worth the time.
  constexpr std::size_t kMostCompared = 16;
  for (std::size_t i = known.size(); i > 0 && known.size() - i < kMostCompared; --i) {
    const Said& other = *known[i - 1].first;
    if (other.successors == said.successors && other.probabilities == said.probabilities)
      return known[i - 1].second;
  }
  const auto place = static_cast<std::uint32_t>(lists_.size());
  lists_.insert(lists_.end(), said.successors.begin(), said.successors.end());
  probabilities_.insert(probabilities_.end(), said.probabilities.begin(), said.probabilities.end());
  probabilities_.resize(lists_.size());
  known.emplace_back(&said, place);
  return place;
}

std::uint32_t RowTable::law_of(const RowLaw& law, std::size_t listed) {
  const auto same = std::ranges::find_if(
      laws_, [&](const ListedLaw& one) { return one.law == law && one.listed == listed; });
  if (same != laws_.end()) return static_cast<std::uint32_t>(same - laws_.begin());
  laws_.push_back({law, listed});
  return static_cast<std::uint32_t>(laws_.size() - 1);
}

std::size_t RowTable::row_of_pair(std::uint32_t pair) const {
  const auto after = std::ranges::upper_bound(rows_, pair, {}, &Row::pair);
  return static_cast<std::size_t>(after - rows_.begin()) - 1;
}

std::size_t RowTable::slot(const Row& row, int next) const {
  const std::span<const int> all = successors(row);
  const auto found = std::ranges::lower_bound(all, next);
  return found != all.end() && *found == next ? static_cast<std::size_t>(found - all.begin()) : all.size();
}

double RowTable::known_reward(int x, int a, const Outcome& seen) const {
  bool possible = seen.observation.empty();
  double due = 0;
  if (a == kArrive) {
    possible = possible && seen.next == x && seen.reward == 0;
  } else {
    const Row& here = row(row_of(x, a));
    const std::size_t to = slot(here, seen.next);
    possible = possible && to < here.count;
    if (possible) due = reward(here, to);
    possible = possible && (here.pulls || seen.reward == due);
  }
  if (possible) return due;
  throw ImpossibleEvidence(
      fmt::format("action {} at state {}: next state {}, a reward of {} and [{}] cannot "
                  "be seen there",
                  a, x, seen.next, seen.reward, fmt::join(seen.observation, ", ")));
}

const UnknownReward& RowTable::enumerable_reward(std::size_t row) const {
  const UnknownReward& reward = paid(row);
  if (reward.law != UnknownReward::Law::kNormal) return reward;
  throw UsageError(
      fmt::format("'{}' is a normal reward: paying it has infinitely many outcomes, so there is "
                  "no exact solution",
                  printable(reward.name)));
}

}  // namespace assay
