// Imagined episodes, for planners that search by simulation.
//
// A planner draws an environment from what is believed at the root of its search and walks through it (root
// sampling, Silver and Veness 2010; Guez et al. 2012): beliefs along the way need not be computed, and
// environments need only be drawn where the walk goes.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "assay/core/belief.hpp"
#include "assay/core/error.hpp"
#include "assay/core/simulated_step.hpp"
#include "assay/core/world.hpp"
#include "assay/solver/knowledge.hpp"
#include "assay/solver/mdp.hpp"

namespace assay {

/// One imagined environment. Not for several threads at once: each has a clone.
class Simulator {
 public:
  virtual ~Simulator() = default;
  [[nodiscard]] virtual std::unique_ptr<Simulator> clone() const = 0;

  /// Environments are from now on drawn from what an agent in this world knows. Throws UsageError if the
  /// world is of another family.
  virtual void know(const World& world) = 0;
  /// The same for what is known here.
  virtual void know(const Knowledge& knowledge) = 0;
  /// Another environment. All that is drawn until the next call depends on `rng`, and which part of the
  /// environment is what does not depend on the order in which the parts are needed.
  virtual void draw(Rng rng) = 0;
  /// The same environment, but for those parts that `know` has brought news of since they were drawn.
  virtual void renew(Rng rng) = 0;
  /// Does `action` at `state` and, unless it is the last step of an episode, arrives at the next one.
  virtual SimulatedStep step(int state, int action, bool last) = 0;
  /// What happens by doing `action` (or kArrive) at `state`, as a belief takes it in: slower than `step`.
  virtual Outcome outcome(int state, int action, Rng& luck) = 0;
  /// How likely that is in this environment, or how dense: up to a factor that all environments have in
  /// common.
  virtual double likelihood(int state, int action, const Outcome& seen) = 0;
  /// What arriving and doing `action` pay on average; the action must be allowed.
  virtual double expected_reward(int state, int action) = 0;
  /// The part of it that arriving pays.
  virtual double expected_arrival(int state) = 0;
  /// The environment as a table.
  [[nodiscard]] virtual TabularMdp environment() = 0;
};

namespace detail {

/// An environment that is drawn as a whole.
template <class F, BeliefOver<F> B>
class WholeEnvironment {
 public:
  WholeEnvironment(const F& family, const B& belief) : family_(&family), belief_(belief), luck_(0) {}

  void know(const B& belief) { belief_ = belief; }
  void draw(Rng rng) {
    Rng environment_draw = rng.split(0);
    environment_ = belief_.sample(*family_, environment_draw);
    luck_ = rng.split(1);
  }
  void renew(Rng rng) { draw(rng); }

  SimulatedStep step(int state, int action, bool last) {
    SimulatedStep taken;
    const Outcome acted = sample_outcome(*family_, state, action, *environment_, luck_);
    taken.next = acted.next;
    taken.reward = acted.reward;
    if (learns(state, action)) taken.evidence += evidence_of(state, action, acted);
    if (last) return taken;
    const Outcome arrived = sample_outcome(*family_, taken.next, kArrive, *environment_, luck_);
    taken.arrival = arrived.reward;
    if (learns(taken.next, kArrive)) taken.evidence += evidence_of(taken.next, kArrive, arrived);
    return taken;
  }
  [[nodiscard]] typename F::Environment whole() const { return *environment_; }

 private:
  [[nodiscard]] bool learns(int state, int action) const {
    if constexpr (requires { belief_.learns(*family_, state, action); }) {
      return belief_.learns(*family_, state, action);
    } else {
      return true;
    }
  }

  const F* family_;
  B belief_;
  Rng luck_;
  std::optional<typename F::Environment> environment_;
};

/// A belief may bring its own, which draws parts only when they are needed: a class template
/// B::LazyEnvironment<F> with the members of WholeEnvironment.
template <class F, class B>
struct DrawnEnvironment {
  using type = WholeEnvironment<F, B>;
};
template <class F, class B>
requires requires { typename B::template LazyEnvironment<F>; }
struct DrawnEnvironment<F, B> {
  using type = typename B::template LazyEnvironment<F>;
};

}  // namespace detail

template <class F, BeliefOver<F> B>
class SimulatorOf final : public Simulator {
 public:
  explicit SimulatorOf(std::shared_ptr<const F> family)
      : family_(std::move(family)), drawn_(*family_, B(*family_)) {}

  std::unique_ptr<Simulator> clone() const override { return std::make_unique<SimulatorOf>(*this); }
  void know(const World& world) override {
    const auto* same = dynamic_cast<const WorldOf<F, B>*>(&world);
    if (same == nullptr) detail::throw_other_family();
    drawn_.know(same->belief());
  }
  void know(const Knowledge& knowledge) override {
    const auto* same = dynamic_cast<const KnowledgeOf<F, B>*>(&knowledge);
    if (same == nullptr) detail::throw_other_family();
    drawn_.know(same->belief());
  }
  void draw(Rng rng) override {
    drawn_.draw(rng);
    whole_.reset();
  }
  void renew(Rng rng) override {
    drawn_.renew(rng);
    whole_.reset();
  }
  SimulatedStep step(int state, int action, bool last) override { return drawn_.step(state, action, last); }
  Outcome outcome(int state, int action, Rng& luck) override {
    return sample_outcome(*family_, state, action, whole(), luck);
  }
  double expected_reward(int state, int action) override {
    return assay::expected_reward(*family_, state, action, whole());
  }
  double likelihood(int state, int action, const Outcome& seen) override {
    if constexpr (requires { family_->likelihood(state, action, whole(), seen); }) {
      return family_->likelihood(state, action, whole(), seen);
    } else {
      double sum = 0;
      family_->outcomes(state, action, whole(),
                        [&](double p, const Outcome& o) { sum += o == seen ? p : 0; });
      return sum;
    }
  }
  double expected_arrival(int state) override {
    if constexpr (requires { family_->expected_arrival(state, whole()); }) {
      return family_->expected_arrival(state, whole());
    } else {
      double sum = 0;
      family_->outcomes(state, kArrive, whole(), [&](double p, const Outcome& o) { sum += p * o.reward; });
      return sum;
    }
  }
  TabularMdp environment() override { return tabulate(*family_, whole()); }

 private:
  const typename F::Environment& whole() {
    if (!whole_) whole_ = drawn_.whole();
    return *whole_;
  }

  std::shared_ptr<const F> family_;
  std::optional<typename F::Environment> whole_;  // once somebody asked
  typename detail::DrawnEnvironment<F, B>::type drawn_;
};

}  // namespace assay
