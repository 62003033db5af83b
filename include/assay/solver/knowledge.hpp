// What an agent knows, without the types of its family and belief: all that the estimators of cross-values
// need.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/core/draw_key.hpp"
#include "assay/core/error.hpp"
#include "assay/core/kernel.hpp"
#include "assay/core/world.hpp"
#include "assay/solver/environment_batch.hpp"
#include "assay/solver/field_rewards.hpp"

namespace assay {

/// Environments drawn from a belief, with common dynamics. Kept between calls, it saves their allocation.
struct DrawnEnvironments {
  std::optional<EnvironmentBatch> plans;
  std::optional<EnvironmentBatch> worlds;
};

struct StateAction {
  int state = 0, action = 0;
};

class Knowledge {
 public:
  struct Possibility {
    double probability = 0;
    TabularMdp environment;
  };
  struct Prediction {
    double probability = 0;
    Outcome outcome;
  };

  virtual ~Knowledge() = default;

  [[nodiscard]] virtual int states() const = 0;
  [[nodiscard]] virtual int actions() const = 0;
  [[nodiscard]] virtual bool allowed(int state, int action) const = 0;
  [[nodiscard]] virtual std::string text() const = 0;
  [[nodiscard]] virtual std::unique_ptr<Knowledge> clone() const = 0;
  /// Equal keys mean equal beliefs.
  virtual void key(std::vector<std::uint64_t>& out) const = 0;

  /// From now on, what an agent in this world knows. The world must be of the same family.
  virtual void know(const World& world) = 0;
  /// Conditions on an outcome. Throws ImpossibleEvidence.
  virtual void observe(int state, int action, const Outcome& outcome) = 0;
  /// Can this be informative at all?
  [[nodiscard]] virtual bool learns(int state, int action) const = 0;
  /// Can this pay or be informative?
  [[nodiscard]] virtual bool collects(int state, int action) const = 0;
  /// What arriving at `state` and doing `action` is expected to pay. The action must be allowed.
  [[nodiscard]] virtual double expected_reward(int state, int action) const = 0;
  /// The same for many, to out[i * stride].
  virtual void expected_rewards(std::span<const StateAction> of, float* out, std::size_t stride) const = 0;
  /// The part of it that arriving pays.
  [[nodiscard]] virtual double expected_arrival(int state) const = 0;
  /// An outcome as the belief expects it.
  [[nodiscard]] virtual Outcome imagine(int state, int action, Rng& rng) const = 0;
  static constexpr std::size_t kMostPredictions = 100'000;
  /// All of them. Throws LimitError if they are too many to list: a map of 49 cells has 6^49 readings.
  [[nodiscard]] virtual std::vector<Prediction> predictions(int state, int action,
                                                            std::size_t most = kMostPredictions) const = 0;

  /// Are there finitely many environments, so that expectations are sums?
  [[nodiscard]] virtual bool finite() const = 0;
  [[nodiscard]] virtual std::vector<Possibility> environments() const = 0;
  /// Of all environments that the family has, possible or not. Empty unless there are finitely many.
  [[nodiscard]] virtual std::span<const double> weights() const = 0;
  [[nodiscard]] virtual TabularMdp environment(std::size_t which) const = 0;
  /// One that is drawn.
  [[nodiscard]] virtual TabularMdp drawn_environment(Rng& rng) const = 0;
  /// Do all environments move alike? Then values are linear in the rewards, and the mean environment says all
  /// about a plan that is not changed by what it meets.
  [[nodiscard]] virtual bool known_transitions() const = 0;
  /// Throws UsageError unless the transitions are known.
  [[nodiscard]] virtual TabularMdp mean() const = 0;
  /// Every reward and every transition probability as the belief expects it. Where transitions are unknown a
  /// plan is not worth there what it is worth on average over the environments; it may still be a good plan.
  /// Throws UsageError if the belief cannot say.
  [[nodiscard]] virtual TabularMdp expected() const = 0;
  /// One row of it: where `action` at `state` is expected to lead.
  [[nodiscard]] virtual std::vector<TabularMdp::Arc> expected_arcs(int state, int action) const = 0;

  /// The belief as numbers, for networks. If it is about cells, feature i of cell c is at [i * cells + c],
  /// and `cells` is their number; otherwise 0.
  [[nodiscard]] virtual std::size_t feature_count() const = 0;
  [[nodiscard]] virtual std::size_t feature_cells() const = 0;
  virtual void features(std::span<double> out) const = 0;

  /// Independent draws of plan environments e' and, if `worlds` is not 0, of worlds e.
  virtual void draw(const DrawKey& key, std::size_t plans, std::size_t worlds,
                    DrawnEnvironments& into) const = 0;
};

namespace detail {
[[noreturn]] void throw_not_finite();
[[noreturn]] void throw_too_many_predictions(std::size_t most);
[[noreturn]] void throw_unknown_transitions();
[[noreturn]] void throw_other_family();
/// The environment whose rewards and probabilities are the means of theirs.
TabularMdp mixed(const std::vector<Knowledge::Possibility>& all);
/// Fills both batches from environments that were drawn one by one, the plans first.
void fill_batches(const std::vector<TabularMdp>& drawn, std::size_t plans, DrawnEnvironments& into);
/// Makes the batch anew unless it already has this shape.
EnvironmentBatch& reshape(std::optional<EnvironmentBatch>& batch,
                          const std::shared_ptr<const Dynamics>& dynamics, std::size_t count);
/// One of several roles of the same key.
DrawKey in_role(const DrawKey& key, std::uint64_t role);
}  // namespace detail

/// A belief that draws fields of independent cells, which its family's rewards are sums of.
template <class B, class F>
concept DrawsFields = requires(const B& b, const F& f, const DrawKey& key, std::span<float> out) {
  b.draw_fields(*b.field_sampler(Kernel{}), key, std::size_t{1}, out);
  f.paid_probability(0, 0, [](int /*cell*/) { return 0.0; });
};

template <class F, BeliefOver<F> B>
class KnowledgeOf final : public Knowledge {
 public:
  KnowledgeOf(std::shared_ptr<const F> family, B belief, Kernel kernel)
      : family_(std::move(family)), belief_(std::move(belief)), fields_(make_fields(kernel)) {}

  [[nodiscard]] const B& belief() const { return belief_; }
  int states() const override { return family_->states(); }
  int actions() const override { return family_->actions(); }
  bool allowed(int state, int action) const override { return assay::allowed(*family_, state, action); }
  std::string text() const override { return belief_.text(*family_); }
  std::unique_ptr<Knowledge> clone() const override { return std::make_unique<KnowledgeOf>(*this); }

  void key(std::vector<std::uint64_t>& out) const override {
    out.resize(belief_.words());
    belief_.pack(out);
  }

  void know(const World& world) override {
    const auto* same = dynamic_cast<const WorldOf<F, B>*>(&world);
    if (same == nullptr) detail::throw_other_family();
    belief_ = same->belief();
  }
  void observe(int state, int action, const Outcome& outcome) override {
    belief_.observe(*family_, state, action, outcome);
  }
  bool learns(int state, int action) const override {
    if constexpr (requires { belief_.learns(*family_, state, action); }) {
      return belief_.learns(*family_, state, action);
    } else {
      return true;
    }
  }
  bool collects(int state, int action) const override {
    if constexpr (DrawsFields<B, F>) {
      return learns(state, action);  // what is not drawn is not paid either
    } else if constexpr (requires { family_->collects(state, action); }) {
      return family_->collects(state, action);
    } else {
      bool something = false;
      const auto look = [&](const auto& e) {
        family_->outcomes(state, action, e, [&](double p, const Outcome& o) {
          something = something || (p > 0 && (o.reward != 0 || !o.observation.empty()));
        });
      };
      if constexpr (FiniteBeliefOver<B, F>) {
        belief_.for_each_environment(*family_, [&](double /*weight*/, const auto& e) { look(e); });
      } else {
        Rng any(0);
        look(belief_.sample(*family_, any));
      }
      return something;
    }
  }
  double expected_reward(int state, int action) const override {
    return belief_.expected_reward(*family_, state, action);
  }
  void expected_rewards(std::span<const StateAction> of, float* out, std::size_t stride) const override {
    for (const StateAction& one : of) {
      *out = static_cast<float>(belief_.expected_reward(*family_, one.state, one.action));
      out += stride;
    }
  }
  double expected_arrival(int state) const override {
    if constexpr (requires { belief_.expected_arrival(*family_, state); }) {
      return belief_.expected_arrival(*family_, state);
    } else {
      double sum = 0;
      belief_.predict(*family_, state, kArrive, [&](double p, const Outcome& o) { sum += p * o.reward; });
      return sum;
    }
  }
  Outcome imagine(int state, int action, Rng& rng) const override {
    const auto environment = belief_.sample(*family_, rng);
    return sample_outcome(*family_, state, action, environment, rng);
  }
  std::vector<Prediction> predictions(int state, int action, std::size_t most) const override {
    std::vector<Prediction> all;
    belief_.predict(*family_, state, action, [&](double p, const Outcome& o) {
      if (all.size() == most) detail::throw_too_many_predictions(most);
      all.push_back({p, o});
    });
    return all;
  }

  bool finite() const override { return FiniteBeliefOver<B, F>; }
  std::vector<Possibility> environments() const override {
    if constexpr (FiniteBeliefOver<B, F>) {
      std::vector<Possibility> all;
      belief_.for_each_environment(*family_, [&](double p, const auto& e) {
        all.push_back({p, tabulate(*family_, e)});
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
  TabularMdp environment([[maybe_unused]] std::size_t which) const override {
    if constexpr (kCounted) {
      return tabulate(*family_, static_cast<int>(which));
    } else {
      detail::throw_not_finite();
    }
  }

  TabularMdp drawn_environment(Rng& rng) const override {
    return tabulate(*family_, belief_.sample(*family_, rng));
  }

  bool known_transitions() const override {
    if constexpr (DrawsFields<B, F>) {
      return true;
    } else if constexpr (FiniteBeliefOver<B, F>) {
      const std::vector<Possibility> all = environments();
      for (const Possibility& p : all) {
        if (!same_transitions(p.environment, all.front().environment)) return false;
      }
      return true;
    } else if constexpr (requires { family_->known_transitions(); }) {
      return family_->known_transitions();
    } else {
      return false;
    }
  }
  TabularMdp mean() const override {
    if (!known_transitions()) detail::throw_unknown_transitions();
    Rng any(0);
    TabularMdp mdp = tabulate(*family_, belief_.sample(*family_, any));
    std::size_t pair = 0;
    for (int x = 0; x < mdp.states; ++x) {
      for (int a = 0; a < mdp.actions; ++a, ++pair) {
        if (assay::allowed(*family_, x, a)) mdp.reward[pair] = belief_.expected_reward(*family_, x, a);
      }
    }
    return mdp;
  }

  TabularMdp expected() const override {
    if constexpr (requires { belief_.expected_arcs(*family_, 0, 0, [](double /*p*/, int /*next*/) {}); }) {
      return detail::tabulate_with(
          *family_, [&](int x, int a) { return belief_.expected_reward(*family_, x, a); },
          [&](int x, int a, const auto& visit) { belief_.expected_arcs(*family_, x, a, visit); });
    } else {
      if (known_transitions()) return mean();
      if constexpr (FiniteBeliefOver<B, F>) return detail::mixed(environments());
      detail::throw_unknown_transitions();
    }
  }

  std::vector<TabularMdp::Arc> expected_arcs(int state, int action) const override {
    std::vector<TabularMdp::Arc> arcs;
    if constexpr (requires { belief_.expected_arcs(*family_, 0, 0, [](double /*p*/, int /*next*/) {}); }) {
      belief_.expected_arcs(*family_, state, action, [&](double p, int next) { arcs.push_back({next, p}); });
    } else {
      const TabularMdp all = expected();
      const auto row = static_cast<std::size_t>(state) * static_cast<std::size_t>(all.actions) +
                       static_cast<std::size_t>(action);
      arcs.assign(all.arcs.begin() + all.first_arc[row], all.arcs.begin() + all.first_arc[row + 1]);
    }
    return arcs;
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
    if constexpr (DrawsFields<B, F>) {
      draw_fields(detail::in_role(key, 0), detail::reshape(into.plans, fields_.rewards->dynamics(), plans));
      if (worlds == 0) return;
      draw_fields(detail::in_role(key, 1), detail::reshape(into.worlds, fields_.rewards->dynamics(), worlds));
    } else if constexpr (requires { family_->dynamics(); }) {
      draw_each(detail::in_role(key, 0), detail::reshape(into.plans, family_->dynamics(), plans));
      if (worlds == 0) return;
      draw_each(detail::in_role(key, 1), detail::reshape(into.worlds, family_->dynamics(), worlds));
    } else {
      std::vector<TabularMdp> drawn;
      for (std::size_t i = 0; i < plans + worlds; ++i) {
        const bool plan = i < plans;
        Rng rng = detail::in_role(key, plan ? 0 : 1).rng().split(plan ? i : i - plans);
        drawn.push_back(tabulate(*family_, belief_.sample(*family_, rng)));
      }
      detail::fill_batches(drawn, plans, into);
    }
  }

 private:
  /// Are environments numbers, each with its weight?
  static constexpr bool kCounted = std::same_as<typename F::Environment, int> && requires(const B& b) {
    b.weights();
  };

  static auto make_fields_type() {
    if constexpr (DrawsFields<B, F>) {
      struct Fields {
        std::shared_ptr<const FieldRewards> rewards;
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
    if constexpr (DrawsFields<B, F>) {
      return {std::make_shared<const FieldRewards>(*family_), belief_.field_sampler(kernel)};
    } else {
      return {};
    }
  }

  void draw_fields(const DrawKey& key, EnvironmentBatch& batch) const {
    fields_.rewards->fill(
        batch, [&](std::span<float> out) { belief_.draw_fields(*fields_.sampler, key, batch.count(), out); });
  }

  /// For a family that says what its environments have in common: the same streams as without that.
  void draw_each(const DrawKey& key, EnvironmentBatch& batch) const {
    const Rng rng = key.rng();
    for (std::size_t i = 0; i < batch.count(); ++i) {
      Rng own = rng.split(i);
      batch.set(i, tabulate(*family_, belief_.sample(*family_, own)));
    }
  }

  std::shared_ptr<const F> family_;
  B belief_;
  Fields fields_;  // shared by all clones: the tables of the sampler are expensive
};

}  // namespace assay
