// ProblemOf: the only place where models, beliefs and the typed solvers are combined.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/problem/detail/belief_of.hpp"
#include "assay/problem/problem.hpp"
#include "assay/solver/detail/exact.hpp"
#include "assay/solver/detail/finite_model.hpp"

namespace assay {

template <class M, BeliefOver<M> B>
class ProblemOf final : public Problem {
 public:
  ProblemOf(std::string name, M model)
      : ProblemOf(std::move(name), std::make_shared<const M>(std::move(model))) {}

  using Problem::prior;
  std::unique_ptr<Belief> prior(Kernel kernel) const override {
    return std::make_unique<BeliefOf<M, B>>(model_, shared_outline(), kernel);
  }
  std::unique_ptr<ExactSolution> exact(const ExactOptions& options) const override {
    const TailBounds tail = outline().endless() ? tail_bounds(*prior()) : TailBounds();
    return std::make_unique<ExactSolution>(prior(), ExactSolver<M, B>(*model_, options, tail).solve(), tail);
  }

  std::shared_ptr<const FiniteModel> finite_model() const override {
    if constexpr (requires { assay::finite_model(*model_); }) {
      return std::make_shared<const FiniteModel>(assay::finite_model(*model_));
    } else {
      return nullptr;
    }
  }

  std::vector<SourcePlaces> source_places() const override {
    std::vector<SourcePlaces> all;
    if constexpr (lists_member<M>(Member::kSourcePlaces)) {
      for (auto& [source, where] : model_->source_places()) all.push_back({source, std::move(where)});
    }
    return all;
  }

  std::vector<Silenced> sources() const override {
    std::vector<Silenced> all;
    if constexpr (lists_member<M>(Member::kSources)) {
      for (auto& [source, model] : model_->sources()) {
        all.push_back(
            {source, std::make_unique<ProblemOf>(name() + " without its " + source, std::move(model))});
      }
    }
    return all;
  }

  bool drawable() const override {
    if constexpr (lists_member<M>(Member::kDrawable)) return model_->drawable();
    return lists_member<M>(Member::kCell);
  }
  Cell cell(int state) const override {
    if constexpr (lists_member<M>(Member::kCell)) {
      return model_->cell(state);
    } else {
      return {0, state};
    }
  }
  char landmark(int state) const override {
    if constexpr (lists_member<M>(Member::kLandmark)) {
      return model_->landmark(state);
    } else {
      return '.';
    }
  }
  char action_glyph(int action) const override {
    if constexpr (lists_member<M>(Member::kActionGlyph)) {
      return model_->action_glyph(action);
    } else {
      return action_name(action).front();
    }
  }
  std::string state_name(int state) const override {
    if constexpr (lists_member<M>(Member::kStateName)) {
      return model_->state_name(state);
    } else {
      return "state " + std::to_string(state);
    }
  }
  std::string action_name(int action) const override {
    if constexpr (lists_member<M>(Member::kActionName)) {
      return model_->action_name(action);
    } else {
      return "action " + std::to_string(action);
    }
  }
  std::string environment_name(int environment) const override {
    if constexpr (lists_member<M>(Member::kEnvironmentName)) {
      return model_->environment_name(environment);
    } else {
      return "environment " + std::to_string(environment);
    }
  }
  std::string observation_text([[maybe_unused]] int state, [[maybe_unused]] int action,
                               const Observation& observation) const override {
    if constexpr (lists_member<M>(Member::kObservationText)) {
      return model_->observation_text(state, action, observation);
    } else {
      return numbers_text(observation);
    }
  }
  std::optional<Observation> observation_named([[maybe_unused]] int state, [[maybe_unused]] int action,
                                               [[maybe_unused]] std::string_view text) const override {
    if constexpr (lists_member<M>(Member::kObservationNamed)) {
      return model_->observation_named(state, action, text);
    } else {
      return std::nullopt;
    }
  }

 protected:
  bool hidden_moves() const override { return assay::hidden_moves<M>(); }
  std::unique_ptr<Environment> environment(Rng rng, bool drawn) const override {
    const B belief(*model_);
    Rng draw = rng.split(detail::kEnvironmentStream);
    return std::make_unique<EnvironmentOf<M, B, detail::WholeEnvironment<M, B>>>(
        model_, belief, drawn ? belief.sample(*model_, draw) : true_part(belief, draw));
  }

 private:
  ProblemOf(std::string name, std::shared_ptr<const M> model)
      : Problem(std::move(name), outline_of(*model)), model_(std::move(model)) {}

  /// A model's optional `truth(rng)` returns the true hidden part, or draws one. It returns none if the
  /// hidden part is to be drawn from the prior.
  typename M::Hidden true_part(const B& belief, Rng& rng) const {
    if constexpr (lists_member<M>(Member::kTruth)) {
      if (auto truth = model_->truth(rng)) return *std::move(truth);
    }
    return belief.sample(*model_, rng);
  }

  std::shared_ptr<const M> model_;
};

}  // namespace assay
