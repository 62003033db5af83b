// Cross-values v^{e'}(p;e) of finitely many environments as a table: computed exactly, or to be learned.
#pragma once

#include <span>
#include <vector>

#include "cashing/places.hpp"

namespace assay {

class CrossTable {
 public:
  /// All zero. `clocks` is how many numbers of collections to come are told apart: 0 .. clocks-1. Throws
  /// LimitError if the table would be larger than anyone could want.
  /// With `own`, only the values of plans in their own environments are kept.
  CrossTable(std::size_t environments, const Places& places, int clocks, bool own = false);
  /// Is such a table small enough?
  [[nodiscard]] static bool fits(std::size_t environments, const Places& places, int clocks,
                                 bool own = false);
  /// By backward induction, for every number of collections up to the horizon.
  static CrossTable exact(const Belief& prior, const Places& places, int horizon, bool own = false);
  static CrossTable exact(const std::vector<Mdp>& environments, const Places& places, int horizon,
                          bool own = false);

  [[nodiscard]] std::size_t environments() const { return environments_; }
  [[nodiscard]] double& at(int clock, std::size_t plan, std::size_t world, int place) {
    return value_[index(clock, plan, world) + static_cast<std::size_t>(place)];
  }
  [[nodiscard]] double at(int clock, std::size_t plan, std::size_t world, int place) const {
    return value_[index(clock, plan, world) + static_cast<std::size_t>(place)];
  }

  /// v^c(p,b) = sum b(e') b(e) v^{e'}(p;e).
  [[nodiscard]] double current(std::span<const double> weights, int clock, int place) const;
  /// The largest over the plans of environments that are possible: max over e' of sum b(e) v^{e'}(p;e).
  [[nodiscard]] double best(std::span<const double> weights, int clock, int place) const;
  /// E[v^e(p;e)].
  [[nodiscard]] double full(std::span<const double> weights, int clock, int place) const;
  /// What the plan for environment `plan` chooses in a state: the best by its own values.
  [[nodiscard]] const Places::Option& choice(const Places& places, int clock, std::size_t plan,
                                             int state) const;

  [[nodiscard]] const std::vector<double>& values() const { return value_; }
  void set_values(std::vector<double> values) { value_ = std::move(values); }
  /// The values with the most collections to come alone, as a table of one clock.
  [[nodiscard]] std::vector<double> last_clock() const {
    const std::size_t size = environments_ * (own_ ? 1 : environments_) * places_;
    return {value_.end() - static_cast<std::ptrdiff_t>(size), value_.end()};
  }

  /// From the values of states, about to act, with 0 .. n steps to go, to that of a place.
  static double at_place(const Places& places, const Mdp& mdp, const std::vector<std::vector<double>>& values,
                         int collections, int place);

 private:
  [[nodiscard]] std::size_t index(int clock, std::size_t plan, std::size_t world) const {
    const std::size_t row = static_cast<std::size_t>(clock) * environments_ + plan;
    return (own_ ? row : row * environments_ + world) * places_;
  }

  std::size_t environments_;
  std::size_t places_;
  bool own_;
  std::vector<double> value_;  // [clock][plan][world][place]
};

}  // namespace assay
