#include "assay/cashing/plan_model.hpp"

#include <algorithm>

namespace assay {
namespace {

/// Ends that are less likely than this are not looked at one by one.
constexpr double kRare = 0.01;
/// An environment that is so much less likely than all together is out.
constexpr float kOut = 1e-5F;

}  // namespace

PlanModel::PlanModel(std::unique_ptr<Simulator> simulator, std::unique_ptr<Knowledge> knowledge,
                     const PoolSettings& settings, int horizon)
    : pool_(std::move(simulator), knowledge->clone(), settings, horizon),
      actions_(static_cast<std::size_t>(knowledge->actions())) {
  allowed_.resize(static_cast<std::size_t>(knowledge->states()));
  for (int x = 0; x < knowledge->states(); ++x) {
    for (int a = 0; a < knowledge->actions(); ++a) {
      const bool may = knowledge->allowed(x, a);
      if (may) allowed_[static_cast<std::size_t>(x)].push_back(a);
      learns_.push_back(may && knowledge->learns(x, a));
    }
  }
  mass_.resize(allowed_.size());
}

std::uint32_t PlanModel::begin(const World& world, Rng rng) {
  pool_.know(world, rng);
  beliefs_.clear();
  shares_.clear();
  for (std::uint32_t i = 0; i < pool_.size(); ++i) shares_.push_back({i, 1 / static_cast<float>(pool_.size())});
  beliefs_.push_back({0, static_cast<std::uint32_t>(pool_.size()), 1, 0});
  even_.resize(pool_.plans());
  odd_.resize(pool_.plans());
  return 0;
}

ValueBounds PlanModel::value(std::uint32_t belief, int state, int remaining) {
  Belief& known = beliefs_[belief];
  const std::size_t plans = pool_.plans();
  std::ranges::fill(even_, 0.0F);
  std::ranges::fill(odd_, 0.0F);
  double told = 0;
  float even_weight = 0;
  float odd_weight = 0;
  for (std::uint32_t i = 0; i < known.count; ++i) {
    const Share& share = shares_[known.first + i];
    const bool even = share.environment % 2 == 0;
    (even ? even_weight : odd_weight) += share.weight;
    float* sums = even ? even_.data() : odd_.data();
    const float* row = pool_.collected(share.environment, state, remaining).data();
    for (std::size_t p = 0; p < plans; ++p) sums[p] += share.weight * row[p];
    told += share.weight * pool_.told(share.environment, state, remaining);
  }
  std::uint32_t best_even = known.plan;
  std::uint32_t best_odd = known.plan;
  std::uint32_t best = known.plan;
  for (std::uint32_t p = 0; p < plans; ++p) {
    if (even_[p] > even_[best_even]) best_even = p;
    if (odd_[p] > odd_[best_odd]) best_odd = p;
    if (even_[p] + odd_[p] > even_[best] + odd_[best]) best = p;
  }
  known.plan = best;
  const double all = static_cast<double>(even_weight) + odd_weight;
  const double collected = static_cast<double>(even_[best_odd]) + odd_[best_even];
  return {collected / all, told / all};
}

ValueBounds PlanModel::bounds(std::uint32_t belief, int state, int remaining) {
  return value(belief, state, remaining);
}

void PlanModel::look_ahead(std::uint32_t belief, int state, int remaining, std::vector<Prospect>& out) {
  out.clear();
  for (const int a : allowed_[static_cast<std::size_t>(state)]) {
    Prospect& prospect = out.emplace_back();
    prospect.action = a;
    const Belief known = beliefs_[belief];
    const std::size_t row = static_cast<std::size_t>(state) * actions_ + static_cast<std::size_t>(a);
    met_.clear();
    double reward = 0;
    for (std::uint32_t i = 0; i < known.count; ++i) {
      const Share share = shares_[known.first + i];
      const TabularMdp& table = pool_.table(share.environment);
      reward += share.weight * table.reward[row];
      for (std::uint32_t arc = table.first_arc[row]; arc < table.first_arc[row + 1]; ++arc) {
        double& mass = mass_[static_cast<std::size_t>(table.arcs[arc].next)];
        if (mass == 0) met_.push_back(table.arcs[arc].next);
        mass += share.weight * table.arcs[arc].probability;
      }
    }
    prospect.reward = reward / known.weight;
    std::ranges::sort(met_);
    double listed = 0;
    const double rare = kRare * known.weight;
    for (const int next : met_) {
      const double mass = mass_[static_cast<std::size_t>(next)];
      if (mass < rare) continue;
      listed += mass;
    }
    const bool none = listed == 0;
    for (const int next : met_) {
      const double mass = mass_[static_cast<std::size_t>(next)];
      mass_[static_cast<std::size_t>(next)] = 0;
      if (mass < rare && !none) continue;
      Possible end{.probability = mass / (none ? known.weight : listed),
                   .arrival = 0,
                   .state = next,
                   .evidence = 0,
                   .belief = belief,
                   .bounds = {}};
      if (learns_[row]) {
        end.evidence = detail::spread(row << 32U | static_cast<std::uint32_t>(next)) | 1U;
        Belief after{static_cast<std::uint32_t>(shares_.size()), 0, 0, known.plan};
        for (std::uint32_t i = 0; i < known.count; ++i) {
          const Share share = shares_[known.first + i];
          const TabularMdp& table = pool_.table(share.environment);
          double p = 0;
          for (std::uint32_t arc = table.first_arc[row]; arc < table.first_arc[row + 1]; ++arc) {
            if (table.arcs[arc].next == next) p += table.arcs[arc].probability;
          }
          const auto weight = static_cast<float>(share.weight * p);
          if (weight <= kOut * static_cast<float>(mass)) continue;
          shares_.push_back({share.environment, weight});
          after.weight += weight;
        }
        after.count = static_cast<std::uint32_t>(shares_.size()) - after.first;
        beliefs_.push_back(after);
        end.belief = static_cast<std::uint32_t>(beliefs_.size() - 1);
      }
      if (remaining > 1) end.bounds = value(end.belief, next, remaining - 1);
      prospect.ends.push_back(end);
    }
  }
}

}  // namespace assay
