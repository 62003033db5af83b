#include "assay/beliefs/drawn_rows.hpp"

#include <cmath>

#include "assay/core/portable_math.hpp"

namespace assay {

const SupportSize& RowSampler::support(std::uint32_t law, std::span<const RowBelief::Seen> seen) {
  // More would be a sign that they are not met again.
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

void RowSampler::add_unseen(std::size_t wanted, std::size_t listed, Rng& rng) {
  const std::size_t seen = slots_.size();
  const std::size_t unseen = listed - seen;
  // The m-th that was not seen: the seen ones, which are in order, are passed over.
  const auto slot_of = [&](std::size_t m) {
    for (std::size_t i = 0; i < seen && slots_[i] <= m; ++i) ++m;
    return static_cast<std::uint32_t>(m);
  };
  constexpr std::size_t kFew = 16;
  if (wanted == unseen || wanted > kFew) {
    // One after the other, each with the chance that it is among those still wanted.
    std::size_t next_seen = 0;
    std::size_t left = unseen;
    for (std::uint32_t slot = 0; wanted > 0; ++slot) {
      if (next_seen < seen && slots_[next_seen] == slot) {
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
  // Floyd's: every set of `wanted` is equally likely.
  for (std::size_t last = unseen - wanted; last < unseen; ++last) {
    const std::uint32_t drawn = slot_of(uniform_index(rng, last + 1));
    const bool taken =
        std::find(slots_.begin() + static_cast<std::ptrdiff_t>(seen), slots_.end(), drawn) != slots_.end();
    slots_.push_back(taken ? slot_of(last) : drawn);
  }
}

void RowSampler::draw(std::size_t row, std::span<const RowBelief::Seen> seen, Rng& rng) {
  const RowTable::Row& here = table_->row(row);
  const RowTable::ListedLaw& prior = table_->law(here);
  slots_.clear();
  for (const RowBelief::Seen one : seen) slots_.push_back(RowBelief::pair_of(one) - here.pair);
  const std::size_t size = support(here.law, seen).draw(rng);
  add_unseen(size - seen.size(), prior.listed, rng);
  probabilities_.assign(slots_.size(), 1.0);
  if (slots_.size() == 1) return;
  // Logarithms, for small concentrations: their variates can be too small for a double.
  double largest = -HUGE_VAL;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const double shape = prior.law.alpha + (i < seen.size() ? RowBelief::times_of(seen[i]) : 0);
    probabilities_[i] = log_gamma_variate(rng, shape);
    largest = std::max(largest, probabilities_[i]);
  }
  double total = 0;
  for (double& p : probabilities_) {
    p = portable::exp(p - largest);
    total += p;
  }
  for (double& p : probabilities_) p /= total;
}

DrawnRows::DrawnRows(const RowBelief& belief)
    : belief_(belief),
      actions_(static_cast<std::size_t>(belief.table().actions())),
      rows_(belief.table().rows()),
      arcs_(belief.table().pairs()),
      sampler_(belief.shared_table()),
      value_news_(belief.rewards().cells(), 0) {
  const RowTable& table = belief.table();
  std::vector<std::uint32_t> slots;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const RowTable::Row& from = table.row(r);
    rows_[r].first = from.pair;
    rows_[r].reward = from.reward;
    rows_[r].unknown = from.unknown();
    rows_[r].more = from.lands || from.pulls;
    if (from.unknown()) continue;
    slots.clear();
    for (std::uint32_t slot = 0; slot < from.count; ++slot) slots.push_back(slot);
    put(r, slots, table.known(from));
  }
}

void DrawnRows::know(const RowBelief& belief) {
  const std::span<const RowBelief::Seen> before = belief_.seen();
  const std::span<const RowBelief::Seen> after = belief.seen();
  const auto forget = [&](RowBelief::Seen news) {
    rows_[belief.table().row_of_pair(RowBelief::pair_of(news))].stamp = 0;
  };
  // Both are in order: walk along them together.
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
    // What was learned moves the mean or narrows the law.
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

void DrawnRows::put(std::size_t which, std::span<const std::uint32_t> slots,
                    std::span<const double> probabilities) {
  const RowTable& table = belief_.table();
  const std::span<const int> next = table.successors(table.row(which));
  Row& row = rows_[which];
  row.count = static_cast<std::uint32_t>(slots.size());
  Arc* arc = arcs_.data() + row.first;
  double upto = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    upto += probabilities[i];
    arc[i] = {upto, next[slots[i]], slots[i]};
  }
  constexpr double kAbove = 2;  // rounding may leave the sum below what is drawn
  if (!slots.empty()) arc[slots.size() - 1].upto = kAbove;
}

void DrawnRows::draw_row(std::size_t which) {
  if (rows_[which].unknown) {
    Rng own = environment_.split(which);
    sampler_.draw(which, belief_.seen_in(which), own);
    put(which, sampler_.slots(), sampler_.probabilities());
  }
  rows_[which].stamp = stamp_;
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
