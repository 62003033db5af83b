#include "beliefs/drawn_rows.hpp"

#include <cmath>

#include "assay/core/detail/portable_math.hpp"

namespace assay {

const SupportSize& RowSampler::support(std::uint32_t law, std::span<const RowBelief::Seen> seen) {
  // A larger number would mean that they do not recur.
  constexpr std::size_t kMostRemembered = 4096;
  std::uint64_t total = 0;
  for (const RowBelief::Seen one : seen) total += RowBelief::times_of(one);
  if (supports_.size() <= law) supports_.resize(law + 1);
  std::unordered_map<std::uint64_t, SupportSize>& remembered = supports_[law];
  const std::uint64_t key = static_cast<std::uint64_t>(seen.size()) << 32U | total;
  if (const auto known = remembered.find(key); known != remembered.end()) return known->second;
  if (remembered.size() >= kMostRemembered) remembered.clear();
  const RowTable::ListedLaw& prior = table_->law(law);
  return remembered.emplace(key, SupportSize(prior.law, prior.listed, seen.size(), total)).first->second;
}

void RowSampler::choose(std::size_t wanted, const RowTable::Row& row, std::span<const RowBelief::Seen> seen,
                        Rng& rng) {
  const std::size_t unseen = row.count - seen.size();
  const auto seen_slot = [&](std::size_t i) { return RowBelief::pair_of(seen[i]) - row.pair; };
  slots_.clear();
  constexpr std::size_t kFew = 16;
  if (wanted == unseen || wanted > kFew) {
    // Each successor in turn is taken with the probability that it is among those still wanted.
    std::size_t next_seen = 0;
    std::size_t left = unseen;
    for (std::uint32_t slot = 0; wanted > 0; ++slot) {
      if (next_seen < seen.size() && seen_slot(next_seen) == slot) {
        ++next_seen;
        continue;
      }
      if (wanted == left || uniform_index(rng, left) < wanted) {
        slots_.push_back(slot);
        --wanted;
      }
      --left;
    }
    return;
  }
  // The m-th successor that was not seen: the seen ones, which are sorted, are skipped.
  const auto slot_of = [&](std::size_t m) {
    for (std::size_t i = 0; i < seen.size() && seen_slot(i) <= m; ++i) ++m;
    return static_cast<std::uint32_t>(m);
  };
  // Floyd's method: every set of `wanted` successors has the same probability.
  for (std::size_t last = unseen - wanted; last < unseen; ++last) {
    const std::uint32_t drawn = slot_of(uniform_index(rng, last + 1));
    const bool taken = std::ranges::find(slots_, drawn) != slots_.end();
    slots_.push_back(taken ? slot_of(last) : drawn);
  }
}

void RowSampler::normalise() {
  const double largest = *std::ranges::max_element(probabilities_);
  double total = 0;
  for (double& p : probabilities_) {
    p = portable::exp(p - largest);
    total += p;
  }
  for (double& p : probabilities_) p /= total;
}

std::size_t RowSampler::draw_seen(std::size_t row, std::span<const RowBelief::Seen> seen, Rng& rng) {
  const RowTable::Row& here = table_->row(row);
  const double alpha = table_->law(here).law.alpha;
  const std::size_t others = support(here.law, seen).draw(rng) - seen.size();
  const std::size_t parts = seen.size() + (others > 0 ? 1 : 0);
  probabilities_.assign(parts, 1.0);
  if (parts == 1) return others;
  // Logarithms are used for small concentrations, whose variates can be too small for a double.
  for (std::size_t i = 0; i < seen.size(); ++i)
    probabilities_[i] = log_gamma_variate(rng, alpha + RowBelief::times_of(seen[i]));
  if (others > 0) probabilities_.back() = log_gamma_variate(rng, alpha * static_cast<double>(others));
  normalise();
  return others;
}

void RowSampler::draw_others(std::size_t row, std::span<const RowBelief::Seen> seen, std::size_t count,
                             Rng& rng) {
  const RowTable::Row& here = table_->row(row);
  choose(count, here, seen, rng);
  probabilities_.assign(count, 1.0);
  if (count == 1) return;
  const double alpha = table_->law(here).law.alpha;
  if (alpha == 1) {
    // Exponential variates cannot be too small, and each takes only one logarithm.
    double total = 0;
    for (double& p : probabilities_) {
      p = -portable::log(uniform_open(rng));
      total += p;
    }
    for (double& p : probabilities_) p /= total;
    return;
  }
  for (double& p : probabilities_) p = log_gamma_variate(rng, alpha);
  normalise();
}

DrawnRows::DrawnRows(const RowBelief& belief)
    : belief_(belief),
      actions_(static_cast<std::size_t>(belief.table().actions())),
      rows_(belief.table().rows()),
      arcs_(belief.table().pairs()),
      sampler_(belief.shared_table()),
      value_news_(belief.rewards().cells(), 0) {
  const RowTable& table = belief.table();
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const RowTable::Row& from = table.row(r);
    rows_[r].first = from.pair;
    rows_[r].reward = from.reward;
    rows_[r].unknown = from.unknown();
    rows_[r].more = from.lands || from.pulls;
    if (from.unknown()) continue;
    double upto = 0;
    for (std::uint32_t slot = 0; slot < from.count; ++slot) {
      upto += table.known(from)[slot];
      put(rows_[r], r, slot, upto);
    }
    close(rows_[r]);
  }
}

void DrawnRows::draw_from(const RowBelief& belief) {
  const std::span<const RowBelief::Seen> before = belief_.seen();
  const std::span<const RowBelief::Seen> after = belief.seen();
  const auto forget = [&](RowBelief::Seen news) {
    rows_[belief.table().row_of_pair(RowBelief::pair_of(news))].stamp = 0;
  };
  // Both lists are sorted, so they are merged.
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < before.size() || j < after.size()) {
    if (i < before.size() && j < after.size() && before[i] == after[j]) {
      ++i, ++j;
    } else if (j == after.size() || (i < before.size() && before[i] < after[j])) {
      forget(before[i++]);
    } else {
      forget(after[j++]);
    }
  }
  const CellBelief rewards = belief_.rewards();
  belief_ = belief;
  if (!value_news_.empty()) note_changed_rewards(rewards);
}

void DrawnRows::note_changed_rewards(const CellBelief& before) {
  const CellBelief& now = belief_.rewards();
  for (std::size_t c = 0; c < value_news_.size(); ++c) {
    // What was learned changes the mean or narrows the law.
    if (now.mean(c) == before.mean(c) && now.variance(c) == before.variance(c)) continue;
    value_news_[c] = 1;
    any_value_news_ = true;
  }
}

void DrawnRows::begin(const Rng& rng) {
  Rng environment = rng.split(0);
  environment_ = detail::environment_stream(environment);
  luck_ = rng.split(1);
}

void DrawnRows::put(Row& row, std::size_t which, std::uint32_t slot, double upto) {
  const RowTable& table = belief_.table();
  arcs_[row.first + row.count] = {upto, table.successors(table.row(which))[slot], slot};
  ++row.count;
}

void DrawnRows::close(Row& row) {
  constexpr double kAbove = 2;  // rounding may leave the sum below the number drawn
  if (row.count > 0) arcs_[row.first + row.count - 1].upto = kAbove;
}

void DrawnRows::draw_row(std::size_t which) {
  Row& row = rows_[which];
  row.stamp = stamp_;
  if (!row.unknown) return;
  const std::span<const RowBelief::Seen> seen = belief_.seen_in(which);
  Rng own = detail::row_stream(environment_, which);
  row.others = static_cast<std::uint32_t>(sampler_.draw_seen(which, seen, own));
  row.count = 0;
  double upto = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    upto += sampler_.probabilities()[i];
    put(row, which, RowBelief::pair_of(seen[i]) - row.first, upto);
  }
  if (row.others == 0) return close(row);
  arcs_[row.first + row.count++] = {1, kUnopened, 0};
  close(row);
  if (seen.empty()) open(which);
}

void DrawnRows::open(std::size_t which) {
  Row& row = rows_[which];
  const std::span<const RowBelief::Seen> seen = belief_.seen_in(which);
  Rng own = detail::others_stream(environment_, which);
  sampler_.draw_others(which, seen, row.others, own);
  --row.count;
  const double before = row.count == 0 ? 0 : arcs_[row.first + row.count - 1].upto;
  double share = 0;
  for (std::size_t i = 0; i < row.others; ++i) {
    share += sampler_.probabilities()[i];
    put(row, which, sampler_.slots()[i], before + (1 - before) * share);
  }
  close(row);
  row.others = 0;
}

void DrawnRows::need_values() {
  if (values_stamp_ == stamp_ && !any_value_news_) return;
  Rng own = detail::reward_stream(environment_, belief_.table());
  std::vector<double> fresh = belief_.rewards().sample(belief_.table(), own);
  if (values_stamp_ == stamp_) {
    for (std::size_t c = 0; c < fresh.size(); ++c) {
      if (value_news_[c] == 0) fresh[c] = values_[c];
    }
  }
  values_ = std::move(fresh);
  values_stamp_ = stamp_;
  std::ranges::fill(value_news_, 0);
  any_value_news_ = false;
}

void DrawnRows::pay(std::size_t which, std::uint32_t slot, SimulatedStep& taken) {
  const RowTable& table = belief_.table();
  const RowTable::Row& row = table.row(which);
  taken.reward = table.reward(row, slot);
  if (!row.pulls) return;
  need_values();
  const UnknownReward& paid = table.paid(which);
  const double value = values_[table.paid_cell(which)];
  if (paid.law == UnknownReward::Law::kNormal) {
    taken.reward += normal(luck_, value, paid.noise);
  } else if (bernoulli(luck_, value)) {
    taken.reward += paid.amount;
  }
  const auto actions = static_cast<int>(actions_);
  if (!belief_.rewards().learns(table, static_cast<int>(which) / actions, static_cast<int>(which) % actions))
    return;
  const std::uint64_t what = detail::spread(static_cast<std::uint64_t>(which) + 1) + taken.evidence;
  taken.evidence = detail::spread(what + detail::reward_bits(taken.reward)) | 1U;
}

RowEnvironment DrawnRows::whole() {
  RowEnvironment e;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    if (rows_[r].stamp != stamp_) draw_row(r);
    if (rows_[r].others > 0) open(r);
    const Arc* arc = arcs_.data() + rows_[r].first;
    double before = 0;
    for (std::uint32_t i = 0; i < rows_[r].count; ++i) {
      const double upto = i + 1 == rows_[r].count ? 1 : arc[i].upto;
      e.arcs.push_back({arc[i].next, std::max(0.0, upto - before)});
      before = upto;
    }
    e.first.push_back(static_cast<std::uint32_t>(e.arcs.size()));
  }
  if (!value_news_.empty()) need_values();
  e.values = values_;
  return e;
}

}  // namespace assay
