#include "assay/families/bandit.hpp"

#include <boost/math/distributions/beta.hpp>
#include <boost/math/quadrature/tanh_sinh.hpp>

#include "assay/problem/register_family.hpp"

namespace assay {
namespace {

// No promotion to long double: the same digits on every machine, and 1e-13 is enough.
using Policy = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using BetaLaw = boost::math::beta_distribution<double, Policy>;

/// 1 + gamma + ... + gamma^(steps-1).
double discounted_steps(double discount, int steps) {
  double sum = 0;
  for (int i = 0; i < steps; ++i) sum = 1 + discount * sum;
  return sum;
}

/// P(p <= q) for every arm but `left_out` (none: pass a number that no arm has).
double others_below(const std::vector<BetaLaw>& laws, std::size_t left_out, double q) {
  double product = 1;
  for (std::size_t j = 0; j < laws.size(); ++j) {
    if (j != left_out) product *= boost::math::cdf(laws[j], q);
  }
  return product;
}

}  // namespace

Bandit::Bandit(const BanditSettings& settings) : settings_(settings) {
  for (int arm = 0; arm < settings.arms; ++arm) pulls_.push_back({arm, 0, true});
}

InformationValues Bandit::closed_form(const BetaBelief& belief, int remaining) const {
  std::vector<BetaLaw> laws;
  for (std::size_t i = 0; i < belief.cells(); ++i) laws.emplace_back(belief.a(i), belief.b(i));

  boost::math::quadrature::tanh_sinh<double> integrator;
  const auto integral = [&](const auto& f) { return integrator.integrate(f, 0.0, 1.0, 1e-13); };
  // E[max] = integral of 1 - P(all <= q).
  const double best = integral([&](double q) { return 1 - others_below(laws, laws.size(), q); });

  double chosen = 0;  // sum over arms of P(arm is the best of a draw) * its mean
  for (std::size_t i = 0; i < laws.size(); ++i) {
    const double wins = laws.size() == 1 ? 1 : integral([&](double u) {
      return others_below(laws, i,
                          boost::math::quantile(laws[i], u));  // u = P(p_i <= q): no density, no pole
    });
    chosen += wins * belief.mean(i);
  }
  const double steps = discounted_steps(settings_.discount, remaining);
  return {{steps * chosen, 0}, {steps * best, 0}, {steps * (best - chosen), 0}};
}

namespace {

const RegisterFamily<Bandit, BetaBelief, BanditSettings> kRegistered({
    .name = "bandit",
    .summary = "Bernoulli arms with independent Beta priors; every pull pays 0 or 1",
    .schema = {{
        integer("arms", &BanditSettings::arms, 1, 1000, "arms to choose from"),
        integer("horizon", &BanditSettings::horizon, 1, 1'000'000, "pulls in an episode"),
        real("prior_a", &BanditSettings::prior_a, 0.01, 1e4, "prior successes of each arm's Beta"),
        real("prior_b", &BanditSettings::prior_b, 0.01, 1e4, "prior failures of each arm's Beta"),
        real("discount", &BanditSettings::discount, 0, 1, "weight of the next pull relative to this one"),
    }},
    .small = {"bandit(arms=2,horizon=5)", "bandit(arms=3,horizon=3,prior_a=0.5,prior_b=2,discount=0.9)",
              "bandit(arms=1,horizon=4)"},
});

}  // namespace
}  // namespace assay
