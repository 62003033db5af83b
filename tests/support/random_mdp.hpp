// Random environments with common dynamics, in every form and with every payment that the fast kernels know.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/core/rng.hpp"
#include "assay/solver/detail/dynamics.hpp"
#include "assay/solver/detail/environment_batch.hpp"
#include "assay/solver/detail/mdp.hpp"
#include "solver/cross_solver.hpp"

namespace assay::support {

struct MdpShape {
  Dynamics::Form form = Dynamics::Form::kKingGrid;
  Dynamics::Pays pays = Dynamics::Pays::kState;
  int rows = 3;
  int columns = 3;  // what is no grid has rows * columns states all the same
  double discount = 1;
  /// Rewards are eighths from -1 to 1 or, for the sake of ties, 0 and 1, and probabilities are quarters; else
  /// both are continuous, the rewards uniform on [-1, 1).
  bool dyadic = false;
  /// A grid in disguise has a tenth action that is nowhere allowed, so that it is taken for a table.
  bool disguised = false;
};

/// Draws environments that have the same moves.
class RandomMdps {
 public:
  RandomMdps(Rng rng, const MdpShape& shape) : rng_(rng), shape_(shape) {
    const bool grid = shape.form == Dynamics::Form::kKingGrid;
    actions_ = grid ? (shape.disguised ? 10 : 9) : 4;
    for (int x = 0; x < states(); ++x) {
      const int always = between(0, actions_ - 1);
      for (int a = 0; a < actions_; ++a) next_.push_back(grid ? king_move(x, a) : some_states(a == always));
    }
  }

  int states() const { return shape_.rows * shape_.columns; }

  Mdp draw() {
    Mdp mdp{.states = states(),
            .actions = actions_,
            .discount = shape_.discount,
            .reward = {},
            .first_arc = {0},
            .arcs = {}};
    coarse_ = bernoulli(rng_, 0.5);
    std::vector<double> here(static_cast<std::size_t>(states()));
    for (double& r : here) r = reward();
    for (const std::vector<int>& next : next_) {
      const std::size_t x = mdp.reward.size() / static_cast<std::size_t>(actions_);
      const std::vector<double> chances = law(next.size());
      double paid = shape_.pays == Dynamics::Pays::kState ? here[x] : 0;
      if (next.empty()) {
        paid = -std::numeric_limits<double>::infinity();
      } else if (shape_.pays == Dynamics::Pays::kChoice) {
        paid = reward();
      }
      for (std::size_t i = 0; i < next.size(); ++i) {
        if (shape_.pays == Dynamics::Pays::kEntry)
          paid += chances[i] * here[static_cast<std::size_t>(next[i])];
        mdp.arcs.push_back({next[i], chances[i]});
      }
      mdp.reward.push_back(paid);
      mdp.first_arc.push_back(static_cast<std::uint32_t>(mdp.arcs.size()));
    }
    return mdp;
  }

  std::vector<Mdp> draw(std::size_t count) {
    std::vector<Mdp> all;
    while (all.size() < count) all.push_back(draw());
    return all;
  }

 private:
  int between(int low, int high) {
    return low + static_cast<int>(uniform_index(rng_, static_cast<std::uint64_t>(high - low + 1)));
  }

  double reward() {
    if (!shape_.dyadic) return 2 * uniform(rng_) - 1;
    return coarse_ ? between(0, 1) : between(-8, 8) / 8.0;
  }

  /// By column, then by row: the numbering of the kernels, written down a second time.
  std::vector<int> king_move(int x, int a) const {
    constexpr int kDown[] = {-1, 0, 1, -1, 0, 1, -1, 0, 1};
    constexpr int kRight[] = {-1, -1, -1, 0, 0, 0, 1, 1, 1};
    if (a >= 9) return {};
    const int row = x / shape_.columns + kDown[a], column = x % shape_.columns + kRight[a];
    if (row < 0 || row >= shape_.rows || column < 0 || column >= shape_.columns) return {};
    return {row * shape_.columns + column};
  }

  /// Where a choice may lead: nowhere if it is not allowed. With dyadic numbers a state may be listed twice.
  std::vector<int> some_states(bool must) {
    if (!must && bernoulli(rng_, 0.2)) return {};
    std::vector<int> next(static_cast<std::size_t>(shape_.form == Dynamics::Form::kArcs ? between(1, 3) : 1));
    for (int& y : next) y = between(0, states() - 1);
    if (!shape_.dyadic) {
      std::ranges::sort(next);
      next.erase(std::unique(next.begin(), next.end()), next.end());
    }
    return next;
  }

  std::vector<double> law(std::size_t n) {
    std::vector<double> chances(n, 1.0);
    if (n < 2) return chances;
    double sum = 4;
    if (shape_.dyadic) {
      std::ranges::fill(chances, 0.0);
      for (int quarter = 0; quarter < 4; ++quarter) chances[uniform_index(rng_, n)] += 1;
    } else {
      sum = 0;
      for (double& p : chances) sum += p = uniform_open(rng_);
    }
    for (double& p : chances) p /= sum;
    return chances;
  }

  Rng rng_;
  MdpShape shape_;
  int actions_ = 0;
  bool coarse_ = false;
  std::vector<std::vector<int>> next_;  // [state * actions]
};

inline EnvironmentBatch batch_of(std::shared_ptr<const Dynamics> dynamics, std::span<const Mdp> mdps) {
  EnvironmentBatch batch(std::move(dynamics), mdps.size());
  for (std::size_t e = 0; e < mdps.size(); ++e) batch.set(e, mdps[e]);
  return batch;
}

/// Whose world a plan is valued in.
enum class Worlds { kNone, kOwn, kShared };

/// Plans, a world for each of them and one world for all of them.
class CrossCase {
 public:
  CrossCase(std::vector<Mdp> plans, std::vector<Mdp> worlds, Mdp shared)
      : plans_(std::move(plans)), worlds_(std::move(worlds)), shared_(std::move(shared)) {
    std::vector<Mdp> all = plans_;
    all.insert(all.end(), worlds_.begin(), worlds_.end());
    all.push_back(shared_);
    dynamics_ = std::make_shared<const Dynamics>(common_dynamics(all));
    plan_batch_ = std::make_unique<EnvironmentBatch>(batch_of(dynamics_, plans_));
    world_batch_ = std::make_unique<EnvironmentBatch>(batch_of(dynamics_, worlds_));
  }
  CrossCase(RandomMdps mdps, std::size_t count) : CrossCase(mdps.draw(2 * count + 1), count) {}
  CrossCase(std::uint64_t seed, const MdpShape& shape, std::size_t count)
      : CrossCase(RandomMdps(Rng(seed, 7), shape), count) {}

  std::size_t count() const { return plans_.size(); }
  const Dynamics& dynamics() const { return *dynamics_; }
  const std::vector<Mdp>& plans() const { return plans_; }
  const std::vector<Mdp>& worlds() const { return worlds_; }
  const Mdp& shared() const { return shared_; }
  const Mdp& world(std::size_t e, Worlds whose) const {
    return whose == Worlds::kShared ? shared_ : worlds_[e];
  }
  EnvironmentBatch& plan_batch() const { return *plan_batch_; }
  EnvironmentBatch& world_batch() const { return *world_batch_; }

  void solve(CrossSolver& solver, Worlds whose, const Ending& ending) const {
    if (whose == Worlds::kNone) solver.solve(*plan_batch_, ending);
    if (whose == Worlds::kOwn) solver.solve(*plan_batch_, *world_batch_, ending);
    if (whose == Worlds::kShared) solver.solve(*plan_batch_, SharedEnvironment(*dynamics_, shared_), ending);
  }

 private:
  CrossCase(const std::vector<Mdp>& drawn, std::size_t count)
      : CrossCase({drawn.begin(), drawn.begin() + static_cast<std::ptrdiff_t>(count)},
                  {drawn.begin() + static_cast<std::ptrdiff_t>(count), drawn.end() - 1}, drawn.back()) {}

  std::vector<Mdp> plans_, worlds_;
  Mdp shared_;
  std::shared_ptr<const Dynamics> dynamics_;
  std::unique_ptr<EnvironmentBatch> plan_batch_, world_batch_;
};

using Bits = std::vector<std::uint32_t>;

/// All v, then all u, if there is a world: [environment][state].
inline Bits answers(const CrossSolver& solver, const CrossCase& problem, Worlds whose) {
  Bits bits;
  for (const bool world : {false, true}) {
    if (world && whose == Worlds::kNone) break;
    for (std::size_t e = 0; e < problem.count(); ++e) {
      for (int x = 0; x < problem.dynamics().states; ++x) {
        const float value = world ? solver.world_value(e, x) : solver.plan_value(e, x);
        bits.push_back(std::bit_cast<std::uint32_t>(value));
      }
    }
  }
  return bits;
}

inline Bits answers(const CrossCase& problem, Worlds whose, const Ending& ending,
                    Kernel kernel = default_kernel(), int threads = 1) {
  CrossSolver solver(kernel, threads);
  problem.solve(solver, whose, ending);
  return answers(solver, problem, whose);
}

inline constexpr std::array kForms = {Dynamics::Form::kKingGrid, Dynamics::Form::kTable,
                                      Dynamics::Form::kArcs};
inline constexpr std::array kPayments = {Dynamics::Pays::kState, Dynamics::Pays::kEntry,
                                         Dynamics::Pays::kChoice};
inline constexpr std::array kWorlds = {Worlds::kNone, Worlds::kOwn, Worlds::kShared};

/// Calls check(shape) with every form and every payment.
template <class Check>
void for_all_kinds(MdpShape shape, const Check& check) {
  for (const Dynamics::Form form : kForms) {
    for (const Dynamics::Pays pays : kPayments) {
      SCOPED_TRACE("form " + std::to_string(static_cast<int>(form)) + ", pays " +
                   std::to_string(static_cast<int>(pays)));
      shape.form = form;
      shape.pays = pays;
      check(shape);
      if (::testing::Test::HasFailure()) return;  // one is enough to look at
    }
  }
}

}  // namespace assay::support
