#include "families/bandit.hpp"

#include <algorithm>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <map>

#include "assay/problem/register_family.hpp"

namespace assay {
namespace {

// Boost must not promote to long double: every machine then computes the same digits, and 1e-13 is enough.
using MathPolicy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

/// X ~ Beta(a,b) on the scale t = log(X/(1-X)). On this scale no shape has its mass where doubles end: a
/// Beta(.01,.01) variate is below 1e-300 with probability 0.0005, but its t is then only -700.
class LogitBeta {
 public:
  LogitBeta(double a, double b) : a_(a), b_(b), log_beta_(detail::log_beta_function(a, b)) {}

  /// The density at t: x^a (1-x)^b / B(a,b).
  [[nodiscard]] double density(double t) const {
    return std::exp(-a_ * log1p_exp(-t) - b_ * log1p_exp(t) - log_beta_);
  }
  /// P(T <= t). Where x or 1-x is below 1e-15 the tail is a power law to all digits.
  [[nodiscard]] double cdf(double t) const {
    if (t < -kFar) return std::exp(a_ * t - log_beta_) / a_;
    if (t > kFar) return 1 - std::exp(-b_ * t - log_beta_) / b_;
    // Computed from the nearer end, because 1 - x would lose the digits of a tiny distance to 1.
    if (t > 0) return boost::math::ibetac(b_, a_, 1 / (1 + std::exp(t)), MathPolicy());
    return boost::math::ibeta(a_, b_, 1 / (1 + std::exp(-t)), MathPolicy());
  }
  [[nodiscard]] double mean() const { return a_ / (a_ + b_); }
  /// An interval outside of which the probability is below 1e-17.
  [[nodiscard]] double low() const {
    return std::min(centre() - kFar, (std::log(1e-18 * a_) + log_beta_) / a_);
  }
  [[nodiscard]] double high() const {
    return std::max(centre() + kFar, -(std::log(1e-18 * b_) + log_beta_) / b_);
  }
  [[nodiscard]] double centre() const { return std::log(a_ / b_); }
  [[nodiscard]] double width() const { return std::sqrt(1 / a_ + 1 / b_); }

 private:
  static constexpr double kFar = 35;
  static double log1p_exp(double t) { return t > 0 ? t + std::log1p(std::exp(-t)) : std::log1p(std::exp(t)); }

  double a_, b_, log_beta_;
};

/// `count` arms with the same belief.
struct ArmClass {
  LogitBeta law;
  int count;
};

/// Integrates over t, piece by piece between the points where the laws are steep.
template <class Function>
double integrate(const std::vector<ArmClass>& arms, double low, double high, const Function& f) {
  std::vector<double> cuts = {low, high};
  for (const ArmClass& arm : arms) {
    for (const double w : {-30.0, -8.0, -2.0, 0.0, 2.0, 8.0, 30.0}) {
      cuts.push_back(std::clamp(arm.law.centre() + w * arm.law.width(), low, high));
    }
  }
  std::ranges::sort(cuts);
  constexpr unsigned kDepth = 10;
  double sum = 0;
  for (std::size_t i = 1; i < cuts.size(); ++i) {
    if (cuts[i] <= cuts[i - 1]) continue;
    sum +=
        boost::math::quadrature::gauss_kronrod<double, 31>::integrate(f, cuts[i - 1], cuts[i], kDepth, 1e-12);
  }
  return sum;
}

/// P(no arm exceeds t), without one arm of class `but`.
double none_above(const std::vector<ArmClass>& arms, std::size_t but, double t) {
  double product = 1;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const int count = arms[i].count - (i == but ? 1 : 0);
    if (count > 0) product *= std::pow(arms[i].law.cdf(t), count);
  }
  return product;
}

/// 1 + gamma + ... + gamma^(steps-1), or without an end.
double discounted_steps(double discount, int steps) {
  if (steps == kEndless) return 1 / (1 - discount);
  double sum = 0;
  for (int i = 0; i < steps; ++i) sum = 1 + discount * sum;
  return sum;
}

}  // namespace

Bandit::Bandit(const BanditSettings& settings) : settings_(settings) {
  for (int arm = 0; arm < settings.arms; ++arm) pulls_.push_back({arm, 0, true});
}

InformationValues Bandit::closed_form(const BetaBelief& belief, int remaining) const {
  std::map<std::pair<double, double>, int> classes;
  for (std::size_t i = 0; i < belief.cells(); ++i) ++classes[{belief.a(i), belief.b(i)}];
  std::vector<ArmClass> arms;
  for (const auto& [shape, count] : classes) arms.push_back({LogitBeta(shape.first, shape.second), count});

  double best = 0;    // E[max p] = the sum over arms of E[p_i; i is the best]
  double chosen = 0;  // the sum over arms of P(i is the best of a draw) E[p_i]
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const LogitBeta& law = arms[i].law;
    const auto wins_at = [&](double t) { return law.density(t) * none_above(arms, i, t); };
    const auto pays_at = [&](double t) { return wins_at(t) / (1 + std::exp(-t)); };
    // Dividing by the integral of the density removes the rounding of log B(a,b), which grows with the
    // shapes.
    const double mass = integrate(arms, law.low(), law.high(), [&](double t) { return law.density(t); });
    chosen += arms[i].count * law.mean() * integrate(arms, law.low(), law.high(), wins_at) / mass;
    best += arms[i].count * integrate(arms, law.low(), law.high(), pays_at) / mass;
  }
  const double steps = discounted_steps(settings_.discount, remaining);
  best = std::max(best, chosen);  // equal for a single arm, up to rounding
  return {{steps * chosen, 0}, {steps * best, 0}, {steps * (best - chosen), 0}};
}

namespace {

const RegisterFamily<Bandit, BetaBelief, BanditSettings> kRegistered({
    .name = "bandit",
    .summary = "Bernoulli arms with independent Beta priors; every pull pays 0 or 1",
    .schema = {{
        integer("arms", &BanditSettings::arms, 1, 1000, "arms to choose from"),
        steps("horizon", &BanditSettings::horizon, 1'000'000, "pulls in an episode"),
        real("prior_a", &BanditSettings::prior_a, 0.01, 1e4, "prior successes of each arm's Beta"),
        real("prior_b", &BanditSettings::prior_b, 0.01, 1e4, "prior failures of each arm's Beta"),
        real("discount", &BanditSettings::discount, 0, 1, "weight of the next pull relative to this one"),
    }},
    .small = {"bandit(arms=2,horizon=5)", "bandit(arms=3,horizon=3,prior_a=0.5,prior_b=2,discount=0.9)",
              "bandit(arms=1,horizon=4)"},
});

}  // namespace
}  // namespace assay
