// ProblemOf: the one place where families, beliefs and the typed solvers are bound together.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "assay/problem/conformance.hpp"
#include "assay/problem/problem.hpp"
#include "assay/solver/exact.hpp"
#include "assay/solver/finite_model.hpp"
#include "assay/solver/simulator.hpp"

namespace assay {

template <class F, BeliefOver<F> B>
class ExactResultOf final : public ExactResult {
 public:
  ExactResultOf(std::shared_ptr<const F> family, const ExactOptions& options)
      : family_(family), solution_(std::move(family), options) {}

  double bayes_optimal() const override { return solution_.value(); }
  std::uint64_t states() const override { return solution_.states(); }
  int best_action(const World& world) const override {
    return solution_.best_action(world.state(), belief_of(world), world.remaining());
  }
  std::vector<double> action_values(const World& world) const override {
    return solution_.action_values(world.state(), belief_of(world), world.remaining());
  }

  std::vector<double> action_values(int state, std::span<const std::uint64_t> belief,
                                    int remaining) const override {
    return solution_.action_values(state, unpacked(belief), remaining);
  }
  std::vector<double> action_delays(int state, std::span<const std::uint64_t> belief,
                                    int remaining) const override {
    return solution_.action_delays(state, unpacked(belief), remaining);
  }

  BeliefPolicies policy(std::size_t most) const override {
    constexpr std::size_t kMostMet = 100'000;  // looking through more would take longer than anyone reads
    std::map<std::vector<std::uint64_t>, std::size_t> place;  // packed belief -> index in `shown`
    BeliefPolicies policies;
    int step = 0;
    for (; step < family_->horizon() && place.size() < std::max(most, kMostMet); ++step) {
      for (const auto& [x, known] : decisions_at(step)) {
        std::vector<std::uint64_t> key(known.words());
        known.pack(key);
        const auto [at, is_new] = place.try_emplace(key, policies.shown.size());
        if (is_new && policies.shown.size() < most) policies.shown.push_back({known.text(*family_), {}});
        if (at->second < policies.shown.size()) note_choice(policies.shown[at->second], x, known, step);
      }
    }
    policies.met = place.size();
    policies.complete = step == family_->horizon();
    for (BeliefPolicy& p : policies.shown) std::ranges::sort(p.choices, {}, &BeliefPolicy::Choice::state);
    return policies;
  }

  void for_each_choice(const std::function<void(const ExactChoice&)>& visit) const override {
    B known(*family_);
    std::vector<std::uint64_t> key(known.words() + 1);
    ExactChoice choice;
    choice.numbers.resize(known.feature_count());
    for (int step = 0; step < family_->horizon(); ++step) {
      // Several arrivals can lead to the same belief.
      StateTable met(key.size(), 0, std::pmr::new_delete_resource());
      solution_.for_each_state(step, [&](int x, const B& arriving, double /*value*/) {
        arriving.predict(*family_, x, kArrive, [&](double /*p*/, const Outcome& o) {
          known = arriving;
          known.observe(*family_, x, kArrive, o);
          known.pack(std::span(key).first(key.size() - 1));
          key.back() = static_cast<std::uint64_t>(x);
          const std::size_t before = met.size();
          met.insert(key, hash_key(key));
          if (met.size() == before) return;
          const int remaining = family_->horizon() - step;
          choice.step = step;
          choice.state = x;
          choice.action = solution_.best_action(x, known, remaining);
          choice.value =
              solution_.action_values(x, known, remaining)[static_cast<std::size_t>(choice.action)];
          choice.belief = known.text(*family_);
          known.features(choice.numbers);
          visit(choice);
        });
      });
    }
  }

 private:
  B unpacked(std::span<const std::uint64_t> key) const {
    B belief(*family_);
    belief.unpack(key);
    return belief;
  }
  B belief_of(const World& world) const { return unpacked(world.belief_key()); }

  /// (state, belief after arriving) pairs that can be met at a step, sorted so that the order means
  /// something.
  std::vector<std::pair<int, B>> decisions_at(int step) const {
    std::vector<std::pair<int, B>> decisions;
    solution_.for_each_state(step, [&](int x, const B& arriving, double /*value*/) {
      arriving.predict(*family_, x, kArrive, [&](double /*p*/, const Outcome& o) {
        B known = arriving;
        known.observe(*family_, x, kArrive, o);
        decisions.emplace_back(x, std::move(known));
      });
    });
    std::ranges::stable_sort(decisions, [&](const auto& l, const auto& r) {
      const std::string left = l.second.text(*family_);
      const std::string right = r.second.text(*family_);
      return std::pair(left.size(), left) < std::pair(right.size(), right);
    });
    return decisions;
  }

  void note_choice(BeliefPolicy& policy, int x, const B& known, int step) const {
    if (std::ranges::find(policy.choices, x, &BeliefPolicy::Choice::state) != policy.choices.end()) return;
    const int remaining = family_->horizon() - step;
    const std::vector<double> values = solution_.action_values(x, known, remaining);
    policy.choices.push_back(
        {x, solution_.best_action(x, known, remaining), step, *std::ranges::max_element(values)});
  }

  std::shared_ptr<const F> family_;
  ExactSolution<F, B> solution_;
};

template <class F, BeliefOver<F> B>
class ProblemOf final : public Problem {
 public:
  ProblemOf(std::string name, F family)
      : Problem(std::move(name)), family_(std::make_shared<const F>(std::move(family))) {}

  int states() const override { return family_->states(); }
  int actions() const override { return family_->actions(); }
  int horizon() const override { return family_->horizon(); }
  double discount() const override { return family_->discount(); }
  double planning_discount() const override {
    if constexpr (requires { family_->planning_discount(); }) {
      return family_->planning_discount();
    } else {
      return family_->discount();
    }
  }
  std::vector<Start> starts() const override { return family_->starts(); }
  std::unique_ptr<World> world() const override { return std::make_unique<WorldOf<F, B>>(family_); }
  std::unique_ptr<ExactResult> exact(const ExactOptions& options) const override {
    return std::make_unique<ExactResultOf<F, B>>(family_, options);
  }
  InformationValues information(const Sampling& sampling) const override {
    return information_values(*family_, B(*family_), family_->starts(), family_->horizon(), sampling);
  }

  std::unique_ptr<Knowledge> knowledge(Kernel kernel) const override {
    return std::make_unique<KnowledgeOf<F, B>>(family_, B(*family_), kernel);
  }

  std::unique_ptr<Simulator> simulator() const override {
    return std::make_unique<SimulatorOf<F, B>>(family_);
  }

  std::shared_ptr<const FiniteModel> finite_model() const override {
    if constexpr (requires { assay::finite_model(*family_); }) {
      return std::make_shared<const FiniteModel>(assay::finite_model(*family_));
    } else {
      return nullptr;
    }
  }

  std::vector<SourcePlaces> source_places() const override {
    std::vector<SourcePlaces> all;
    if constexpr (requires { family_->source_places(); }) {
      for (auto& [source, where] : family_->source_places()) all.push_back({source, std::move(where)});
    }
    return all;
  }

  std::vector<Silenced> sources() const override {
    std::vector<Silenced> all;
    if constexpr (requires { family_->sources(); }) {
      for (auto& [source, family] : family_->sources()) {
        all.push_back(
            {source, std::make_unique<ProblemOf>(name() + " without its " + source, std::move(family))});
      }
    }
    return all;
  }

  std::vector<std::string> complaints(std::uint64_t seed) const override {
    return Conformance<F, B>(*family_, Rng(seed)).complaints();
  }

  bool drawable() const override {
    if constexpr (requires { family_->drawable(); }) return family_->drawable();
    return requires { family_->cell(0); };
  }
  Cell cell(int state) const override {
    if constexpr (requires { family_->cell(0); }) {
      return family_->cell(state);
    } else {
      return {0, state};
    }
  }
  char landmark(int state) const override {
    if constexpr (requires { family_->landmark(0); }) {
      return family_->landmark(state);
    } else {
      return '.';
    }
  }
  char action_glyph(int action) const override {
    if constexpr (requires { family_->action_glyph(0); }) {
      return family_->action_glyph(action);
    } else {
      return action_name(action).front();
    }
  }
  std::string state_name(int state) const override {
    if constexpr (requires { family_->state_name(0); }) {
      return family_->state_name(state);
    } else {
      return "state " + std::to_string(state);
    }
  }
  std::string action_name(int action) const override {
    if constexpr (requires { family_->action_name(0); }) {
      return family_->action_name(action);
    } else {
      return "action " + std::to_string(action);
    }
  }
  std::string environment_name(int environment) const override {
    if constexpr (requires { family_->environment_name(0); }) {
      return family_->environment_name(environment);
    } else {
      return "environment " + std::to_string(environment);
    }
  }
  std::string observation_text([[maybe_unused]] int state, [[maybe_unused]] int action,
                               const Observation& observation) const override {
    if constexpr (requires { family_->observation_text(state, action, observation); }) {
      return family_->observation_text(state, action, observation);
    } else {
      return numbers_text(observation);
    }
  }

 private:
  std::shared_ptr<const F> family_;
};

}  // namespace assay
