// BeliefOf: a typed model and belief behind the interface Belief.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/core/detail/draw_key.hpp"
#include "assay/core/detail/kernel.hpp"
#include "assay/problem/detail/environment_of.hpp"
#include "assay/solver/detail/drawn_environments.hpp"
#include "assay/solver/detail/field_rewards.hpp"

namespace assay {

namespace detail {
[[noreturn]] void throw_not_finite();
[[noreturn]] void throw_too_many_predictions(std::size_t most);
[[noreturn]] void throw_unknown_transitions();
[[noreturn]] void throw_no_such_key(std::size_t given, std::size_t words);
/// The mean environment: its rewards and probabilities are the means over the environments.
Mdp mixed(const std::vector<Belief::Possibility>& all);
}  // namespace detail

/// A belief that draws fields of independent cells, of which the model's rewards are sums.
template <class B, class M>
concept DrawsFields = requires(const B& b, const M& f, const DrawKey& key, std::span<float> out) {
  b.draw_fields(*b.field_sampler(Kernel{}), key, std::size_t{1}, out);
  f.paid_probability(0, 0, [](int /*cell*/) { return 0.0; });
};

template <class M, BeliefOver<M> B>
class BeliefOf final : public Belief {
 public:
  BeliefOf(std::shared_ptr<const M> model, std::shared_ptr<const Outline> outline, Kernel kernel)
      : Belief(std::move(outline)),
        model_(std::move(model)),
        belief_(*model_),
        fields_(make_fields(kernel)) {}

  [[nodiscard]] const B& typed() const { return belief_; }
  std::string text() const override { return belief_.text(*model_); }
  std::unique_ptr<Belief> clone() const override { return std::make_unique<BeliefOf>(*this); }
  void assign(const Belief& other) override { belief_ = typed_belief<M, B>(other); }

  void key(std::vector<std::uint64_t>& out) const override {
    out.resize(belief_.words());
    belief_.pack(out);
  }

  void key_after(int state, int action, const Outcome& outcome,
                 std::vector<std::uint64_t>& out) const override {
    if constexpr (requires { belief_.pack_after(*model_, state, action, outcome, std::span(out)); }) {
      out.resize(belief_.words());
      belief_.pack_after(*model_, state, action, outcome, std::span(out));
    } else {
      B after = belief_;
      after.observe(*model_, state, action, outcome);
      out.resize(after.words());
      after.pack(out);
    }
  }
  void restore(std::span<const std::uint64_t> key) override {
    if (key.size() != belief_.words()) detail::throw_no_such_key(key.size(), belief_.words());
    belief_.unpack(key);
  }
  void observe(int state, int action, const Outcome& outcome) override {
    belief_.observe(*model_, state, action, outcome);
  }
  bool learns(int state, int action) const override {
    if constexpr (requires { belief_.learns(*model_, state, action); }) {
      return belief_.learns(*model_, state, action);
    } else {
      return true;
    }
  }
  bool collects(int state, int action) const override {
    if constexpr (DrawsFields<B, M>) {
      return learns(state, action);  // what is not drawn is not paid
    } else if constexpr (lists_member<M>(Member::kCollects)) {
      return model_->collects(state, action);
    } else {
      bool something = false;
      const auto look = [&](const auto& e) {
        for_each_outcome(*model_, state, action, e, [&](double p, const Outcome& o) {
          something = something || (p > 0 && (o.reward != 0 || !o.observation.empty()));
        });
      };
      if constexpr (FiniteBeliefOver<B, M>) {
        belief_.for_each_environment(*model_, [&](double /*weight*/, const auto& e) { look(e); });
      } else {
        Rng any(0);
        look(belief_.sample(*model_, any));
      }
      return something;
    }
  }
  double expected_reward(int state, int action) const override {
    return belief_.expected_reward(*model_, state, action);
  }
  void expected_rewards(std::span<const StateAction> of, float* out, std::size_t stride) const override {
    for (const StateAction& one : of) {
      *out = static_cast<float>(belief_.expected_reward(*model_, one.state, one.action));
      out += stride;
    }
  }
  double expected_arrival(int state) const override {
    if constexpr (requires { belief_.expected_arrival(*model_, state); }) {
      return belief_.expected_arrival(*model_, state);
    } else {
      double sum = 0;
      belief_.predict(*model_, state, kArrive, [&](double p, const Outcome& o) { sum += p * o.reward; });
      return sum;
    }
  }
  double reward_spread(int state, int action) const override {
    if constexpr (requires { belief_.reward_variance(*model_, state, action); }) {
      if (allowed(state, action)) return std::sqrt(belief_.reward_variance(*model_, state, action));
    }
    return std::numeric_limits<double>::quiet_NaN();
  }
  Outcome draw_outcome(int state, int action, Rng& rng) const override {
    const auto environment = belief_.sample(*model_, rng);
    return sample_outcome(*model_, state, action, environment, rng);
  }
  std::vector<Prediction> predict(int state, int action, std::size_t most) const override {
    std::vector<Prediction> all;
    belief_.predict(*model_, state, action, [&](double p, const Outcome& o) {
      if (all.size() == most) detail::throw_too_many_predictions(most);
      all.push_back({p, o});
    });
    return all;
  }

  bool finite() const override { return FiniteBeliefOver<B, M>; }
  std::vector<Possibility> environments() const override {
    if constexpr (FiniteBeliefOver<B, M>) {
      std::vector<Possibility> all;
      belief_.for_each_environment(*model_, [&](double p, const auto& e) {
        all.push_back({p, tabulate(*model_, e)});
      });
      return all;
    } else {
      detail::throw_not_finite();
    }
  }

  std::span<const double> weights() const override {
    if constexpr (kCounted) {
      return belief_.weights();
    } else {
      return {};
    }
  }
  Mdp environment([[maybe_unused]] std::size_t which) const override {
    if constexpr (kCounted) {
      return tabulate(*model_, static_cast<int>(which));
    } else {
      detail::throw_not_finite();
    }
  }

  std::unique_ptr<Environment> environment() const override {
    return std::make_unique<EnvironmentOf<M, B, typename detail::DrawnEnvironment<M, B>::type>>(model_,
                                                                                                belief_);
  }
  Mdp sample_table(Rng& rng) const override { return tabulate(*model_, belief_.sample(*model_, rng)); }

  bool known_transitions() const override {
    if constexpr (DrawsFields<B, M>) {
      return true;
    } else if constexpr (lists_member<M>(Member::kKnownTransitions)) {
      return model_->known_transitions();
    } else if constexpr (FiniteBeliefOver<B, M>) {
      const std::vector<Possibility> all = environments();
      for (const Possibility& p : all) {
        if (!same_transitions(p.environment, all.front().environment)) return false;
      }
      return true;
    } else {
      return false;
    }
  }
  bool expects_transitions() const override {
    return kExpectsArcs || FiniteBeliefOver<B, M> || known_transitions();
  }
  Mdp mean() const override {
    if (!known_transitions()) detail::throw_unknown_transitions();
    Mdp mdp = some_environment();
    std::size_t pair = 0;
    for (int x = 0; x < mdp.states; ++x) {
      for (int a = 0; a < mdp.actions; ++a, ++pair) {
        if (assay::allowed(*model_, x, a)) mdp.reward[pair] = belief_.expected_reward(*model_, x, a);
      }
    }
    return mdp;
  }

  Mdp expected() const override {
    if constexpr (kExpectsArcs) {
      return detail::tabulate_with(
          *model_, [&](int x, int a) { return belief_.expected_reward(*model_, x, a); },
          [&](int x, int a, const auto& visit) { belief_.expected_arcs(*model_, x, a, visit); });
    } else {
      if (known_transitions()) return mean();
      if constexpr (FiniteBeliefOver<B, M>) return detail::mixed(environments());
      detail::throw_unknown_transitions();
    }
  }

  std::vector<Mdp::Arc> expected_arcs(int state, int action) const override {
    std::vector<Mdp::Arc> arcs;
    if constexpr (kExpectsArcs) {
      belief_.expected_arcs(*model_, state, action, [&](double p, int next) { arcs.push_back({next, p}); });
    } else {
      const Mdp all = expected();
      const auto row = static_cast<std::size_t>(state) * static_cast<std::size_t>(all.actions) +
                       static_cast<std::size_t>(action);
      arcs.assign(all.arcs.begin() + all.first_arc[row], all.arcs.begin() + all.first_arc[row + 1]);
    }
    return arcs;
  }

  std::optional<InformationValues> closed_form([[maybe_unused]] int remaining) const override {
    if constexpr (lists_member<M>(Member::kClosedForm)) {
      return model_->closed_form(belief_, remaining);
    } else {
      return std::nullopt;
    }
  }

  std::size_t feature_count() const override { return belief_.feature_count(); }
  std::size_t feature_cells() const override {
    if constexpr (requires { belief_.cells(); }) {
      return belief_.cells();
    } else {
      return 0;
    }
  }
  void features(std::span<double> out) const override { belief_.features(out); }

  void draw(const DrawKey& key, std::size_t plans, std::size_t worlds,
            DrawnEnvironments& into) const override {
    if constexpr (DrawsFields<B, M>) {
      draw_fields(detail::in_role(key, 0), detail::reshape(into.plans, fields_.rewards->dynamics(), plans));
      if (worlds == 0) return;
      draw_fields(detail::in_role(key, 1), detail::reshape(into.worlds, fields_.rewards->dynamics(), worlds));
    } else if constexpr (lists_member<M>(Member::kDynamics)) {
      draw_each(detail::in_role(key, 0), detail::reshape(into.plans, model_->dynamics(), plans));
      if (worlds == 0) return;
      draw_each(detail::in_role(key, 1), detail::reshape(into.worlds, model_->dynamics(), worlds));
    } else {
      std::vector<Mdp> drawn;
      for (std::size_t i = 0; i < plans + worlds; ++i) {
        const bool plan = i < plans;
        Rng rng = detail::in_role(key, plan ? 0 : 1).rng().split(plan ? i : i - plans);
        drawn.push_back(tabulate(*model_, belief_.sample(*model_, rng)));
      }
      detail::fill_batches(drawn, plans, into);
    }
  }

 private:
  static constexpr bool kExpectsArcs = requires(const B& b, const M& m) {
    b.expected_arcs(m, 0, 0, [](double /*p*/, int /*next*/) {});
  };
  /// Are environments numbers that have weights?
  static constexpr bool kCounted = std::same_as<typename M::Hidden, int> && requires(const B& b) {
    b.weights();
  };

  static auto make_fields_type() {
    if constexpr (DrawsFields<B, M>) {
      struct Fields {
        std::shared_ptr<const FieldRewards> rewards;
        std::shared_ptr<const Mdp> moves;  // the same in every environment
        decltype(std::declval<const B&>().field_sampler(Kernel{})) sampler;
      };
      return Fields{};
    } else {
      struct Nothing {};
      return Nothing{};
    }
  }
  using Fields = decltype(make_fields_type());

  Fields make_fields([[maybe_unused]] Kernel kernel) const {
    if constexpr (DrawsFields<B, M>) {
      return {std::make_shared<const FieldRewards>(*model_), std::make_shared<const Mdp>(drawn_environment()),
              belief_.field_sampler(kernel)};
    } else {
      return {};
    }
  }

  /// An arbitrary environment, for what all environments have in common.
  Mdp some_environment() const {
    if constexpr (DrawsFields<B, M>) {
      return *fields_.moves;
    } else {
      return drawn_environment();
    }
  }
  Mdp drawn_environment() const {
    Rng any(0);
    return tabulate(*model_, belief_.sample(*model_, any));
  }

  void draw_fields(const DrawKey& key, EnvironmentBatch& batch) const {
    fields_.rewards->fill(
        batch, [&](std::span<float> out) { belief_.draw_fields(*fields_.sampler, key, batch.count(), out); });
  }

  /// For a model that states what its environments have in common. The streams are the same as without that.
  void draw_each(const DrawKey& key, EnvironmentBatch& batch) const {
    const Rng rng = key.rng();
    for (std::size_t i = 0; i < batch.count(); ++i) {
      Rng own = rng.split(i);
      batch.set(i, tabulate(*model_, belief_.sample(*model_, own)));
    }
  }

  std::shared_ptr<const M> model_;
  B belief_;
  Fields fields_;  // shared by all clones, because the tables of the sampler are expensive
};

/// The only way from the erased belief back to the typed one. Throws UsageError if it is of another type.
template <class M, class B>
const B& typed_belief(const Belief& belief) {
  const auto* same = dynamic_cast<const BeliefOf<M, B>*>(&belief);
  if (same == nullptr) detail::throw_other_model();
  return same->typed();
}

}  // namespace assay
