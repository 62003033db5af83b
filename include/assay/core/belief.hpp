// Belief: a distribution over the hidden part of a problem's model, without the types of the model and of the
// belief. An environment is what is drawn from it, and an Mdp is a known environment as tables.
//
// Whoever writes a belief writes a value type that satisfies BeliefOver (core/model.hpp). All other code is
// written against this interface: a solver asks the belief for what it needs.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/core/detail/bounds.hpp"
#include "assay/core/detail/outline.hpp"
#include "assay/core/model.hpp"

namespace assay {

/// A known environment as tables: the MDP of a known hidden part.
struct Mdp {
  struct Arc {
    int next;
    double probability;
  };
  int states = 0;
  int actions = 0;
  double discount = 1;
  std::vector<double> reward;            // [state][action]; -infinity where the action is not allowed
  std::vector<std::uint32_t> first_arc;  // [state * actions + 1]
  std::vector<Arc> arcs;                 // of each state and action: each successor once, by number

  /// Ends the row of the state and action whose arcs were added last: several arcs to one successor become
  /// one.
  void end_row();
};

/// Do both environments move alike, up to rounding? What outcomes show besides the next state does not
/// matter.
bool same_transitions(const Mdp& one, const Mdp& other);

namespace detail {
/// reward(x, a) and arcs(x, a, visit(probability, next)) of the actions that the model allows.
template <Model M, class Reward, class Arcs>
Mdp tabulate_with(const M& model, const Reward& reward, const Arcs& arcs) {
  Mdp mdp{.states = model.states(),
          .actions = model.actions(),
          .discount = model.discount(),
          .reward = {},
          .first_arc = {0},
          .arcs = {}};
  for (int x = 0; x < mdp.states; ++x) {
    for (int a = 0; a < mdp.actions; ++a) {
      if (allowed(model, x, a)) {
        mdp.reward.push_back(reward(x, a));
        arcs(x, a, [&](double p, int next) { mdp.arcs.push_back({next, p}); });
      } else {
        mdp.reward.push_back(-std::numeric_limits<double>::infinity());
      }
      mdp.end_row();
    }
  }
  return mdp;
}
}  // namespace detail

template <Model M>
Mdp tabulate(const M& model, const typename M::Hidden& e) {
  return detail::tabulate_with(
      model, [&](int x, int a) { return expected_reward(model, x, a, e); },
      [&](int x, int a, const auto& visit) { for_each_arc(model, x, a, e, visit); });
}

class Environment;
struct DrawKey;
struct DrawnEnvironments;

struct StateAction {
  int state = 0, action = 0;
};

class Belief {
 public:
  /// One of finitely many environments, with its probability.
  struct Possibility {
    double probability = 0;
    Mdp environment;
  };
  struct Prediction {
    double probability = 0;
    Outcome outcome;
  };

  virtual ~Belief() = default;

  [[nodiscard]] const Outline& outline() const { return *outline_; }
  [[nodiscard]] int states() const { return outline_->states; }
  [[nodiscard]] int actions() const { return outline_->actions; }
  [[nodiscard]] bool allowed(int state, int action) const { return outline_->allowed(state, action); }

  [[nodiscard]] virtual std::unique_ptr<Belief> clone() const = 0;
  /// Becomes equal to a belief of the same model, without allocating. Throws UsageError for another model.
  virtual void assign(const Belief& other) = 0;
  [[nodiscard]] virtual std::string text() const = 0;
  /// Equal keys mean equal beliefs.
  virtual void key(std::vector<std::uint64_t>& out) const = 0;
  [[nodiscard]] std::vector<std::uint64_t> key() const {
    std::vector<std::uint64_t> out;
    key(out);
    return out;
  }
  /// The key of the belief after an outcome. Where possible, that belief is not constructed.
  virtual void key_after(int state, int action, const Outcome& outcome,
                         std::vector<std::uint64_t>& out) const = 0;
  /// Becomes the belief that has this key. Throws UsageError if no belief of the model has it.
  virtual void restore(std::span<const std::uint64_t> key) = 0;

  /// Conditions on an outcome of `action` (or kArrive) at `state`. Throws ImpossibleEvidence.
  virtual void observe(int state, int action, const Outcome& outcome) = 0;
  /// Can an outcome change the belief?
  [[nodiscard]] virtual bool learns(int state, int action) const = 0;
  /// Can an outcome pay or show anything?
  [[nodiscard]] virtual bool collects(int state, int action) const = 0;
  /// The expected reward of arriving at `state` and doing `action`, which must be allowed.
  [[nodiscard]] virtual double expected_reward(int state, int action) const = 0;
  /// The same for many states and actions, written to out[i * stride].
  virtual void expected_rewards(std::span<const StateAction> of, float* out, std::size_t stride) const = 0;
  /// The part of the expected reward that arriving pays.
  [[nodiscard]] virtual double expected_arrival(int state) const = 0;
  /// How uncertain the expected reward is: its standard deviation over environments. NaN if the belief
  /// cannot compute it.
  [[nodiscard]] virtual double reward_spread(int state, int action) const = 0;
  /// An outcome drawn from the predictive distribution.
  [[nodiscard]] virtual Outcome draw_outcome(int state, int action, Rng& rng) const = 0;
  static constexpr std::size_t kMostPredictions = 100'000;
  /// The predictive distribution. Throws LimitError if it has more than `most` outcomes: a map of 49 cells
  /// has 6^49 readings.
  [[nodiscard]] virtual std::vector<Prediction> predict(int state, int action,
                                                        std::size_t most = kMostPredictions) const = 0;

  /// Are there finitely many environments, so that expectations are sums?
  [[nodiscard]] virtual bool finite() const = 0;
  /// The environments of positive probability. Throws UsageError unless there are finitely many.
  [[nodiscard]] virtual std::vector<Possibility> environments() const = 0;
  /// All environments of the model, possible or not. Empty unless they are numbered.
  [[nodiscard]] virtual std::span<const double> weights() const = 0;
  [[nodiscard]] virtual Mdp environment(std::size_t which) const = 0;
  /// An environment that can be drawn from this belief, of which it keeps a copy: call its `draw`.
  [[nodiscard]] virtual std::unique_ptr<Environment> environment() const = 0;
  /// A drawn environment as a table.
  [[nodiscard]] virtual Mdp sample_table(Rng& rng) const = 0;
  /// Do all environments move alike? Then values are linear in the rewards, and the mean environment
  /// determines the value of every plan that does not react to what is seen.
  [[nodiscard]] virtual bool known_transitions() const = 0;
  /// Can `expected` be computed?
  [[nodiscard]] virtual bool expects_transitions() const = 0;
  /// The environment whose rewards are the posterior means. Throws UsageError unless the transitions are
  /// known.
  [[nodiscard]] virtual Mdp mean() const = 0;
  /// The expected environment: every reward and every transition probability is the belief's expectation.
  /// Where transitions are unknown, a plan's value there is not its mean value over environments, but the
  /// optimal plan of the expected environment may still be a good plan. Throws UsageError if the belief
  /// cannot compute it.
  [[nodiscard]] virtual Mdp expected() const = 0;
  /// One row of the expected environment: where `action` at `state` is expected to lead.
  [[nodiscard]] virtual std::vector<Mdp::Arc> expected_arcs(int state, int action) const = 0;
  /// v^c, E[v^e] and B over the starts, if the model has a closed form of them.
  [[nodiscard]] virtual std::optional<InformationValues> closed_form(int remaining) const = 0;

  /// The belief as numbers, for networks. If the belief is about cells, feature i of cell c is at [i * cells
  /// + c], and `feature_cells` is the number of cells; otherwise that is 0.
  [[nodiscard]] virtual std::size_t feature_count() const = 0;
  [[nodiscard]] virtual std::size_t feature_cells() const = 0;
  virtual void features(std::span<double> out) const = 0;

  /// Independent draws, in lanes: environments e' to plan for and, if `worlds` is not 0, environments e to
  /// act in.
  virtual void draw(const DrawKey& key, std::size_t plans, std::size_t worlds,
                    DrawnEnvironments& into) const = 0;

 protected:
  explicit Belief(std::shared_ptr<const Outline> outline) : outline_(std::move(outline)) {}
  Belief(const Belief&) = default;
  Belief& operator=(const Belief&) = default;
  [[nodiscard]] const std::shared_ptr<const Outline>& shared_outline() const { return outline_; }

 private:
  std::shared_ptr<const Outline> outline_;
};

// Environment: one drawn value of the hidden part. It can be stepped, tabulated and asked for its expected
// rewards.
//
// Planners that search by simulation draw an environment from the belief at the root of their search and step
// through it (root sampling, Silver and Veness 2010; Guez et al. 2012). Beliefs along the way need not be
// computed, and a part of an environment is drawn only when a simulation reaches it.

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
