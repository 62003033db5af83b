#include "solver/cross_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/core/detail/portable_math.hpp"
#include "assay/core/detail/workers.hpp"
#include "assay/core/error.hpp"
#include "solver/kernels/sweep_table.hpp"

namespace assay {

using sweeps::SweepJob;

/// Which environments the cross-values are computed in.
struct CrossSolver::World {
  sweeps::Worlds worlds = sweeps::kNoWorlds;
  const EnvironmentBatch* own = nullptr;
  const SharedEnvironment* shared = nullptr;

  [[nodiscard]] float largest_reward() const {
    if (own != nullptr) return own->largest_reward();
    float largest = 0;
    if (shared != nullptr) {
      for (const float r : shared->reward) largest = std::max(largest, std::abs(r));
    }
    return largest;
  }

  void write_to(SweepJob& job, std::size_t tile) const {
    job.worlds = worlds;
    if (own != nullptr) {
      job.world_reward = own->reward_tile(tile).data();
      job.world_probability = own->probability_tile(tile).data();
    } else if (shared != nullptr) {
      job.world_reward = shared->reward.data();
      job.world_probability = shared->probability.data();
    }
  }
};

namespace {

/// How many sweeps from 0 bring values with rewards up to `largest` to within the tolerance of their limit:
/// after n sweeps they are off by at most discount^n largest / (1 - discount).
int sweeps_within(double discount, double tolerance, double largest) {
  const double all = largest / (1 - discount);
  if (all <= tolerance) return 1;
  if (discount == 0) return 1;
  return static_cast<int>(std::ceil(portable::log(tolerance / all) / portable::log(discount))) + 1;
}

/// Values with no step to go are 0. On a king grid, where being in a state pays, the result of the first
/// sweep is known, too: it is the rewards.
void begin(SweepJob& job, std::size_t size) {
  const bool crossed = job.worlds != sweeps::kNoWorlds;
  if (job.dynamics->form != Dynamics::Form::kKingGrid || job.sweeps == 0) {
    std::fill_n(job.plan_value, size, 0.0F);
    if (crossed) std::fill_n(job.world_value, size, 0.0F);
    return;
  }
  --job.sweeps;
  std::copy_n(job.plan_reward, size, job.plan_value);
  if (job.worlds == sweeps::kOwnWorlds) std::copy_n(job.world_reward, size, job.world_value);
  if (job.worlds == sweeps::kSharedWorld) {
    for (std::size_t i = 0; i < size; ++i) job.world_value[i] = job.world_reward[i / kTile];
  }
}

void check(const Ending& ending, double discount) {
  if (const auto* known = std::get_if<StepsLeft>(&ending)) {
    if (known->steps < 0) throw UsageError(fmt::format("{} steps left: it takes at least 0", known->steps));
    return;
  }
  const double tolerance = std::get<Endless>(ending).tolerance;
  if (!(tolerance > 0)) throw UsageError(fmt::format("the tolerance must be positive, not {}", tolerance));
  if (!(discount >= 0 && discount < 1)) {
    throw UsageError(
        fmt::format("a plan without an end needs a discount from 0 to below 1, not {}", discount));
  }
}

}  // namespace

void CrossSolver::run(const EnvironmentBatch& plans, const World& world, const Ending& ending) {
  const Dynamics& dynamics = plans.dynamics();
  check(ending, dynamics.discount);
  const bool crossed = world.worlds != sweeps::kNoWorlds;
  const auto* known = std::get_if<StepsLeft>(&ending);
  stride_ = static_cast<std::size_t>(dynamics.states) * kTile;
  const std::size_t scratch = sweeps::scratch_size(dynamics);
  plan_value_.resize(plans.tiles() * stride_);
  world_value_.resize(crossed ? plans.tiles() * stride_ : 0);
  scratch_.resize(plans.tiles() * scratch);

  int sweeps = known != nullptr ? known->steps : 0;
  int world_sweeps = 0;
  truncation_ = 0;
  if (known == nullptr) {
    const double tolerance = std::get<Endless>(ending).tolerance;
    sweeps = sweeps_within(dynamics.discount, tolerance, plans.largest_reward());
    world_sweeps = sweeps_within(dynamics.discount, tolerance, world.largest_reward());
    truncation_ = tolerance;
  }
  const sweeps::SweepTable& kernel = sweeps::table_of(kernel_);
  const auto solve_tile = [&](std::size_t tile) {
    SweepJob job;
    job.dynamics = &dynamics;
    job.plan_reward = plans.reward_tile(tile).data();
    job.plan_probability = plans.probability_tile(tile).data();
    job.plan_value = plan_value_.data() + tile * stride_;
    job.world_value = crossed ? world_value_.data() + tile * stride_ : nullptr;
    job.scratch = scratch_.data() + tile * scratch;
    job.discount = static_cast<float>(dynamics.discount);
    job.sweeps = sweeps;
    if (known != nullptr) world.write_to(job, tile);
    begin(job, stride_);
    kernel.sweep(job);
    if (known == nullptr && crossed) {
      // The plan has settled. Now it no longer changes and is valued in the other environment.
      world.write_to(job, tile);
      std::fill_n(job.world_value, stride_, 0.0F);
      job.frozen = true;
      job.sweeps = world_sweeps;
      kernel.sweep(job);
    }
    if (dynamics.pays == Dynamics::Pays::kEntry && moment_ == Moment::kBeforeMove) {
      job.worlds = world.worlds;
      kernel.spread(job);
    }
  };
  if (threads_ == 1) {
    for (std::size_t tile = 0; tile < plans.tiles(); ++tile) solve_tile(tile);
  } else {
    Workers(threads_).for_each(plans.tiles(), solve_tile);
  }
}

void CrossSolver::solve(const EnvironmentBatch& plans, const Ending& ending) { run(plans, {}, ending); }

void CrossSolver::solve(const EnvironmentBatch& plans, const EnvironmentBatch& worlds, const Ending& ending) {
  if (plans.shared_dynamics() != worlds.shared_dynamics() || plans.count() != worlds.count()) {
    throw UsageError(fmt::format(
        "{} plans cannot be valued in {} worlds lane by lane: both need the same dynamics and the same count",
        plans.count(), worlds.count()));
  }
  run(plans, {.worlds = sweeps::kOwnWorlds, .own = &worlds, .shared = nullptr}, ending);
}

void CrossSolver::solve(const EnvironmentBatch& plans, const SharedEnvironment& world, const Ending& ending) {
  if (world.reward.size() != plans.dynamics().rewards() ||
      world.probability.size() != plans.dynamics().probabilities()) {
    throw UsageError("the world has other dynamics than the plans");
  }
  run(plans, {.worlds = sweeps::kSharedWorld, .own = nullptr, .shared = &world}, ending);
}

float CrossSolver::plan_value(std::size_t environment, int state) const {
  return plan_tile(environment / kTile)[static_cast<std::size_t>(state) * kTile + environment % kTile];
}

float CrossSolver::world_value(std::size_t environment, int state) const {
  return world_tile(environment / kTile)[static_cast<std::size_t>(state) * kTile + environment % kTile];
}

}  // namespace assay
