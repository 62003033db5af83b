#include "solver/tally_bound.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace assay {
namespace {

constexpr double kLeastGain = 0.01;  // with a smaller gain the bound is not worth computing
constexpr double kTrialWork = 0.1;   // the part of the work that is used to find out whether the bound pays

}  // namespace

TallyBound::TallyBound(const FiniteModel& model, const PlanTables& tables)
    : model_(&model), tables_(&tables) {
  for (int e = 0; e < model.environments(); ++e) {
    if (model.prior()[static_cast<std::size_t>(e)] > 0) possible_.push_back(e);
  }
}

std::optional<TallyBound> TallyBound::make(const FiniteModel& model, const PlanTables& tables,
                                           std::size_t bytes, double work, const Resources& resources) {
  TallyBound bound(model, tables);
  if (!bound.find_reached(work)) return std::nullopt;
  bound.find_blocks();
  bound.shift_rewards();
  bound.order_environments();
  for (const double share : {kTrialWork, 1.0}) {
    const std::size_t groups = bound.most_groups(bytes, share * work);
    if (groups == bound.solved_groups_) continue;
    bound.group(groups);
    bound.number_tallies();
    bound.solve(resources);
    if (bound.gain() < kLeastGain) return std::nullopt;
  }
  if (bound.solved_groups_ == 0) return std::nullopt;
  bound.group(bound.solved_groups_);
  return bound;
}

void TallyBound::find_blocks() {
  blocks_.resize(row(model_->states(), kArrive));
  for (int x = 0; x < model_->states(); ++x) {
    for (int a = kArrive; a < model_->actions(); ++a) {
      if (model_->teaches(x, a) && !find_blocks(x, a)) tell_all(x, a);
    }
  }
}

/// False if outcomes do more than separate blocks of environments.
bool TallyBound::find_blocks(int x, int a) {
  const std::span<const FiniteModel::Result> results = model_->results(x, a);
  std::vector<std::uint32_t> all;
  std::map<int, std::vector<std::uint32_t>> by_next;
  for (std::uint32_t r = 0; r < results.size(); ++r) {
    all.push_back(r);
    by_next[results[r].next].push_back(r);
  }
  if (find_part(x, a, all, 0)) return true;
  blocks_[row(x, a)].clear();
  int part = 0;
  for (const auto& [next, some] : by_next) {
    if (!find_part(x, a, some, part++)) return false;
  }
  return true;
}

/// Blocks of environments that are alike here.
void TallyBound::tell_all(int x, int a) {
  std::vector<std::vector<Likely>> laws(model_->prior().size());
  const std::span<const FiniteModel::Result> results = model_->results(x, a);
  for (std::uint32_t r = 0; r < results.size(); ++r) {
    for (const FiniteModel::Chance& c : model_->chances(results[r])) {
      for (const int e : possible_) {
        if (c.environment == e || c.environment == FiniteModel::kEvery)
          laws[static_cast<std::size_t>(e)].push_back({r, c.probability});
      }
    }
  }
  std::map<std::vector<Likely>, std::vector<int>> alike;
  for (const int e : possible_) alike[laws[static_cast<std::size_t>(e)]].push_back(e);
  Blocks& blocks = blocks_[row(x, a)];
  blocks.clear();
  for (auto& [law, environments] : alike) blocks.push_back({0, std::move(environments), law});
}

/// Finds the blocks of some of the results. False if they do not contain every environment once.
bool TallyBound::find_part(int x, int a, std::span<const std::uint32_t> results, int part) {
  Blocks& blocks = blocks_[row(x, a)];
  std::vector<std::size_t> block_of(model_->prior().size(), SIZE_MAX);
  std::size_t found = 0;
  for (const std::uint32_t r : results) {
    const std::span<const FiniteModel::Chance> chances = model_->chances(model_->results(x, a)[r]);
    const Likely likely{r, chances.front().probability};
    std::vector<int> where;
    if (chances.front().environment == FiniteModel::kEvery) where = possible_;
    for (const FiniteModel::Chance& c : chances) {
      if (c.probability != likely.probability) return false;
      if (c.environment != FiniteModel::kEvery &&
          model_->prior()[static_cast<std::size_t>(c.environment)] > 0)
        where.push_back(c.environment);
    }
    if (where.empty()) continue;
    const std::size_t known = block_of[static_cast<std::size_t>(where.front())];
    if (known != SIZE_MAX) {
      if (blocks[known].environments != where) return false;
      blocks[known].results.push_back(likely);
      continue;
    }
    for (const int e : where) {
      if (block_of[static_cast<std::size_t>(e)] != SIZE_MAX) return false;
      block_of[static_cast<std::size_t>(e)] = blocks.size();
    }
    found += where.size();
    blocks.push_back({part, std::move(where), {likely}});
  }
  return found == possible_.size();
}

/// False if even one group takes too long.
bool TallyBound::find_reached(double most_work) {
  double results = 0;
  const auto horizon = static_cast<std::size_t>(model_->horizon());
  rank_.assign(pair(model_->horizon() + 1, 0), kUnreached);
  reached_.resize(horizon + 1);
  const auto reach = [&](int h, int x) {
    if (std::exchange(rank_[pair(h, x)], 0) == kUnreached) reached_[static_cast<std::size_t>(h)].push_back(x);
  };
  for (const Start& s : model_->starts()) reach(model_->horizon(), s.state);
  for (int h = model_->horizon(); h > 1; --h) {
    for (const int x : reached_[static_cast<std::size_t>(h)]) {
      for (int a = 0; a < model_->actions(); ++a) {
        for (const FiniteModel::Result& result : model_->results(x, a)) reach(h - 1, result.next);
        results += static_cast<double>(model_->results(x, a).size());
      }
      if (results * static_cast<double>(possible_.size() + 1) > most_work) return false;
    }
  }
  std::uint32_t rank = 0;
  for (int h = 0; h <= model_->horizon(); ++h) {
    first_rank_.push_back(rank);
    for (const int x : reached_[static_cast<std::size_t>(h)]) rank_[pair(h, x)] = rank++;
  }
  first_rank_.push_back(rank);
  return true;
}

void TallyBound::shift_rewards() {
  lowest_arrival_ = lowest_action_ = std::numeric_limits<double>::infinity();
  for (int x = 0; x < model_->states(); ++x) {
    for (int a = kArrive; a < model_->actions(); ++a) {
      double& lowest = a == kArrive ? lowest_arrival_ : lowest_action_;
      for (const FiniteModel::Result& r : model_->results(x, a)) lowest = std::min(lowest, r.reward);
    }
  }
  shift_ = {0, lowest_action_};
  while (shift_.size() <= static_cast<std::size_t>(model_->horizon())) {
    shift_.push_back(lowest_action_ + model_->discount() * (lowest_arrival_ + shift_.back()));
  }
}

void TallyBound::order_environments() {
  std::vector<double> worth(model_->prior().size());
  for (const Start& s : model_->starts()) {
    const std::span<const double> known = tables_->known(model_->horizon(), s.state);
    for (std::size_t e = 0; e < worth.size(); ++e) worth[e] += s.probability * known[e];
  }
  order_ = possible_;
  // Weights come first, because a group counts all its environments as the heaviest one. Then come the
  // values, which often correspond to how far away the environments are.
  std::ranges::stable_sort(order_, std::ranges::greater{}, [&](int e) {
    const auto i = static_cast<std::size_t>(e);
    return std::pair(model_->prior()[i], worth[i]);
  });
}

std::size_t TallyBound::most_groups(std::size_t bytes, double most_work) {
  std::size_t groups = 0;
  while (groups < order_.size() && group(groups + 1) && table_bytes() <= bytes && work() <= most_work)
    ++groups;
  return groups;
}

/// Cuts the order into this many groups, as equal as possible. False if tallies would not fit into their
/// numbers.
bool TallyBound::group(std::size_t groups) {
  group_of_.assign(model_->prior().size(), -1);
  members_.assign(groups, {});
  weights_.assign(groups, 0);
  strides_.assign(groups, 0);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const std::size_t g = i * groups / order_.size();
    const auto e = static_cast<std::size_t>(order_[i]);
    group_of_[e] = static_cast<int>(g);
    members_[g].push_back(order_[i]);
    weights_[g] = std::max(weights_[g], model_->prior()[e]);
  }
  const std::size_t largest = (order_.size() + groups - 1) / groups;
  bits_ = static_cast<unsigned>(std::bit_width(largest)) + 1;
  if (bits_ * groups > 64) return false;
  guards_ = 0;
  double count = 1;
  for (std::size_t g = 0; g < groups; ++g) {
    strides_[g] = static_cast<std::size_t>(count);
    guards_ |= std::uint64_t{1} << (bits_ * (g + 1) - 1);
    count *= static_cast<double>(members_[g].size() + 1);
    if (count > 1e9) return false;
  }
  tallies_ = static_cast<std::size_t>(count);
  for (Blocks& blocks : blocks_) {
    for (Block& block : blocks) {
      block.most = 0;
      for (const int e : block.environments) {
        block.most += std::uint64_t{1}
                      << (bits_ * static_cast<unsigned>(group_of_[static_cast<std::size_t>(e)]));
      }
    }
    // Small ones come first: joining two takes time in proportion to the smaller one.
    std::ranges::stable_sort(blocks, {},
                             [&](const Block& b) { return std::pair(b.part, count_within(b.most)); });
  }
  return true;
}

double TallyBound::count_within(std::uint64_t most) const {
  double count = 1;
  for (std::size_t g = 0; g < members_.size(); ++g) {
    const std::uint64_t of_group = (most >> (bits_ * g)) & ((std::uint64_t{1} << (bits_ - 1)) - 1);
    count *= static_cast<double>(of_group + 1);
  }
  return count;
}

/// The number of additions that solving takes.
double TallyBound::work() const {
  std::vector<double> of_state(static_cast<std::size_t>(model_->states()));
  for (int x = 0; x < model_->states(); ++x) {
    double& sum = of_state[static_cast<std::size_t>(x)];
    for (int a = kArrive; a < model_->actions(); ++a) {
      const Blocks& blocks = blocks_[row(x, a)];
      sum += static_cast<double>(model_->results(x, a).size());
      std::uint64_t together = 0;
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        if (b == 0 || blocks[b].part != blocks[b - 1].part) together = 0;
        if (together != 0) sum += 2 * std::min(count_within(together), count_within(blocks[b].most));
        together += blocks[b].most;
      }
    }
  }
  double sum = 0;
  for (const std::vector<int>& states : reached_) {
    for (const int x : states) sum += of_state[static_cast<std::size_t>(x)];
  }
  return sum * static_cast<double>(tallies_);
}

std::size_t TallyBound::table_bytes() const {
  std::size_t widest = 0;
  for (const std::vector<int>& states : reached_) widest = std::max(widest, states.size());
  return (first_rank_.back() + 2 * widest + 2) * tallies_ * sizeof(double);
}

void TallyBound::number_tallies() {
  packed_.assign(tallies_, 0);
  mass_.assign(tallies_, 0);
  for (std::size_t t = 0; t < tallies_; ++t) {
    for (std::size_t g = 0; g < members_.size(); ++g) {
      const std::size_t count = t / strides_[g] % (members_[g].size() + 1);
      packed_[t] |= static_cast<std::uint64_t>(count) << (bits_ * g);
      mass_[t] += static_cast<double>(count) * weights_[g];
    }
  }
}

/// By how much the bound is better than full information at the start, as a share of what can be earned.
double TallyBound::gain() const {
  std::vector<BeliefTable::Share> prior;
  for (const int e : possible_) prior.push_back({e, model_->prior()[static_cast<std::size_t>(e)]});
  const Tally all = tally(prior);
  double sum = 0;
  double size = 0;
  for (const Start& s : model_->starts()) {
    const std::span<const double> known = tables_->known(model_->horizon(), s.state);
    const std::span<const double> paid = tables_->arrival(s.state);
    double full = 0;
    for (std::size_t e = 0; e < known.size(); ++e) full += model_->prior()[e] * (known[e] - paid[e]);
    sum += s.probability * (full - std::min(full, upper(model_->horizon(), s.state, all)));
    size += s.probability * std::abs(full - shift_.back());
  }
  return size > 0 ? sum / size : 0;
}

TallyBound::Tally TallyBound::tally(std::span<const BeliefTable::Share> belief) const {
  Tally tally{0, 0};
  for (const BeliefTable::Share& share : belief) {
    const int g = group_of_[static_cast<std::size_t>(share.environment)];
    if (g < 0) return {0, std::numeric_limits<double>::infinity()};
    const auto at = static_cast<std::size_t>(g);
    tally.number += static_cast<std::uint32_t>(strides_[at]);
    tally.factor = std::max(tally.factor, share.weight / weights_[at]);
  }
  return tally;
}

double TallyBound::upper(int h, int x, const Tally& tally) const {
  const std::uint32_t rank = rank_[pair(h, x)];
  if (rank == kUnreached || std::isinf(tally.factor)) return std::numeric_limits<double>::infinity();
  return shift_[static_cast<std::size_t>(h)] + tally.factor * values_[rank * tallies_ + tally.number];
}

}  // namespace assay
