// A model with finitely many environments, written out and free of its type: what solvers that are compiled
// once work on.
//
// For every (x, a), arriving included, the distinct outcomes, and for each of them the environments in which
// it is possible, with its probability there. What does not depend on the environment is stored once: 40
// bytes for an outcome and its first probability, 16 for every further one.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "assay/core/model.hpp"

namespace assay {

class FiniteModel {
 public:
  /// In place of an environment: all of them.
  static constexpr int kEvery = -1;

  struct Chance {
    double probability;
    int environment;  // or kEvery, and then the only one
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
    std::vector<Start> starts;
    std::vector<double> prior;
  };

  class Builder;

  [[nodiscard]] int states() const { return outline_.states; }
  [[nodiscard]] int actions() const { return outline_.actions; }
  [[nodiscard]] int environments() const { return static_cast<int>(outline_.prior.size()); }
  [[nodiscard]] int horizon() const { return outline_.horizon; }
  [[nodiscard]] double discount() const { return outline_.discount; }
  [[nodiscard]] const std::vector<Start>& starts() const { return outline_.starts; }
  /// Sums to 1.
  [[nodiscard]] const std::vector<double>& prior() const { return outline_.prior; }

  [[nodiscard]] bool allowed(int x, int a) const { return first_[row(x, a)] < first_[row(x, a) + 1]; }
  /// Do outcomes of `a` (or kArrive) at x depend on the environment?
  [[nodiscard]] bool teaches(int x, int a) const { return teaches_[row(x, a)]; }
  /// What `a` (or kArrive) at x may lead to in some environment, each outcome once; empty if not allowed.
  [[nodiscard]] std::span<const Result> results(int x, int a) const {
    return {results_.data() + first_[row(x, a)], first_[row(x, a) + 1] - first_[row(x, a)]};
  }
  /// Where and how likely it is, by environment; what is impossible is left out. `result` is one of ours.
  [[nodiscard]] std::span<const Chance> chances(const Result& result) const {
    const std::size_t first = result.first_chance;
    return {chances_.data() + first, (&result + 1)->first_chance - first};  // there is a sentinel
  }
  [[nodiscard]] const Observation& observation(int number) const {
    return observations_[static_cast<std::size_t>(number)];
  }

  /// For every environment e: what `a` at x pays, plus the discounted values[next * stride + e].
  void look_ahead(int x, int a, const double* values, std::size_t stride, std::span<double> into) const;
  /// The same in the mean environment, whose every probability is the mean under the prior.
  [[nodiscard]] double mean_look_ahead(int x, int a, std::span<const double> values) const;
  /// What arriving at x pays in every environment.
  void arrival_rewards(int x, std::span<double> into) const;

  /// The largest size of a reward.
  [[nodiscard]] double largest_reward() const { return largest_reward_; }
  [[nodiscard]] std::size_t bytes() const;

 private:
  [[nodiscard]] std::size_t row(int x, int a) const {
    return static_cast<std::size_t>(x) * static_cast<std::size_t>(outline_.actions + 1) +
           static_cast<std::size_t>(a + 1);
  }

  Outline outline_;
  std::vector<std::uint32_t> first_ = {0};  // [row + 1], of results
  std::vector<bool> teaches_;               // [row]
  std::vector<Result> results_;             // and one more, for the end of the last one's chances
  std::vector<Chance> chances_;
  std::vector<Observation> observations_;
  double largest_reward_ = 0;
};

/// Takes the rows in the order (0, kArrive), (0, 0), .., (1, kArrive), ..; in a row, by environment.
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
  std::vector<std::uint32_t> slots_;  // hash table of row_, once it is long
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
                                .horizon = model.horizon(),
                                .discount = model.discount(),
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
