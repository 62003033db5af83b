// Belief: a distribution over the hidden part of a problem's model, without the types of the model and of the
// belief.
//
// Whoever writes a belief writes a value type that satisfies BeliefOver (core/model.hpp). All other code is
// written against this interface: a solver asks the belief for what it needs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/core/bounds.hpp"
#include "assay/core/detail/outline.hpp"
#include "assay/core/mdp.hpp"

namespace assay {

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

}  // namespace assay
