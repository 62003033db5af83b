// Imagined episodes, for planners that search by simulation.
//
// A planner draws an environment from what is believed at the root of its search and walks through it (root
// sampling, Silver and Veness 2010; Guez et al. 2012): beliefs along the way need not be computed, and
// environments need only be drawn where the walk goes.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "assay/core/belief.hpp"
#include "assay/core/error.hpp"
#include "assay/core/world.hpp"
#include "assay/solver/mdp.hpp"

namespace assay {

struct SimulatedStep {
  int next = 0;
  double reward = 0;   // of the action
  double arrival = 0;  // of the arrival at `next`: a part of the next step, discounted like it
  /// What was learned, as a number: 0 if nothing could be. What is believed after several steps is what was
  /// believed at the root and the sum of their evidence, in whatever order they were: environments do not
  /// change, so likelihoods multiply.
  std::uint64_t evidence = 0;
};

/// One imagined environment. Not for several threads at once: each has a clone.
class Simulator {
 public:
  virtual ~Simulator() = default;
  [[nodiscard]] virtual std::unique_ptr<Simulator> clone() const = 0;

  /// Environments are from now on drawn from what an agent in this world knows. Throws UsageError if the
  /// world is of another family.
  virtual void know(const World& world) = 0;
  /// Another environment. All that is drawn until the next call depends on `rng`, and which part of the
  /// environment is what does not depend on the order in which the parts are needed.
  virtual void draw(Rng rng) = 0;
  /// The same environment, but for those parts that `know` has brought news of since they were drawn.
  virtual void renew(Rng rng) = 0;
  /// Does `action` at `state` and, unless it is the last step of an episode, arrives at the next one.
  virtual SimulatedStep step(int state, int action, bool last) = 0;
  /// What happens by doing `action` (or kArrive) at `state`, as a belief takes it in: slower than `step`.
  virtual Outcome outcome(int state, int action, Rng& luck) = 0;
  /// How likely that is in this environment; the density of what is continuous.
  virtual double chance(int state, int action, const Outcome& seen) = 0;
  /// What arriving pays on average.
  virtual double expected_arrival(int state) = 0;
  /// The environment as a table.
  [[nodiscard]] virtual TabularMdp environment() = 0;
};

namespace detail {

/// A bijection that spreads every bit over all (the finaliser of SplitMix64).
inline std::uint64_t spread(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
  return bits ^ (bits >> 31U);
}

inline std::uint64_t evidence_of(int state, int action, const Outcome& seen) {
  const auto bits = [](int value) { return static_cast<std::uint64_t>(static_cast<std::uint32_t>(value)); };
  std::uint64_t hash = spread(bits(state) << 32U | bits(action));
  hash = spread(hash + bits(seen.next));
  // 0.0 and -0.0 are the same reward.
  hash = spread(hash + std::bit_cast<std::uint64_t>(seen.reward == 0 ? 0.0 : seen.reward));
  for (const int shown : seen.observation) hash = spread(hash + bits(shown));
  return hash | 1U;  // never nothing
}

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

[[noreturn]] void throw_other_family();

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
  double chance(int state, int action, const Outcome& seen) override {
    if constexpr (requires { family_->chance(state, action, whole(), seen); }) {
      return family_->chance(state, action, whole(), seen);
    } else {
      double sum = 0;
      family_->outcomes(state, action, whole(), [&](double p, const Outcome& o) { sum += o == seen ? p : 0; });
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
