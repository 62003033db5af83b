// A model with finitely many environments, written out and without its type, for solvers that are compiled
// once.
//
// For every (x, a), arriving included, it lists the distinct outcomes, and for each outcome the environments
// in which it is possible, with its probability there. What does not depend on the environment is stored
// once. An outcome and its first probability take 40 bytes, every further probability 16.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/core/detail/outline.hpp"
#include "assay/core/model.hpp"

namespace assay {

class FiniteModel {
 public:
  /// In the place of an environment: all of them.
  static constexpr int kEvery = -1;

  struct Chance {
    double probability;
    int environment;  // or kEvery, which is then the only entry
  };
  /// An outcome of an action, as numbers.
  struct Result {
    double reward;
    int next;
    int observation;  // number of the observation
    std::uint32_t first_chance;
  };
  struct Outline {
    int states = 0, actions = 0, horizon = 0;
    double discount = 1;
    bool endless = false;  // then the horizon is where episodes are cut
    std::vector<Start> starts;
    std::vector<double> prior;
  };

  class Builder;

  [[nodiscard]] int states() const { return outline_.states; }
  [[nodiscard]] int actions() const { return outline_.actions; }
  [[nodiscard]] int environments() const { return static_cast<int>(outline_.prior.size()); }
  [[nodiscard]] int horizon() const { return outline_.horizon; }
  [[nodiscard]] bool endless() const { return outline_.endless; }
  [[nodiscard]] double discount() const { return outline_.discount; }
  [[nodiscard]] const std::vector<Start>& starts() const { return outline_.starts; }
  /// The prior; it sums to 1.
  [[nodiscard]] const std::vector<double>& prior() const { return outline_.prior; }

  [[nodiscard]] bool allowed(int x, int a) const { return first_[row(x, a)] < first_[row(x, a) + 1]; }
  /// Do the outcomes of `a` (or kArrive) at x depend on the environment?
  [[nodiscard]] bool teaches(int x, int a) const { return teaches_[row(x, a)]; }
  /// The outcomes of `a` (or kArrive) at x that are possible in some environment, each once; empty if not
  /// allowed.
  [[nodiscard]] std::span<const Result> results(int x, int a) const {
    return {results_.data() + first_[row(x, a)], first_[row(x, a) + 1] - first_[row(x, a)]};
  }
  /// The environments in which an outcome is possible, with its probability there. `result` must be one of
  /// this model.
  [[nodiscard]] std::span<const Chance> chances(const Result& result) const {
    const std::size_t first = result.first_chance;
    return {chances_.data() + first, (&result + 1)->first_chance - first};  // there is a sentinel
  }
  [[nodiscard]] const Observation& observation(int number) const {
    return observations_[static_cast<std::size_t>(number)];
  }

  /// For every environment e: the reward of `a` at x plus the discounted values[next * stride + e].
  void look_ahead(int x, int a, const double* values, std::size_t stride, std::span<double> into) const;
  /// The same in the mean environment, whose probabilities are means under the prior.
  [[nodiscard]] double mean_look_ahead(int x, int a, std::span<const double> values) const;
  /// The reward of arriving at x in every environment.
  void arrival_rewards(int x, std::span<double> into) const;

  /// The MDP of one environment.
  [[nodiscard]] Mdp environment(int which) const;
  /// The mean environment, whose probabilities are means under the prior.
  [[nodiscard]] Mdp mean_environment() const;

  /// The largest absolute reward.
  [[nodiscard]] double largest_reward() const { return largest_reward_; }
  [[nodiscard]] std::size_t bytes() const;

 private:
  template <class Probability>
  [[nodiscard]] Mdp table_with(const Probability& probability) const;
  [[nodiscard]] std::size_t row(int x, int a) const {
    return static_cast<std::size_t>(x) * static_cast<std::size_t>(outline_.actions + 1) +
           static_cast<std::size_t>(a + 1);
  }

  Outline outline_;
  std::vector<std::uint32_t> first_ = {0};  // [row + 1], of results
  std::vector<bool> teaches_;               // [row]
  std::vector<Result> results_;             // with one more, which ends the chances of the last
  std::vector<Chance> chances_;
  std::vector<Observation> observations_;
  double largest_reward_ = 0;
};

/// Takes the rows in the order (0, kArrive), (0, 0), .., (1, kArrive), .., and each row by environment.
class FiniteModel::Builder {
 public:
  explicit Builder(Outline outline);

  void add(int environment, double probability, const Outcome& outcome);
  void end_row();
  [[nodiscard]] FiniteModel build();

 private:
  struct Part {
    double probability;
    std::uint32_t result;  // of this row
    int environment;
  };

  [[nodiscard]] std::uint32_t number_of(const Result& seen);
  [[nodiscard]] int number_of(const Observation& seen);
  void place_parts();
  void rehash();

  FiniteModel model_;
  std::map<Observation, int> observation_numbers_;
  std::vector<Result> row_;           // distinct results of this row
  std::vector<Part> parts_;           // of this row
  std::uint32_t guess_ = 0;           // environments often list the same outcomes in the same order
  int environment_ = 0;               // of the last part
  std::vector<std::uint32_t> slots_;  // a hash table of row_, used when it is long
  std::vector<std::uint32_t> counts_;
  std::vector<Chance> sorted_;
};

template <Model M>
requires std::same_as<typename M::Hidden, int> && requires(const M& f) {
  { f.prior() } -> std::convertible_to<std::vector<double>>;
}
FiniteModel finite_model(const M& model) {
  FiniteModel::Builder builder({.states = model.states(),
                                .actions = model.actions(),
                                .horizon = episode_steps(model),
                                .discount = model.discount(),
                                .endless = model.horizon() == kEndless,
                                .starts = model.starts(),
                                .prior = model.prior()});
  const int environments = static_cast<int>(model.prior().size());
  for (int x = 0; x < model.states(); ++x) {
    for (int a = kArrive; a < model.actions(); ++a) {
      if (a == kArrive || allowed(model, x, a)) {
        for (int e = 0; e < environments; ++e) {
          model.outcomes(x, a, e, [&](double p, const Outcome& o) { builder.add(e, p, o); });
        }
      }
      builder.end_row();
    }
  }
  return builder.build();
}

}  // namespace assay
