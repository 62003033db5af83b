// EnvironmentOf: a drawn value of a model's hidden part behind the interface Environment.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "assay/core/belief.hpp"

namespace assay {

template <class M, class B>
const B& typed_belief(const Belief& belief);

namespace detail {
[[noreturn]] void throw_other_model();

/// An environment that is drawn as a whole.
template <class M, BeliefOver<M> B>
class WholeEnvironment {
 public:
  WholeEnvironment(const M& model, const B& belief) : model_(&model), belief_(belief), luck_(0) {}

  void draw_from(const B& belief) { belief_ = belief; }
  /// The hidden part has this value and is not drawn.
  void set(typename M::Hidden hidden) { hidden_ = std::move(hidden); }
  void draw(Rng rng) {
    Rng environment_draw = rng.split(0);
    hidden_ = belief_.sample(*model_, environment_draw);
    luck_ = rng.split(1);
  }
  void renew(Rng rng) { draw(rng); }

  SimulatedStep step(int state, int action, bool last) {
    SimulatedStep taken;
    const Outcome acted = sample_and_move(*model_, state, action, *hidden_, luck_);
    taken.next = acted.next;
    taken.reward = acted.reward;
    if (learns(state, action)) taken.evidence += evidence_of(state, action, acted);
    if (last) return taken;
    const Outcome arrived = sample_and_move(*model_, taken.next, kArrive, *hidden_, luck_);
    taken.arrival = arrived.reward;
    if (learns(taken.next, kArrive)) taken.evidence += evidence_of(taken.next, kArrive, arrived);
    return taken;
  }
  [[nodiscard]] typename M::Hidden& whole() { return *hidden_; }

 private:
  [[nodiscard]] bool learns(int state, int action) const {
    if constexpr (requires { belief_.learns(*model_, state, action); }) {
      return belief_.learns(*model_, state, action);
    } else {
      return true;
    }
  }

  const M* model_;
  B belief_;
  Rng luck_;
  std::optional<typename M::Hidden> hidden_;
};

/// A belief may have an environment of its own, which draws parts when they are needed: a class template
/// B::LazyEnvironment<M> with the members of WholeEnvironment.
template <class M, class B>
struct DrawnEnvironment {
  using type = WholeEnvironment<M, B>;
};
template <class M, class B>
requires requires { typename B::template LazyEnvironment<M>; }
struct DrawnEnvironment<M, B> {
  using type = typename B::template LazyEnvironment<M>;
};

}  // namespace detail

/// Aligned, so that two environments that two threads of a search step share no cache line. `Drawn` is a
/// WholeEnvironment, or the belief's own type that draws parts when they are needed.
template <class M, BeliefOver<M> B, class Drawn>
class alignas(64) EnvironmentOf final : public Environment {
 public:
  EnvironmentOf(std::shared_ptr<const M> model, const B& belief)
      : model_(std::move(model)), drawn_(*model_, belief) {}
  /// The hidden part is given and not drawn.
  EnvironmentOf(std::shared_ptr<const M> model, const B& belief, typename M::Hidden hidden)
      : EnvironmentOf(std::move(model), belief) {
    drawn_.set(std::move(hidden));
  }

  std::unique_ptr<Environment> clone() const override { return std::make_unique<EnvironmentOf>(*this); }
  void draw_from(const Belief& belief) override { drawn_.draw_from(typed_belief<M, B>(belief)); }
  void draw(Rng rng) override {
    drawn_.draw(rng);
    whole_.reset();
  }
  void renew(Rng rng) override {
    drawn_.renew(rng);
    whole_.reset();
  }
  SimulatedStep step(int state, int action, bool last) override { return drawn_.step(state, action, last); }
  Outcome outcome(int state, int action, Rng& rng) override {
    return sample_and_move(*model_, state, action, whole(), rng);
  }
  std::vector<Belief::Prediction> outcomes(int state, int action) override {
    std::vector<Belief::Prediction> all;
    for_each_outcome(*model_, state, action, whole(), [&](double p, const Outcome& o) {
      all.push_back({p, o});
    });
    return all;
  }
  double log_density(const Belief& belief) override {
    return typed_belief<M, B>(belief).log_density(*model_, whole());
  }
  double expected_reward(int state, int action) override {
    return assay::expected_reward(*model_, state, action, whole());
  }
  double likelihood(int state, int action, const Outcome& seen) override {
    if constexpr (lists_member<M>(Member::kLikelihood)) {
      return model_->likelihood(state, action, whole(), seen);
    } else {
      double sum = 0;
      for_each_outcome(*model_, state, action, whole(),
                       [&](double p, const Outcome& o) { sum += o == seen ? p : 0; });
      return sum;
    }
  }
  double expected_arrival(int state) override {
    if constexpr (lists_member<M>(Member::kExpectedArrival)) {
      return model_->expected_arrival(state, whole());
    } else {
      double sum = 0;
      for_each_outcome(*model_, state, kArrive, whole(),
                       [&](double p, const Outcome& o) { sum += p * o.reward; });
      return sum;
    }
  }
  Mdp tabulate() override { return assay::tabulate(*model_, whole()); }
  int number() override {
    if constexpr (std::same_as<typename M::Hidden, int> && requires { model_->prior(); }) {
      return whole();
    } else {
      return -1;
    }
  }

 private:
  typename M::Hidden& whole() {
    if constexpr (std::is_reference_v<decltype(drawn_.whole())>) {
      return drawn_.whole();
    } else {
      if (!whole_) whole_ = drawn_.whole();
      return *whole_;
    }
  }

  std::shared_ptr<const M> model_;
  std::optional<typename M::Hidden> whole_;  // filled when it is first asked for
  Drawn drawn_;
};

}  // namespace assay
