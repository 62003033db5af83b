// The posterior of a normal mean under a uniform prior, against numerical integration.
#include "beliefs/truncated_normal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "assay/core/rng.hpp"
#include "support/ks.hpp"

namespace assay {
namespace {

/// The law by sums over many thin strips, with the largest exponent taken out so that nothing underflows.
class SummedLaw {
 public:
  SummedLaw(double mean, double deviation, double low, double high) {
    // Only where the density is not negligible beside its largest value.
    const double nearest = std::clamp(mean, low, high);
    const double top = exponent(nearest, mean, deviation);
    const double reach = 12 * deviation;
    from_ = std::max(low, std::min(nearest, mean + reach) - reach);
    to_ = std::min(high, std::max(nearest, mean - reach) + reach);
    cumulated_.push_back(0);
    double first = 0;
    double second = 0;
    for (int i = 0; i < kStrips; ++i) {
      const double x = from_ + (i + 0.5) * (to_ - from_) / kStrips;
      const double p = std::exp(exponent(x, mean, deviation) - top);
      cumulated_.push_back(cumulated_.back() + p);
      first += p * (x - nearest);
      second += p * (x - nearest) * (x - nearest);
    }
    const double total = cumulated_.back();
    mean_ = nearest + first / total;
    variance_ = second / total - first / total * (first / total);
    log_total_ = std::log(total * (to_ - from_) / kStrips) + top;
    for (double& c : cumulated_) c /= total;
    centre_ = mean;
    deviation_ = deviation;
  }

  [[nodiscard]] double mean() const { return mean_; }
  [[nodiscard]] double variance() const { return variance_; }
  [[nodiscard]] double log_density(double x) const { return exponent(x, centre_, deviation_) - log_total_; }
  [[nodiscard]] double cdf(double x) const {
    const double at = std::clamp((x - from_) / (to_ - from_), 0.0, 1.0) * kStrips;
    const auto strip = std::min(static_cast<std::size_t>(at), cumulated_.size() - 2);
    const double share = at - static_cast<double>(strip);
    return cumulated_[strip] + share * (cumulated_[strip + 1] - cumulated_[strip]);
  }

 private:
  static constexpr int kStrips = 200'000;
  static double exponent(double x, double mean, double deviation) {
    return -(x - mean) * (x - mean) / (2 * deviation * deviation);
  }

  double from_ = 0, to_ = 0;
  double mean_ = 0, variance_ = 0, log_total_ = 0, centre_ = 0, deviation_ = 1;
  std::vector<double> cumulated_;
};

struct Shape {
  double mean, deviation;
};
// Inside, at the ends, outside; narrow and wide; the last ones are nearly uniform.
constexpr std::array<Shape, 16> kShapes = {{{0.5, 0.3},
                                            {0.5, 0.01},
                                            {0, 0.1},
                                            {1, 0.3},
                                            {-0.02, 0.0134},
                                            {1.05, 0.0134},
                                            {-0.5, 0.3},
                                            {1.9, 0.3},
                                            {-0.9, 0.1},
                                            {1.02, 0.3},
                                            {-0.1, 0.05},
                                            {1.7, 0.5},
                                            {0.3, 1},
                                            {-4, 2},
                                            {0.9, 30},
                                            {-40, 30}}};

TEST(TruncatedNormal, HasTheMomentsOfNumericalIntegration) {
  for (const auto& [mean, deviation] : kShapes) {
    SCOPED_TRACE(::testing::Message() << mean << ' ' << deviation);
    const TruncatedNormal law(mean, deviation, 0, 1);
    const SummedLaw summed(mean, deviation, 0, 1);
    EXPECT_NEAR(law.mean(), summed.mean(), 1e-8);
    EXPECT_NEAR(law.variance(), summed.variance(), 1e-7 * summed.variance() + 1e-11);
    for (const double x : {0.0, 0.001, 0.2, 0.5, 0.93, 1.0}) {
      EXPECT_NEAR(law.log_density(x), summed.log_density(x), 1e-6 + 1e-9 * std::abs(summed.log_density(x)));
    }
    EXPECT_EQ(law.log_density(-1e-9), -std::numeric_limits<double>::infinity());
    EXPECT_EQ(law.log_density(1 + 1e-9), -std::numeric_limits<double>::infinity());
  }
}

TEST(TruncatedNormal, IsUniformWithoutDraws) {
  const TruncatedNormal law(0, std::numeric_limits<double>::infinity(), 0, 1);
  EXPECT_DOUBLE_EQ(law.mean(), 0.5);
  EXPECT_DOUBLE_EQ(law.variance(), 1.0 / 12);
  EXPECT_DOUBLE_EQ(law.log_density(0.3), 0);
}

TEST(TruncatedNormal, DrawsAreOfItsLaw) {
  constexpr std::size_t kDraws = 100'000;
  Rng rng(5);
  for (const auto& [mean, deviation] : kShapes) {
    SCOPED_TRACE(::testing::Message() << mean << ' ' << deviation);
    const TruncatedNormal law(mean, deviation, 0, 1);
    const SummedLaw summed(mean, deviation, 0, 1);
    std::vector<double> drawn(kDraws);
    for (double& x : drawn) x = law.sample(rng);
    std::ranges::sort(drawn);
    EXPECT_GE(drawn.front(), 0);
    EXPECT_LE(drawn.back(), 1);
    double distance = 0;
    for (std::size_t i = 0; i < kDraws; ++i) {
      const double p = summed.cdf(drawn[i]);
      distance =
          std::max({distance, p - static_cast<double>(i) / kDraws, static_cast<double>(i + 1) / kDraws - p});
    }
    EXPECT_LE(distance, laws::ks_threshold(kDraws));
  }
}

/// What the belief needs of a model.
struct ThreeArms {
  double deviation = 0.3;
  int arms() const { return 3; }
  double low() const { return 0; }
  double high() const { return 1; }
  double noise() const { return deviation; }
  std::string action_name(int a) const { return "arm " + std::to_string(a); }
};

/// The mean of arm 1 under the posterior: prior times likelihoods, on a grid.
double weighed_mean(const std::vector<double>& rewards, double noise) {
  constexpr int kGrid = 100'000;
  double mass = 0;
  double sum = 0;
  for (int i = 0; i < kGrid; ++i) {
    const double mean = (i + 0.5) / kGrid;
    double p = 1;
    for (const double r : rewards) p *= std::exp(-(r - mean) * (r - mean) / (2 * noise * noise));
    mass += p;
    sum += p * mean;
  }
  return sum / mass;
}

TEST(TruncatedNormalBelief, FollowsBayesRule) {
  const ThreeArms model;
  TruncatedNormalBelief belief(model);
  std::vector<double> rewards;
  for (const double reward : {0.9, -0.2, 0.4, 1.3, 0.1, -0.6}) {
    belief.observe(model, 0, 1, Outcome{0, reward, {}});
    rewards.push_back(reward);
    EXPECT_NEAR(belief.expected_reward(model, 0, 1), weighed_mean(rewards, 0.3), 1e-8);
    EXPECT_DOUBLE_EQ(belief.expected_reward(model, 0, 0), 0.5);
  }
  EXPECT_EQ(belief.draws(1), rewards.size());
  EXPECT_TRUE(belief.text(model).starts_with("arm 1: 0.")) << belief.text(model);
  EXPECT_EQ(TruncatedNormalBelief(model).text(model), "prior");
}

TEST(TruncatedNormalBelief, ComesBackFromItsKeyAndRefusesWhatCannotBe) {
  const ThreeArms model;
  TruncatedNormalBelief belief(model);
  belief.observe(model, 0, 2, Outcome{0, 0.7, {}});
  std::vector<std::uint64_t> key(belief.words());
  belief.pack(key);
  TruncatedNormalBelief copy(model);
  copy.unpack(key);
  EXPECT_EQ(copy.expected_reward(model, 0, 2), belief.expected_reward(model, 0, 2));
  EXPECT_THROW(belief.observe(model, 0, 2, Outcome{0, std::nan(""), {}}), ImpossibleEvidence);
  EXPECT_THROW(belief.observe(model, 0, 2, Outcome{1, 0.5, {}}), ImpossibleEvidence);
  EXPECT_THROW(belief.observe(model, 0, kArrive, Outcome{0, 0.5, {}}), ImpossibleEvidence);
  std::vector<std::uint64_t> after(belief.words());
  belief.pack(after);
  EXPECT_EQ(after, key) << "impossible evidence changes nothing";
}

}  // namespace
}  // namespace assay
