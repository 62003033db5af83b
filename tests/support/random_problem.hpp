// Small random problems in tables, nasty on purpose: rewards and signs on arrival and on actions, impossible
// and repeated outcomes, actions that are not allowed, environments that cannot be told apart, several
// starts, discounts 0 and 1, sometimes outcomes that only rule environments out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "assay/core/rng.hpp"
#include "assay/families/builders.hpp"

namespace assay::support {

struct RandomProblemSize {
  int states = 5, actions = 3, environments = 4, horizon = 4;  // at most
};

class RandomProblem {
 public:
  RandomProblem(Rng rng, const RandomProblemSize& most) : rng_(rng), most_(most) {}

  TableFamily draw() {
    states_ = mostly_large(most_.states);
    actions_ = mostly_large(most_.actions);
    environments_ = mostly_large(most_.environments);
    rules_out_ = bernoulli(rng_, 0.4);
    TableBuilder builder(names("s", states_), names("a", actions_));
    const int edge = between(0, 7);
    builder.horizon(mostly_large(most_.horizon)).discount(edge == 0 ? 0 : edge < 4 ? 1 : uniform(rng_));
    const bool equal_weights = bernoulli(rng_, 0.5);
    for (int e = 0; e < environments_; ++e) {
      builder.environment("e" + std::to_string(e), equal_weights ? 1 : 0.1 + uniform(rng_));
    }
    draw_starts(builder);
    twins_ = environments_ > 1 && bernoulli(rng_, 0.3);
    for (int x = 0; x < states_; ++x) {
      const int always = between(0, actions_ - 1);
      if (bernoulli(rng_, 0.7)) draw_row(builder, x, kArrive);
      for (int a = 0; a < actions_; ++a) {
        if (a == always || bernoulli(rng_, 0.85)) draw_row(builder, x, a);
      }
    }
    return builder.build();
  }

 private:
  using Possibility = TableBuilder::Possibility;

  int between(int low, int high) {
    return low + static_cast<int>(uniform_index(rng_, static_cast<std::uint64_t>(high - low + 1)));
  }

  /// From 1 to `most`; problems of size 1 are there, but few.
  int mostly_large(int most) { return std::max({between(1, most), between(1, most), between(1, most)}); }

  static std::vector<std::string> names(const std::string& letter, int count) {
    std::vector<std::string> all;
    for (int i = 0; i < count; ++i) all.push_back(letter + std::to_string(i));
    return all;
  }

  void draw_starts(TableBuilder& builder) {
    builder.start(between(0, states_ - 1));
    while (bernoulli(rng_, 0.4)) builder.start(between(0, states_ - 1), 0.2 + uniform(rng_));
  }

  /// Rewards from a coarse set: the same reward for different reasons, and ties between actions.
  Outcome draw_outcome(int x, int a) {
    Outcome o{.next = a == kArrive ? x : between(0, states_ - 1),
              .reward = between(-4, 4) / 2.0,
              .observation = {}};
    if (bernoulli(rng_, 0.4)) o.observation.push_back(between(0, 1));
    return o;
  }

  std::vector<Possibility> draw_law(std::vector<Outcome> outcomes) {
    std::vector<Possibility> law;
    double sum = 0;
    for (Outcome& o : outcomes) {
      const double p = bernoulli(rng_, 0.2) ? 0 : uniform_open(rng_);
      sum += p;
      law.push_back({p, std::move(o)});
    }
    if (sum == 0) sum = law[uniform_index(rng_, law.size())].probability = 1;
    for (Possibility& p : law) p.probability /= sum;
    return law;
  }

  /// Environments share what can happen and differ in how likely it is: else one look would tell everything.
  /// Or they fall into blocks, each with a law of its own.
  void draw_row(TableBuilder& builder, int x, int a) {
    std::vector<Outcome> shared;
    for (int i = a == kArrive ? between(1, 2) : between(1, 3); i > 0; --i)
      shared.push_back(draw_outcome(x, a));
    if (bernoulli(rng_, 0.2)) {
      builder.outcome(x, a, draw_law(shared));
      return;
    }
    std::vector<std::vector<Possibility>> of_block;
    for (int block = 0; block < 2; ++block) {
      std::vector<Outcome> own;
      for (Outcome o : shared) {
        o.observation.push_back(2 + block);
        own.push_back(o);
      }
      of_block.push_back(draw_law(own));
    }
    std::vector<Possibility> first;
    for (int e = 0; e < environments_; ++e) {
      std::vector<Possibility> law = rules_out_ ? of_block[uniform_index(rng_, 2)] : draw_law(shared);
      if (e == 0) first = law;
      builder.outcome(x, a, e == 1 && twins_ ? first : law, e);
    }
  }

  Rng rng_;
  RandomProblemSize most_;
  int states_ = 1, actions_ = 1, environments_ = 1;
  bool rules_out_ = false;  // outcomes do no more than to tell blocks of environments apart
  bool twins_ = false;      // the first two environments are alike
};

inline TableFamily random_problem(Rng rng, const RandomProblemSize& most = {}) {
  return RandomProblem(rng, most).draw();
}

}  // namespace assay::support
