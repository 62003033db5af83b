// The Bernoulli bandit: each pull of an arm pays 1 with that arm's hidden probability.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "assay/beliefs/beta.hpp"
#include "assay/core/model.hpp"
#include "assay/solver/detail/information.hpp"

namespace assay {

struct BanditSettings {
  int arms = 2;
  int horizon = 20;
  double prior_a = 1;
  double prior_b = 1;
  double discount = 1;
};

class Bandit : public BernoulliOutcomes<Bandit> {
 public:
  static constexpr Members kMembers =
      BernoulliOutcomes::kMembers | Members{Member::kClosedForm, Member::kActionName};
  explicit Bandit(const BanditSettings& settings);

  int states() const { return 1; }
  int actions() const { return settings_.arms; }
  int horizon() const { return settings_.horizon; }
  double discount() const { return settings_.discount; }
  std::vector<Start> starts() const { return {{0, 1.0}}; }

  int cells() const { return settings_.arms; }
  double prior_a() const { return settings_.prior_a; }
  double prior_b() const { return settings_.prior_b; }
  std::span<const Pull> pulls(int /*x*/, int a) const {
    if (a == kArrive) return {};
    return {&pulls_[static_cast<std::size_t>(a)], 1};
  }
  int next(int x, int /*a*/) const { return x; }

  /// E[max p_i] and E[p_argmax'] are one-dimensional integrals over the arms' Beta laws: no sampling needed.
  InformationValues closed_form(const BetaBelief& belief, int remaining) const;

  std::string action_name(int a) const { return "arm " + std::to_string(a); }

 private:
  BanditSettings settings_;
  std::vector<Pull> pulls_;  // [arm]
};

}  // namespace assay
