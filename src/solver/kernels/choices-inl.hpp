// Value iteration over choices, with deterministic moves by table or with arcs that have probabilities in
// every environment. The values of the last sweep and of this one are in two buffers that take turns.
#if defined(ASSAY_CHOICES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSAY_CHOICES_INL
#undef ASSAY_CHOICES_INL
#else
#define ASSAY_CHOICES_INL
#endif

#include <utility>

#include "solver/kernels/best-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace assay::sweeps::HWY_NAMESPACE {

/// What a sweep reads and what it writes.
struct Turn {
  const float* plan;
  const float* world;
  float* new_plan;
  float* new_world;
};

/// The value that a choice leads to: that of its one successor, or the mean over its arcs.
template <Worlds kWorlds, bool kArcs>
HWY_INLINE void future_of(const SweepJob& job, const Turn& turn, std::size_t choice, std::size_t lane,
                          Float& plan, Float& world) {
  const Dynamics& dynamics = *job.dynamics;
  if constexpr (!kArcs) {
    load_pair<kWorlds>(turn.plan, turn.world, dynamics.next[choice] * kTile + lane, plan, world);
  } else {
    const Floats d;
    Float value = hn::Zero(d), value_world = value;
    plan = value;
    world = value;
    for (std::size_t arc = dynamics.first_arc[choice]; arc < dynamics.first_arc[choice + 1]; ++arc) {
      const std::size_t at = arc * kTile + lane;
      load_pair<kWorlds>(turn.plan, turn.world, dynamics.next[arc] * kTile + lane, value, value_world);
      plan = hn::Add(plan, hn::Mul(hn::Load(d, job.plan_probability + at), value));
      if constexpr (kWorlds != kNoWorlds) {
        world = hn::Add(world, hn::Mul(load_world<kWorlds>(job.world_probability, at), value_world));
      }
    }
  }
}

/// From the value of the successor to r + discount * value.
template <Worlds kWorlds>
HWY_INLINE void add_reward(const SweepJob& job, std::size_t reward, std::size_t lane, Float& plan,
                           Float& world) {
  const Floats d;
  const Float discount = hn::Set(d, job.discount);
  const std::size_t at = reward * kTile + lane;
  plan = hn::Add(hn::Load(d, job.plan_reward + at), hn::Mul(discount, plan));
  if constexpr (kWorlds != kNoWorlds) {
    world = hn::Add(load_world<kWorlds>(job.world_reward, at), hn::Mul(discount, world));
  }
}

/// One state in one vector of environments. A reward of the state itself cannot change the choice and is
/// added to the best value only.
template <Worlds kWorlds, bool kArcs, bool kStatePays>
HWY_INLINE void best_choice(const SweepJob& job, const Turn& turn, std::size_t state, std::size_t lane,
                            Float& best, Float& best_world) {
  const std::size_t first = job.dynamics->first_choice[state];
  const std::size_t end = job.dynamics->first_choice[state + 1];
  Float plan = hn::Zero(Floats()), world = plan;
  for (std::size_t choice = first; choice < end; ++choice) {
    future_of<kWorlds, kArcs>(job, turn, choice, lane, plan, world);
    if constexpr (!kStatePays) add_reward<kWorlds>(job, choice, lane, plan, world);
    if (choice == first) {
      best = plan;
      best_world = world;
    } else {
      take_better<kWorlds>(best, best_world, plan, world, best, best_world);
    }
  }
  if constexpr (kStatePays) add_reward<kWorlds>(job, state, lane, best, best_world);
}

template <Worlds kWorlds, bool kArcs, bool kStatePays>
HWY_NOINLINE void sweep_choices(const SweepJob& job) {
  const Floats d;
  const auto states = static_cast<std::size_t>(job.dynamics->states);
  const std::size_t size = states * kTile;
  float* plans[2] = {job.plan_value, job.frozen ? job.plan_value : job.scratch};
  float* worlds[2] = {kWorlds == kNoWorlds ? job.plan_value : job.world_value, job.scratch + size};
  for (int sweep = 0; sweep < job.sweeps; ++sweep) {
    const Turn turn = {plans[0], worlds[0], plans[1], worlds[1]};
    for (std::size_t state = 0; state < states; ++state) {
      for (std::size_t lane = 0; lane < kTile; lane += hn::Lanes(d)) {
        Float best = hn::Zero(d), best_world = best;
        best_choice<kWorlds, kArcs, kStatePays>(job, turn, state, lane, best, best_world);
        const std::size_t at = state * kTile + lane;
        if (!job.frozen) hn::Store(best, d, turn.new_plan + at);
        if constexpr (kWorlds != kNoWorlds) hn::Store(best_world, d, turn.new_world + at);
      }
    }
    std::swap(plans[0], plans[1]);
    std::swap(worlds[0], worlds[1]);
  }
  if (job.sweeps % 2 == 0) return;
  for (std::size_t at = 0; at < size; at += hn::Lanes(d)) {  // the result is in the other buffer
    if (!job.frozen) hn::Store(hn::Load(d, plans[0] + at), d, job.plan_value + at);
    if (kWorlds != kNoWorlds) hn::Store(hn::Load(d, worlds[0] + at), d, job.world_value + at);
  }
}

template <Worlds kWorlds>
HWY_INLINE void sweep_choices(const SweepJob& job) {
  const bool arcs = job.dynamics->form == Dynamics::Form::kArcs;
  const bool state_pays = job.dynamics->pays == Dynamics::Pays::kState;
  if (arcs) {
    state_pays ? sweep_choices<kWorlds, true, true>(job) : sweep_choices<kWorlds, true, false>(job);
  } else {
    state_pays ? sweep_choices<kWorlds, false, true>(job) : sweep_choices<kWorlds, false, false>(job);
  }
}

}  // namespace assay::sweeps::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
