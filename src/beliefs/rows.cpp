#include "beliefs/rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "assay/core/detail/portable_math.hpp"
#include "assay/core/rng.hpp"

namespace assay {
namespace {

/// The place where a transition is, or where it belongs.
template <class Words>
auto seen_place(Words&& words, std::uint32_t pair) {
  return std::ranges::lower_bound(words, pair, {}, &RowBelief::pair_of);
}

std::uint64_t tries_of(std::span<const RowBelief::Seen> seen) {
  std::uint64_t total = 0;
  for (const RowBelief::Seen one : seen) total += RowBelief::times_of(one);
  return total;
}

RowBelief::Seen first_sight(std::uint32_t pair) { return std::uint64_t{pair} << 32U | 1U; }

}  // namespace

std::span<const RowBelief::Seen> RowBelief::seen_in(std::size_t row) const {
  const RowTable::Row& here = rows_->row(row);
  const auto first = seen_place(seen_, here.pair);
  return {first, std::ranges::lower_bound(first, seen_.end(), here.pair + here.count, {}, pair_of)};
}

SupportSize RowBelief::support(std::size_t row) const {
  const RowTable::ListedLaw& law = rows_->law(rows_->row(row));
  const std::span<const Seen> counts = seen_in(row);
  return {law.law, law.listed, counts.size(), tries_of(counts)};
}

void RowBelief::count(std::size_t row, int next) {
  const RowTable::Row& here = rows_->row(row);
  if (!here.unknown()) return;
  const auto pair = static_cast<std::uint32_t>(here.pair + rows_->slot(here, next));
  const auto place = seen_place(seen_, pair);
  if (place != seen_.end() && pair_of(*place) == pair) {
    ++*place;
  } else {
    seen_.insert(place, first_sight(pair));
  }
}

void RowBelief::pack(std::span<std::uint64_t> key) const {
  const std::span<std::uint64_t> rows = key.first(key.size() - rewards_.words());
  // No transition was seen 0 times, so that zeros end the list.
  std::ranges::fill(std::ranges::copy(seen_, rows.begin()).out, rows.end(), 0);
  rewards_.pack(key.last(rewards_.words()));
}

void RowBelief::unpack(std::span<const std::uint64_t> key) {
  const std::span<const std::uint64_t> rows = key.first(key.size() - rewards_.words());
  seen_.assign(rows.begin(), std::ranges::find(rows, std::uint64_t{0}));
  rewards_.unpack(key.last(rewards_.words()));
}

void RowBelief::pack_rows_after(int x, int action, const Outcome& seen, std::span<std::uint64_t> key) const {
  const auto end = std::ranges::copy(seen_, key.begin()).out;
  std::ranges::fill(end, key.end(), 0);
  if (action == kArrive) return;
  const RowTable::Row& here = rows_->row(rows_->row_of(x, action));
  if (!here.unknown()) return;
  const auto pair = static_cast<std::uint32_t>(here.pair + rows_->slot(here, seen.next));
  const auto place = std::ranges::lower_bound(key.begin(), end, pair, {}, pair_of);
  if (place != end && pair_of(*place) == pair) {
    ++*place;
  } else {
    std::move_backward(place, end, end + 1);
    *place = first_sight(pair);
  }
}

Rng detail::environment_stream(Rng& rng) { return Rng(rng.next64()); }

RowEnvironment RowBelief::draw(Rng& rng) const {
  const Rng environment = detail::environment_stream(rng);
  RowSampler sampler(rows_);
  RowEnvironment e;
  for (std::size_t r = 0; r < rows_->rows(); ++r) {
    const RowTable::Row& here = rows_->row(r);
    const std::span<const int> next = rows_->successors(here);
    if (here.unknown()) {
      const std::span<const Seen> counts = seen_in(r);
      Rng own = detail::row_stream(environment, r);
      const std::size_t others = sampler.draw_seen(r, counts, own);
      for (std::size_t i = 0; i < counts.size(); ++i)
        e.arcs.push_back({next[pair_of(counts[i]) - here.pair], sampler.probabilities()[i]});
      const double left = others > 0 ? sampler.probabilities().back() : 0;
      Rng more = detail::others_stream(environment, r);
      if (others > 0) sampler.draw_others(r, counts, others, more);
      for (std::size_t i = 0; i < others; ++i)
        e.arcs.push_back({next[sampler.slots()[i]], left * sampler.probabilities()[i]});
    } else {
      for (std::size_t i = 0; i < here.count; ++i) e.arcs.push_back({next[i], rows_->known(here)[i]});
    }
    e.first.push_back(static_cast<std::uint32_t>(e.arcs.size()));
  }
  Rng own = detail::reward_stream(environment, *rows_);
  e.values = rewards_.sample(*rows_, own);
  return e;
}

double RowBelief::row_log_density(std::size_t row, std::span<const RowArc> arcs) const {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  const RowTable::Row& here = rows_->row(row);
  const double alpha = rows_->law(here).law.alpha;
  std::span<const Seen> counts = seen_in(row);
  std::size_t found = 0;
  double log = 0;
  double total = 0;
  for (const RowArc& arc : arcs) {
    const std::size_t slot = rows_->slot(here, arc.next);
    if (slot == here.count) return kNever;
    double shape = alpha;
    const auto place = seen_place(counts, static_cast<std::uint32_t>(here.pair + slot));
    if (place != counts.end() && pair_of(*place) == here.pair + slot) {
      shape += times_of(*place);
      ++found;
    }
    total += shape;
    log += (shape - 1) * std::log(arc.probability) - detail::log_gamma_function(shape);
  }
  if (found < counts.size()) return kNever;
  return log + detail::log_gamma_function(total) + support(row).log_support(arcs.size());
}

double RowBelief::log_density_at(const RowEnvironment& e) const {
  double sum = rewards_.log_density(*rows_, e.values);
  for (std::size_t r = 0; r < rows_->rows(); ++r) {
    if (rows_->row(r).unknown()) sum += row_log_density(r, e.row(r));
  }
  return sum;
}

double RowBelief::expected_reward_at(std::size_t row) const {
  const RowTable::Row& here = rows_->row(row);
  double sum = here.reward;
  if (here.lands) {
    sum = 0;
    predict_row(row, [&](double p, std::size_t slot) { sum += p * rows_->reward(here, slot); });
  }
  if (here.pulls) sum += rows_->paid(row).unit() * rewards_.mean(rows_->paid_cell(row));
  return sum;
}

/// The variance of sum_i p_i r_i over the row's probabilities. Given that k successors occur, with shapes
/// that sum to A, E[(sum p r)^2] = ((sum a r)^2 + sum a r^2) / (A (A+1)), averaged over which unseen
/// successors occur: each with probability q, two of them with probability q2.
double RowBelief::landing_variance(std::size_t row) const {
  const RowTable::Row& here = rows_->row(row);
  if (!here.lands || !here.unknown()) return 0;
  const double alpha = rows_->law(here).law.alpha;
  std::span<const Seen> counts = seen_in(row);
  const auto k0 = static_cast<double>(counts.size());
  const auto tries = static_cast<double>(tries_of(counts));
  double seen = 0, seen_square = 0, other = 0, other_square = 0;
  for (std::size_t slot = 0; slot < here.count; ++slot) {
    const double r = rows_->reward(here, slot);
    if (!counts.empty() && pair_of(counts.front()) == here.pair + slot) {
      const double shape = alpha + times_of(counts.front());
      counts = counts.subspan(1);
      seen += shape * r;
      seen_square += shape * r * r;
    } else {
      other += r;
      other_square += r * r;
    }
  }
  const double unseen = here.count - k0;
  const SupportSize size = support(row);
  double mean = 0, square = 0;
  for (std::size_t i = 0; i < size.weights().size(); ++i) {
    const auto k = static_cast<double>(size.least() + i);
    const double all = k * alpha + tries;
    const double q = unseen > 0 ? (k - k0) / unseen : 0;
    const double q2 = unseen > 1 ? q * (k - k0 - 1) / (unseen - 1) : 0;
    mean += size.weights()[i] * (seen + q * alpha * other) / all;
    square += size.weights()[i] / (all * (all + 1)) *
              (seen * seen + seen_square + 2 * seen * q * alpha * other +
               q * alpha * (alpha + 1) * other_square + q2 * alpha * alpha * (other * other - other_square));
  }
  return std::max(0.0, square - mean * mean);
}

std::size_t RowBelief::row_features() const {
  return rows_->unknown_pairs() <= kFewPairs ? rows_->unknown_pairs() : rows_->unknown_rows();
}

void RowBelief::features(std::span<double> out) const {
  std::ranges::fill(out, 0.0);
  const bool few = rows_->unknown_pairs() <= kFewPairs;
  std::size_t at = 0;
  for (std::size_t r = 0; r < rows_->rows(); ++r) {
    const RowTable::Row& here = rows_->row(r);
    if (!here.unknown()) continue;
    if (few) {
      predict_row(r, [&](double p, std::size_t slot) { out[at + slot] = p; });
      at += here.count;
    } else {
      const auto tries = static_cast<double>(tries_of(seen_in(r)));
      out[at++] = tries / (1 + tries);
    }
  }
  rewards_.features(out.subspan(at));
}

std::string RowBelief::as_text(const Name& state, const Name& action) const {
  constexpr std::size_t kMostRows = 8;
  std::vector<std::string> said;
  std::size_t more = 0;
  for (std::size_t i = 0; i < seen_.size();) {
    const std::size_t row = rows_->row_of_pair(pair_of(seen_[i]));
    const RowTable::Row& here = rows_->row(row);
    std::vector<std::string> led;
    for (; i < seen_.size() && pair_of(seen_[i]) < here.pair + here.count; ++i) {
      const int next = rows_->successors(here)[pair_of(seen_[i]) - here.pair];
      if (said.size() < kMostRows) led.push_back(fmt::format("{} x{}", state(next), times_of(seen_[i])));
    }
    if (said.size() == kMostRows) {
      ++more;
      continue;
    }
    const auto actions = static_cast<std::size_t>(rows_->actions());
    said.push_back(fmt::format("{} at {}: {}", action(static_cast<int>(row % actions)),
                               state(static_cast<int>(row / actions)), fmt::join(led, ", ")));
  }
  if (more > 0) said.push_back(fmt::format("and {} more", more));
  const std::string rewards = rewards_.text(*rows_);
  if (rewards_.cells() > 0 && rewards != "prior") said.push_back(rewards);
  return said.empty() ? "prior" : fmt::format("{}", fmt::join(said, "; "));
}

}  // namespace assay
