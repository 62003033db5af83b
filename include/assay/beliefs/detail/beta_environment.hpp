// Drawn environments of Bernoulli cells.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/core/belief.hpp"
#include "assay/core/model.hpp"
#include "assay/core/rng.hpp"

namespace assay {

/// An environment in which the success probability of a cell is drawn when it is first needed, from a stream
/// of its own, so that the order of the cells does not matter. M is a BernoulliFamily, B its BetaBelief.
template <class M, class B>
class BetaEnvironment {
 public:
  BetaEnvironment(const M& model, const B& belief)
      : model_(&model), belief_(belief), cells_(belief.cells()), source_(0), luck_(0) {}

  void draw_from(const B& belief) { belief_ = belief; }
  void draw(Rng rng) {
    ++drawing_;
    take(rng);
  }
  void renew(Rng rng) {
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      if (cells_[c].a != belief_.a(c) || cells_[c].b != belief_.b(c)) cells_[c].drawing = 0;
    }
    take(rng);
  }

  SimulatedStep step(int state, int action, bool last) {
    SimulatedStep taken;
    taken.next = model_->next(state, action);
    taken.reward = pull(model_->pulls(state, action), taken.evidence);
    if (!last) taken.arrival = pull(model_->pulls(taken.next, kArrive), taken.evidence);
    return taken;
  }

  [[nodiscard]] std::vector<double> whole() {
    std::vector<double> all;
    for (std::size_t c = 0; c < cells_.size(); ++c) all.push_back(chance(c));
    return all;
  }

 private:
  struct Drawn {
    double chance = 0;
    double a = 0, b = 0;        // the belief when it was drawn
    std::uint64_t drawing = 0;  // for which environment that was; 0 is none
  };

  void take(const Rng& rng) {
    source_ = rng.split(0);
    luck_ = rng.split(1);
  }

  double chance(std::size_t cell) {
    Drawn& drawn = cells_[cell];
    if (drawn.drawing != drawing_) {
      Rng own = source_.split(cell);
      const double a = belief_.a(cell);
      const double b = belief_.b(cell);
      drawn = {beta(own, a, b), a, b, drawing_};
    }
    return drawn.chance;
  }

  /// Returns the reward. A belief is the counts of every cell, so evidence is counts, too, each multiplied
  /// by a number that belongs to it. Equal beliefs have equal sums, whatever the order of the evidence.
  template <class Pulls>
  double pull(const Pulls& pulls, std::uint64_t& evidence) {
    double reward = 0;
    for (const auto& one : pulls) {
      const auto cell = static_cast<std::size_t>(one.cell);
      const double p = chance(cell);
      int good = 0;
      if (one.rewarded && bernoulli(luck_, p)) reward = good = 1;
      if (one.looks > 0) good += binomial(luck_, one.looks, p);
      const int bad = one.looks + (one.rewarded ? 1 : 0) - good;
      evidence += static_cast<std::uint64_t>(good) * detail::spread(2 * cell + 1) +
                  static_cast<std::uint64_t>(bad) * detail::spread(2 * cell + 2);
    }
    return reward;
  }

  const M* model_;
  B belief_;
  std::vector<Drawn> cells_;
  std::uint64_t drawing_ = 1;
  Rng source_;  // of the success probabilities
  Rng luck_;    // of the draws in them
};

}  // namespace assay
