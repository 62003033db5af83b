// How a TallyBound is computed: backward, one step at a time. The states are divided among threads.
#include <algorithm>
#include <limits>

#include "assay/core/detail/workers.hpp"
#include "solver/tally_bound.hpp"

namespace assay {

struct TallyBound::Scratch {
  std::vector<double> sum, part, both, parts;  // [tally]
  std::vector<std::uint32_t> within, other;    // tallies
};

void TallyBound::solve(const Resources& resources) {
  Workers workers(resources.threads, resources.stop);
  solved_groups_ = members_.size();
  values_.resize(first_rank_.back() * tallies_);
  for (int h = 1; h <= model_->horizon(); ++h) {
    const std::vector<int>& states = reached_[static_cast<std::size_t>(h)];
    next_arriving_.resize(states.size() * tallies_);
    workers.for_each(states.size(), [&](std::size_t i) {
      Scratch scratch;
      for (std::vector<double>* v : {&scratch.sum, &scratch.part, &scratch.both, &scratch.parts})
        v->resize(tallies_);
      choose(h, states[i], scratch);
      arrive(h, states[i], scratch);
    });
    arriving_.swap(next_arriving_);
  }
  arriving_ = {};
  next_arriving_ = {};
}

void TallyBound::choose(int h, int x, Scratch& scratch) {
  const std::span<double> best = values_at(h, x);
  std::ranges::fill(best, -std::numeric_limits<double>::infinity());
  for (int a = 0; a < model_->actions(); ++a) {
    if (!model_->allowed(x, a)) continue;
    split(h, x, a, scratch);
    for (std::size_t t = 0; t < tallies_; ++t) best[t] = std::max(best[t], scratch.sum[t]);
  }
  cap(h, x, best);
}

void TallyBound::arrive(int h, int x, Scratch& scratch) {
  split(h, x, kArrive, scratch);
  const std::size_t at = rank_[pair(h, x)] - first_rank_[static_cast<std::size_t>(h)];
  std::ranges::copy(scratch.sum, next_arriving_.begin() + static_cast<std::ptrdiff_t>(at * tallies_));
}

/// No tally is worth more than its most valuable environments when each of them is known.
void TallyBound::cap(int h, int x, std::span<double> values) const {
  const std::span<const double> known = tables_->known(h, x);
  const std::span<const double> paid = tables_->arrival(x);
  std::vector<double> most(tallies_);
  for (std::size_t g = 0; g < members_.size(); ++g) {
    std::vector<double> worth;
    for (const int e : members_[g]) {
      const auto i = static_cast<std::size_t>(e);
      worth.push_back(weights_[g] * (known[i] - paid[i] - shift_[static_cast<std::size_t>(h)]));
    }
    std::ranges::sort(worth, std::ranges::greater{});
    double sum = 0;
    for (std::size_t count = 1; count <= worth.size(); ++count) {
      sum += worth[count - 1];
      for (std::size_t t = 0; t < strides_[g]; ++t) most[count * strides_[g] + t] = most[t] + sum;
    }
  }
  for (std::size_t t = 0; t < tallies_; ++t) values[t] = std::min(values[t], most[t]);
}

/// Writes into `sum` the best value of doing `a` (or arriving), however a tally is split among the blocks.
void TallyBound::split(int h, int x, int a, Scratch& scratch) const {
  const std::span<const Block> blocks = blocks_[row(x, a)];
  if (blocks.empty()) {
    Block all;
    for (std::uint32_t r = 0; r < model_->results(x, a).size(); ++r)
      all.results.push_back({r, model_->chances(model_->results(x, a)[r]).front().probability});
    block_values(all, h, x, a, scratch.sum);
    return;
  }
  std::ranges::fill(scratch.parts, 0.0);
  for (std::size_t first = 0, end = 0; first < blocks.size(); first = end) {
    while (end < blocks.size() && blocks[end].part == blocks[first].part) ++end;
    split_part(blocks.subspan(first, end - first), h, x, a, scratch);
    for (std::size_t t = 0; t < tallies_; ++t) scratch.parts[t] += scratch.sum[t];
  }
  scratch.sum.swap(scratch.parts);
}

void TallyBound::split_part(std::span<const Block> blocks, int h, int x, int a, Scratch& scratch) const {
  block_values(blocks.front(), h, x, a, scratch.sum);
  std::uint64_t together = blocks.front().most;
  for (const Block& block : blocks.subspan(1)) {
    block_values(block, h, x, a, scratch.part);
    if (count_within(block.most) < count_within(together)) {
      scratch.sum.swap(scratch.part);
      combine(block.most, together, scratch);
    } else {
      combine(together, block.most, scratch);
    }
    together += block.most;
  }
}

/// `sum` holds the values of tallies within `one`, `part` those within `other`. `sum` becomes the values of
/// both together.
void TallyBound::combine(std::uint64_t one, std::uint64_t other, Scratch& scratch) const {
  list_within(one, scratch.within);
  list_within(one + other, scratch.other);
  for (const std::uint32_t whole : scratch.other) {
    double best = -std::numeric_limits<double>::infinity();
    for (const std::uint32_t part : scratch.within) {
      const std::uint64_t rest = packed_[whole] - packed_[part];
      if (!fits(packed_[part], packed_[whole]) || !fits(rest, other)) continue;
      best = std::max(best, scratch.sum[part] + scratch.part[whole - part]);
    }
    scratch.both[whole] = best;
  }
  scratch.sum.swap(scratch.both);
}

void TallyBound::list_within(std::uint64_t most, std::vector<std::uint32_t>& into) const {
  into.clear();
  for (std::size_t t = 0; t < tallies_; ++t) {
    if (fits(packed_[t], most)) into.push_back(static_cast<std::uint32_t>(t));
  }
}

/// The value of every tally if all its environments were in the block (tallies that are too large are never
/// looked up).
void TallyBound::block_values(const Block& block, int h, int x, int a, std::span<double> into) const {
  std::ranges::fill(into, 0.0);
  const std::span<const FiniteModel::Result> results = model_->results(x, a);
  for (const Likely& likely : block.results) {
    const FiniteModel::Result& result = results[likely.result];
    const double p = likely.probability;
    const double reward = result.reward - (a == kArrive ? lowest_arrival_ : lowest_action_);
    const double* next = nullptr;
    double discount = 1;
    if (a == kArrive) {
      next = values_.data() + rank_[pair(h, x)] * tallies_;
    } else if (h > 1) {
      const std::size_t at = rank_[pair(h - 1, result.next)] - first_rank_[static_cast<std::size_t>(h) - 1];
      next = arriving_.data() + at * tallies_;
      discount = model_->discount();
    }
    for (std::size_t t = 0; t < tallies_; ++t) {
      into[t] += p * (mass_[t] * reward + (next == nullptr ? 0.0 : discount * next[t]));
    }
  }
}

}  // namespace assay
