// Environment: one drawn value of the hidden part. It can be stepped, tabulated and asked for its expected
// rewards.
//
// Planners that search by simulation draw an environment from the belief at the root of their search and step
// through it (root sampling, Silver and Veness 2010; Guez et al. 2012). Beliefs along the way need not be
// computed, and a part of an environment is drawn only when a simulation reaches it.
#pragma once
#include <bit>
#include <cstdint>
#include <memory>

#include "assay/core/belief.hpp"
#include "assay/core/model.hpp"

namespace assay {

struct SimulatedStep {
  int next = 0;
  double reward = 0;   // of the action
  double arrival = 0;  // of the arrival at `next`, which belongs to the next step and is discounted like it
  /// What was learned, as a number; 0 if nothing could be learned. The belief after several steps depends
  /// only on the belief at the root and on the sum of the steps' evidence, in any order: environments do not
  /// change, so likelihoods multiply.
  std::uint64_t evidence = 0;
};

namespace detail {

/// A bijection that spreads every bit over all (the finaliser of SplitMix64).
inline std::uint64_t spread(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

/// 0.0 and -0.0 count as the same reward.
inline std::uint64_t reward_bits(double reward) {
  return std::bit_cast<std::uint64_t>(reward == 0 ? 0.0 : reward);
}

inline std::uint64_t evidence_of(int state, int action, const Outcome& seen) {
  const auto bits = [](int value) { return static_cast<std::uint64_t>(static_cast<std::uint32_t>(value)); };
  std::uint64_t hash = spread(bits(state) << 32U | bits(action));
  hash = spread(hash + bits(seen.next));
  hash = spread(hash + reward_bits(seen.reward));
  for (const int shown : seen.observation) hash = spread(hash + bits(shown));
  return hash | 1U;  // 0 is reserved for "nothing learned"
}

}  // namespace detail

/// An environment must not be used by several threads at once: each thread has a clone.
class Environment {
 public:
  virtual ~Environment() = default;
  [[nodiscard]] virtual std::unique_ptr<Environment> clone() const = 0;

  /// From now on, draws come from this belief. Throws UsageError if the belief is of another model.
  virtual void draw_from(const Belief& belief) = 0;
  /// Draws the environment anew. All draws until the next call depend on `rng`. A part of the environment
  /// has the same value in whatever order the parts are needed.
  virtual void draw(Rng rng) = 0;
  /// Draws anew only those parts about which `draw_from` has brought evidence since they were drawn.
  virtual void renew(Rng rng) = 0;

  /// Does `action` at `state` and, unless it is the last step of an episode, arrives at the next state.
  virtual SimulatedStep step(int state, int action, bool last) = 0;
  /// Draws what happens when `action` (or kArrive) is done at `state`, as an outcome that a belief can take
  /// in. It is slower than `step`. If the hidden part moves, it moves here.
  virtual Outcome outcome(int state, int action, Rng& rng) = 0;
  /// Visits everything that can happen when `action` (or kArrive) is done at `state`, with its probability.
  [[nodiscard]] virtual std::vector<Belief::Prediction> outcomes(int state, int action) = 0;
  /// The probability of an outcome in this environment, or its density, up to a factor that all environments
  /// share.
  virtual double likelihood(int state, int action, const Outcome& seen) = 0;
  /// The logarithm of a belief's density at this environment. Throws UsageError if the belief is of another
  /// model.
  virtual double log_density(const Belief& belief) = 0;
  /// What arriving at `state` and doing `action` pay together on average. The action must be allowed.
  virtual double expected_reward(int state, int action) = 0;
  /// The part of expected_reward that arriving pays.
  virtual double expected_arrival(int state) = 0;
  [[nodiscard]] virtual Mdp tabulate() = 0;
  /// The number of the environment where environments are numbered, otherwise -1.
  [[nodiscard]] virtual int number() = 0;
};

}  // namespace assay
