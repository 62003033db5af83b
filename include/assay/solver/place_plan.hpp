// The optimal plan over places of one environment, in double precision: for agents that plan at every step.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "assay/solver/places.hpp"

namespace assay {

class PlacePlan {
 public:
  PlacePlan(std::shared_ptr<const Places> places, double discount)
      : places_(std::move(places)), discount_(discount) {}

  /// When place p pays rewards[p] and so many collections are to come, at least one.
  void solve(std::span<const double> rewards, int collections);

  /// What to choose in a state; ties by first_best.
  [[nodiscard]] const Places::Option& best(int state) const;
  [[nodiscard]] double value(int place) const { return value_[static_cast<std::size_t>(place)]; }
  [[nodiscard]] const Places& places() const { return *places_; }

 private:
  std::shared_ptr<const Places> places_;
  double discount_;
  double scale_ = 0;
  std::vector<double> value_, next_;        // [place]
  std::vector<double> delay_, next_delay_;  // [place]
};

}  // namespace assay
