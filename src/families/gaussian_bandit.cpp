// gaussian_bandit: each pull of an arm pays a normal reward around the arm's hidden mean. Means are uniform
// between 0 and 1.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "assay/core/detail/portable_math.hpp"
#include "assay/core/rng.hpp"
#include "assay/problem/register_family.hpp"
#include "beliefs/truncated_normal.hpp"

namespace assay {
namespace {

struct GaussianBanditSettings {
  int arms = 5;
  int horizon = 500;
  double noise = 0.3;
  double discount = 1;
};

class GaussianBandit {
 public:
  using Hidden = std::vector<double>;  // [arm], mean
  static constexpr Members kMembers = {
      Member::kSample,           Member::kArcs,     Member::kLikelihood, Member::kExpectedReward,
      Member::kKnownTransitions, Member::kCollects, Member::kActionName};

  explicit GaussianBandit(const GaussianBanditSettings& settings) : settings_(settings) {}

  int states() const { return 1; }
  int actions() const { return settings_.arms; }
  int horizon() const { return settings_.horizon; }
  double discount() const { return settings_.discount; }
  std::vector<Start> starts() const { return {{0, 1.0}}; }

  int arms() const { return settings_.arms; }
  double low() const { return 0; }
  double high() const { return 1; }
  double noise() const { return settings_.noise; }

  /// Throws UsageError for an action, because there are infinitely many outcomes.
  template <class Visit>
  void outcomes(int x, int a, const Hidden& /*e*/, Visit&& visit) const {
    if (a != kArrive) throw_infinite(a);
    visit(1.0, Outcome{x, 0, {}});
  }
  [[noreturn]] void throw_infinite(int a) const {
    throw UsageError(fmt::format(
        "'{}' is a normal reward: paying it has infinitely many outcomes, so there is no exact solution",
        action_name(a)));
  }
  Outcome sample(int x, int a, const Hidden& e, Rng& rng) const {
    if (a == kArrive) return {x, 0, {}};
    return {x, normal(rng, e[static_cast<std::size_t>(a)], settings_.noise), {}};
  }
  template <class Visit>
  void arcs(int x, int /*a*/, const Hidden& /*e*/, Visit&& visit) const {
    visit(1.0, x);
  }
  /// The density, up to a factor.
  double likelihood(int /*x*/, int a, const Hidden& e, const Outcome& seen) const {
    if (a == kArrive) return 1;
    const double away = (seen.reward - e[static_cast<std::size_t>(a)]) / settings_.noise;
    return portable::exp(-away * away / 2);
  }
  double expected_reward(int /*x*/, int a, const Hidden& e) const { return e[static_cast<std::size_t>(a)]; }
  bool known_transitions() const { return true; }
  bool collects(int /*x*/, int a) const { return a != kArrive; }

  std::string action_name(int a) const { return "arm " + std::to_string(a); }

 private:
  GaussianBanditSettings settings_;
};

const RegisterFamily<GaussianBandit, TruncatedNormalBelief, GaussianBanditSettings> kRegistered({
    .name = "gaussian_bandit",
    .summary = "arms with normal rewards, whose means are uniform between 0 and 1",
    .schema = {{
        integer("arms", &GaussianBanditSettings::arms, 1, 1000, "arms to choose from"),
        integer("horizon", &GaussianBanditSettings::horizon, 1, 1'000'000, "pulls in an episode"),
        real("noise", &GaussianBanditSettings::noise, 0.001, 100,
             "deviation of single rewards around the mean of their arm"),
        real("discount", &GaussianBanditSettings::discount, 0, 1,
             "weight of the next pull relative to this one"),
    }},
    .small = {},  // none can be enumerated
});

}  // namespace
}  // namespace assay
