// The value of every environment when it is known, and the values of simple plans in every environment, for
// every number of steps to go. These are the first bounds of a search among beliefs.
//
// A plan states an action by step and state: the best action in the mean environment, or in one of the
// environments, the likeliest first, as many as fit into memory; first_best decides ties. The plan of an
// environment is followed as long as what is seen is possible there, and then the plan of the next
// environment; when only one environment is possible, it is known. (Without memory for every number of steps
// to go, plans are never changed, because the values after a change would be unknown.) All tables grow
// together, one step at a time. The states are divided among threads, each of which writes its own part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "assay/core/detail/stop.hpp"
#include "assay/core/detail/workers.hpp"
#include "assay/solver/detail/finite_model.hpp"

namespace assay {

class PlanTables {
 public:
  /// Takes at most `bytes` if that is possible. `model` must outlive the tables.
  PlanTables(const FiniteModel& model, std::size_t bytes, const Resources& resources);

  /// Are there tables for every number of steps to go? Otherwise there are tables only for the whole
  /// horizon.
  [[nodiscard]] bool complete() const { return complete_; }
  [[nodiscard]] int plans() const { return static_cast<int>(plans_); }

  /// [environment]: the value of being about to arrive at x with h steps to go when the environment is
  /// known.
  [[nodiscard]] std::span<const double> known(int h, int x) const {
    return {known_[static_cast<std::size_t>(h)].data() + static_cast<std::size_t>(x) * environments_,
            environments_};
  }
  /// [environment]: the value of having arrived at x with h steps to go, for an agent that begins with the
  /// plan.
  [[nodiscard]] std::span<const double> followed(int h, int x, int plan) const {
    return {followed_[static_cast<std::size_t>(h)].data() + place(x, plan) * environments_, environments_};
  }
  /// [environment]: the same for an agent about to arrive, with the whole horizon to go.
  [[nodiscard]] std::span<const double> started(int x, int plan) const {
    return {arriving_.data() + place(x, plan) * environments_, environments_};
  }
  /// [environment]: the reward of arriving at x.
  [[nodiscard]] std::span<const double> arrival(int x) const {
    return {arrival_.data() + static_cast<std::size_t>(x) * environments_, environments_};
  }
  /// The action of the plan. It is known for every number of steps to go even if the values are not.
  [[nodiscard]] int action(int h, int x, int plan) const {
    return actions_[static_cast<std::size_t>(h)][place(x, plan)];
  }

  /// known(h, x) for all x, one after the other, as FiniteModel::look_ahead takes them.
  [[nodiscard]] const double* known_layer(int h) const { return known_[static_cast<std::size_t>(h)].data(); }

  [[nodiscard]] std::size_t bytes() const;

 private:
  using Layer = std::pmr::vector<double>;  // read at random, so it uses huge pages
  struct Scratch;
  [[nodiscard]] std::size_t place(int x, int plan) const {
    return static_cast<std::size_t>(x) * plans_ + static_cast<std::size_t>(plan);
  }
  void choose_plans(std::size_t bytes);
  void start_without_end(const Stop& stop);
  void add_layer(int h, Workers& workers);
  void add_state(int h, int x, Scratch& scratch);
  void choose_actions(int h, int x, Scratch& scratch);
  void value_actions(int h, int x, Scratch& scratch) const;
  void follow_plans(int h, int x, Scratch& scratch);
  [[nodiscard]] int next_plan(int plan, const FiniteModel::Result& seen) const;
  void add_result(const FiniteModel::Result& seen, double discount, const double* then,
                  std::span<double> into) const;

  const FiniteModel& model_;
  int steps_;  // the layers; one without an end, where a layer is its own backup
  std::size_t environments_;
  std::size_t plans_ = 1;
  bool complete_ = true;
  std::vector<int> plan_of_;                        // [plan - 1]: its environment; plan 0 is the mean one's
  std::vector<double> arrival_;                     // [state][environment]
  std::vector<Layer> known_;                        // [h][state][environment]
  std::vector<Layer> followed_;                     // [h][state][plan][environment], after the arrival
  Layer arriving_, next_arriving_;                  // [state][plan][environment], for h - 1 and h
  std::vector<std::vector<std::int32_t>> actions_;  // [h][state][plan]
  std::vector<double> mean_, next_mean_;            // [state], for h - 1 and h
  // For ties, [state][environment] and [state], for h - 1 and h: twice the value plus the delay of
  // first_best. As sum_t (t + 2) gamma^t r_t it obeys the equation of a value, with the same rewards.
  Layer later_, next_later_;
  std::vector<double> mean_later_, next_mean_later_;
};

}  // namespace assay
